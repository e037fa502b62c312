"""The errors of pydantic models as problems that people can act on.

Rule: a problem says where, what was expected and what stands there, in the words of the YAML file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from reach.errors import Problem
from reach.registry.construct import scalar
from reach.registry.document import Document, Path
from reach.registry.judgements import judged
from reach.registry.nearest import did_you_mean
from reach.registry.shapes import (
    Located,
    bare_shape,
    choices,
    describe,
    field_of,
    known_keys,
    locate,
    pattern_of,
    union_members,
)
from reach.spec import Name, PythonBinding, Rate

_SWITCH = re.compile(r"y|yes|n|no|on|off", re.IGNORECASE)
_YAML_1_1 = re.compile(
    r"""\d+(?::\d+)+(?:\.\d+)? | \d{4}-\d\d?-\d\d?.* | 0[xob]?[0-9a-fA-F_]+ | \d[\d_]* | [-+]?\.(?:inf|nan)""",
    re.IGNORECASE | re.VERBOSE,
)


def _patterns() -> dict[str | None, str]:
    notes = PythonBinding.model_fields["function"].metadata
    function = next((getattr(note, "pattern", None) for note in notes), None)
    return {
        pattern_of(Name): "a name: letters, digits, '_' and '-', at most 64, not a digit first",
        pattern_of(Rate): "a rate such as 30/minute (second, minute, hour, day)",
        function: "module:function, such as shop.tools:look_up",
    }


_PATTERNS = _patterns()


def problems_of(errors: Iterable[Mapping[str, Any]], model: type[BaseModel], document: Document) -> list[Problem]:
    """The problems that pydantic's `errors` of `model` stand for, several of one union as one."""
    found: list[Problem] = []
    unions: dict[Path, list[tuple[Mapping[str, Any], Located]]] = {}
    for error in errors:
        at = locate(model, error["loc"], document)
        if at.union is not None:
            unions.setdefault(at.union, []).append((error, at))
        else:
            found += _problems(error, at, document)
    for path, members in unions.items():
        found += _union_problems(path, members, document)
    return found


def _union_problems(
    path: Path, members: Sequence[tuple[Mapping[str, Any], Located]], document: Document
) -> Iterator[Problem]:
    """A union complains once for each member: only the member that the value was written as is worth hearing."""
    value = document.value(path)
    kind = "mapping" if isinstance(value, dict) else "list" if isinstance(value, list) else "scalar"
    heard = [(error, at) for error, at in members if at.member == kind]
    wrong_kind = all(at.path == path and _is_type_error(error) for error, at in heard)
    if not heard or wrong_kind:
        shape = members[0][1].union_shape
        yield document.problem(path, *_mismatch(shape, value, document, path))
        return
    for error, at in heard:
        yield from _problems(error, at, document)


def _problems(error: Mapping[str, Any], at: Located, document: Document) -> Iterator[Problem]:
    kind: str = error["type"]
    context: Mapping[str, Any] = error.get("ctx", {})
    value = document.value(at.path)
    if kind == "value_error":
        for line in str(context["error"]).splitlines():
            yield judged(document, at.path, line)
    elif at.key:
        yield document.problem(at.path, *_key_message(at, str(at.path[-1])), key=True)
    elif kind == "missing":
        yield _missing(document, at)
    elif kind == "extra_forbidden":
        name = str(at.path[-1])
        known = known_keys(at.model) if at.model else []
        yield document.problem(at.path, f"unknown key '{name}'", did_you_mean(name, known), key=True)
    elif kind == "union_tag_invalid":
        tag, field = str(context["tag"]), str(context["discriminator"]).strip("'")
        known = re.findall(r"'([^']*)'", str(context["expected_tags"]))
        message = f"expected one of {', '.join(known)}, got {_found(tag)}"
        yield document.problem((*at.path, field), message, did_you_mean(tag, known))
    elif kind == "union_tag_not_found":
        yield _missing_tag(document, at, str(context["discriminator"]).strip("'"))
    else:
        message, hint = _message(kind, context, at, value, document)
        yield document.problem(at.path, message, hint)


def _message(kind: str, context: Mapping[str, Any], at: Located, value: Any, document: Document) -> tuple[str, str]:
    if _is_type_error({"type": kind}) or kind == "literal_error":
        return _mismatch(at.shape, value, document, at.path)
    if kind == "string_pattern_mismatch":
        pattern = str(context["pattern"])
        return f"expected {_PATTERNS.get(pattern, f'a text of the form {pattern}')}, got {_found(value)}", ""
    if kind == "string_too_short":
        return "must not be empty", ""
    if kind == "string_too_long":
        return f"has {len(value):,} characters; at most {context['max_length']:,} are allowed", ""
    if kind == "too_short":
        return "must not be empty", ""
    bounds = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le")}
    if kind in bounds:
        words, bound = bounds[kind]
        return f"must be {words} {_plain(context[bound])}, got {value}", ""
    return f"is not {describe(at.shape)}: {_found(value)}", ""


def _mismatch(shape: Any, value: Any, document: Document, path: Path) -> tuple[str, str]:
    """What was expected and found, and a hint where YAML itself is the likely reason."""
    expected = describe(shape)
    message = f"expected {expected}, got {_found(value)}"
    plain = document.plain(path)
    takes_text = any(bare_shape(member) is str for member in union_members(shape))
    if value is None:
        return message, "give it a value, or remove the key"
    if takes_text and plain is not None and not isinstance(value, str):
        return message, f'quote it: "{plain}"'
    if isinstance(value, str):
        if plain is not None and _SWITCH.fullmatch(value):
            switch = "true" if value.lower() in ("y", "yes", "on") else "false"
            instead = f"write {switch}, or " if expected == "true or false" else ""
            return message, f"only true and false are booleans: {instead}quote it where text is meant"
        if plain is not None and _YAML_1_1.fullmatch(value):
            return message, f"{value} is text, not a number: write a plain number, or quote it where text is meant"
        if plain is None and expected in ("a whole number", "a number", "true or false"):
            return message, "remove the quotes" if _reads_as_value(value) else ""
        allowed = [str(v) for member in union_members(shape) for v in choices(member)]
        if len(allowed) > 1:
            near = did_you_mean(value, allowed)
            return message, near if near.startswith("did") else ""
    return message, ""


def _reads_as_value(text: str) -> bool:
    try:
        return not isinstance(scalar(text), str)
    except ValueError:
        return False


def _key_message(at: Located, name: str) -> tuple[str, str]:
    allowed = [str(v) for v in choices(at.shape)]
    if allowed:
        return f"unknown key '{name}'; expected {' or '.join(allowed)}", ""
    pattern = pattern_of(at.shape)
    if pattern is not None:
        return f"the key '{name}' is not {_PATTERNS.get(pattern, 'of the form ' + pattern)}", ""
    return f"the key '{name}' must be text of 1 to 2000 characters", ""


def _missing(document: Document, at: Located) -> Problem:
    name = str(at.path[-1])
    field = None
    if at.model is not None:
        field = field_of(at.model, name)
    hint = field.description if field is not None and field.description else f"expected {describe(at.shape)}"
    return document.problem(at.path, f"the key '{name}' is missing", hint)


def _missing_tag(document: Document, at: Located, field: str) -> Problem:
    value = document.value(at.path)
    if not isinstance(value, dict):
        return document.problem(at.path, f"expected a mapping, got {_found(value)}")
    return document.problem((*at.path, field), f"the key '{field}' is missing")


def _is_type_error(error: Mapping[str, Any]) -> bool:
    kind: str = error["type"]
    return kind.endswith(("_type", "_parsing", "_from_float")) or kind == "literal_error"


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _found(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= 60 else f"'{value[:57]}...'"
    return "a list" if isinstance(value, list) else "a mapping"
