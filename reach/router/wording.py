"""How tools, parameters and values are named in front of a user.

Rule: a question is the parameter's own `ask` where it has one, in the user's language; a value is shown with
its source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reach.messages import language_of, message
from reach.spec import ToolSpec, localized
from reach.types import Choice, Provenance


def title_of(tool: ToolSpec, language: str) -> str:
    """What the tool is called: its title, else its name in words."""
    return localized(tool.title, language) or tool.name.replace("_", " ")


def parameter_title(tool: ToolSpec, name: str, language: str) -> str:
    """What the parameter is called: its title, else its name in words."""
    return localized(tool.parameters[name].title, language) or name.replace("_", " ")


def names_of(tool: ToolSpec, name: str) -> list[str]:
    """All that a user may call the parameter: its name in words, and its title in every language."""
    title = tool.parameters[name].title
    titles = [title] if isinstance(title, str) else [*(title or {}).values()]
    return [name.replace("_", " "), *titles]


def numbered(labels: Sequence[str]) -> str:
    """The labels as a numbered list, one a line."""
    return "\n".join(f"{index}. {label}" for index, label in enumerate(labels, 1))


def question_for(tool: ToolSpec, name: str, language: str) -> str:
    """The question that asks for one parameter, or for any of the group of `require_one_of` that it stands for."""
    parameter = tool.parameters[name]
    if parameter.ask is not None:
        return localized(parameter.ask, language)
    for group in tool.require_one_of:
        if name in group and len(group) > 1:
            separator = "、" if language == "zh" else ", "
            titles = separator.join(parameter_title(tool, other, language) for other in group)
            return message("ask_one_of", language, names=titles)
    return message("ask_parameter", language, name=parameter_title(tool, name, language))


def choice_question(tool: ToolSpec, name: str, choices: Sequence[Choice], language: str) -> str:
    """The question that lets the user choose among the real readings of one parameter."""
    return message(
        "ask_choice",
        language,
        name=parameter_title(tool, name, language),
        choices=numbered([choice.label for choice in choices]),
    )


def _shown(tool: ToolSpec, name: str, value: Any, language: str) -> str:
    """The value as it would run, after what it means in the user's language where the tool file has a word for it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    synonyms = (tool.parameters[name].synonyms or {}).get(text, ())
    word = next((synonym for synonym in synonyms if language_of(synonym, language) == language), "")
    if not word or language_of(text, language) == language:
        return text
    return f"{word}（{text}）" if language == "zh" else f"{word} ({text})"


def argument_lines(
    tool: ToolSpec, values: Mapping[str, Any], provenance: Mapping[str, Provenance], language: str
) -> list[str]:
    """One line a value, with where it came from: what a confirmation shows."""
    colon, left, right = ("：", "（", "）") if language == "zh" else (": ", " (", ")")
    lines: list[str] = []
    for name, value in values.items():
        shown = _shown(tool, name, value, language)
        origin = provenance.get(name)
        source = f"{left}{message('source_' + origin.source, language)}{right}" if origin else ""
        lines.append(f"- {parameter_title(tool, name, language)}{colon}{shown}{source}")
    return lines
