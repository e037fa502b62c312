"""Whatever bytes come in, only ConfigError comes out."""

import contextlib
import json
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reach.errors import ConfigError
from reach.registry import parse
from reach.registry.check import check_tools
from reach.registry.check_policies import check_policies
from reach.registry.load import validate
from reach.registry.parts import parts_of
from reach.registry.yamlfile import PythonLoader, read
from reach.spec import PoliciesFile, ToolsFile
from tests.registry.small_agent import POLICIES, TOOLS

FILES = st.sampled_from(["any.yaml", "any.json"])
SCRAPS = [
    *"{}[],:?-#&*!|>'\"%@`\n\t \\", "  ", ": ", "- ", "? ", "*a", "&a ", "<<: ", "<<: *a", "!!str ", "!x ", "---\n",
    "...\n", "null", "true", "yes", "12:30:00", "1e999", "0x1F", "9" * 400, "\\ud800", "\0", "\ufeff", "\u2028", "坏了",
    "[" * 120, "{a: " * 120, "version: 1", "required: 3", "required: [[1]]", "type: object", "properties: {}",
    "pattern: 'a{99999999999}'", "kind: sql", "sql: 'SELECT :x; --'", "when: 'args.'", "tools: {}", "enum: [[1], {}]",
    "default: []", "synonyms: {a: [b]}", "function: a:b", "\r", "\r\n",
]  # fmt: skip


def _problems_or_nothing(text, file):
    """Read, validate and cross-check `text` as tools and as policies."""
    with contextlib.suppress(ConfigError):
        document, _ = read(text, file)
        spec, told = validate(document, ToolsFile)
        policies, more = validate(document, PoliciesFile)
        parts = parts_of((document, spec), [(document, policies)], complete=True)
        for problem in [*told, *more, *check_tools(parts), *check_policies(parts)]:
            assert problem.message
            assert problem.line >= 1
            assert problem.column >= 1


def _mutated(text, seed):
    """A valid file with a few characters removed, doubled or replaced by what tends to break parsers."""
    generator = random.Random(seed)  # noqa: S311  -- mutations, not secrets
    for _ in range(generator.randint(1, 6)):
        at = generator.randrange(len(text) + 1)
        length = generator.choice([0, 0, 1, 1, 5, 40])
        kind = generator.random()
        if kind < 0.5:
            text = text[:at] + generator.choice(SCRAPS) + text[at + length :]
        elif kind < 0.75:
            text = text[:at] + text[at + length :]
        else:
            other = generator.randrange(len(text) + 1)
            text = text[:at] + text[other : other + 40] + text[at + length :]
    return text


@settings(deadline=None)
@given(st.binary(max_size=300), FILES)
@example(b"\xef\xbb\xbfversion: 1", "any.yaml")
@example(b"\xff\xfea", "any.yaml")
@example(b"a: \xe4\xb8", "any.yaml")
def test_any_bytes_are_a_document_or_a_config_error(data, file):
    _problems_or_nothing(data, file)


@settings(deadline=None)
@given(st.text(max_size=300) | st.lists(st.sampled_from(SCRAPS), max_size=30).map("".join), FILES)
@example("a: &a [*a]", "any.yaml")
@example("&a {<<: *a}", "any.yaml")
@example('"\ud800"', "any.json")
def test_any_text_is_a_document_or_a_config_error(text, file):
    _problems_or_nothing(text, file)


@given(st.integers(), st.sampled_from([TOOLS, POLICIES]))
@settings(max_examples=200, deadline=None)
def test_a_damaged_file_is_told_and_never_breaks_the_loader(seed, text):
    _problems_or_nothing(_mutated(text, seed), "any.yaml")


@settings(deadline=None)
@given(st.text(max_size=100) | st.lists(st.sampled_from(SCRAPS), max_size=20).map("".join))
def test_the_loader_without_libyaml_is_as_safe(text):
    with contextlib.suppress(ConfigError):
        read(text, "any.yaml", loader=PythonLoader)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_json_comes_back_as_it_was_written(data, indent, ascii_only):
    try:
        text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
        document = parse(text, "any.json")
    except ConfigError as error:
        assert all("NUL" in p.message or "not allowed" in p.message for p in error.problems)  # noqa: PT017
        return
    assert document.data == data


@pytest.mark.parametrize("loader", [None, PythonLoader])
def test_both_loaders_read_the_same(loader):
    document, problems = read(TOOLS, "tools.yaml", loader=loader)
    assert problems == []
    assert document.data == parse(TOOLS, "tools.yaml").data
    path = ("tools", 1, "parameters", "topic", "synonyms", "broken", 0)
    assert document.mark(path) == parse(TOOLS, "tools.yaml").mark(path)
