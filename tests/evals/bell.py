"""A Python tool that does something."""

RUNG: list[str] = []


def ring() -> str:
    RUNG.append("ding")
    return "ding"
