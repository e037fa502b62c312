"""What is imported, and when: an SDK costs nothing until it is used."""

import subprocess
import sys

import pytest

SDKS = {
    *(
        "pydantic",
        "yaml",
        "jsonschema",
        "jsonschema_rs",
        "msgspec",
        "openai",
        "tenacity",
        "pybreaker",
        "redis",
        "boto3",
    ),
    *("botocore", "sqlalchemy", "structlog", "httpx", "cryptography", "zstandard", "rich", "fastapi", "uvicorn", "cel"),
    *("psycopg", "snowballstemmer", "cn2an", "rapidfuzz"),
}


def modules_after(code: str) -> set[str]:
    """The top names of what an interpreter has imported after `code`."""
    report = "import sys; sys.stderr.write(' '.join({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, timeout=100, check=True
    )
    return set(done.stderr.split())


def test_importing_the_package_loads_no_sdk_and_no_room():
    assert modules_after("import reach") & SDKS == set()


@pytest.mark.parametrize("name", ["Caller", "Answer", "Outcome", "Page", "ReachError", "ConfigError"])
def test_a_value_or_an_error_loads_no_sdk(name):
    assert modules_after(f"from reach import {name}") & SDKS == set()


def help_of(*words: str) -> set[str]:
    code = f"""
import sys
sys.argv = ["reach", *{words!r}]
from reach.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""
    return modules_after(code) & SDKS


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_the_list_of_commands_loads_no_sdk(word):
    assert help_of(word) == set()


@pytest.mark.parametrize("words", [["ask", "--help"], ["eval", "--help"], ["artifacts", "export", "--help"]])
def test_the_help_of_a_command_loads_only_what_typer_itself_checks_options_with(words):
    assert help_of(*words) <= {"pydantic"}


def test_the_runtime_loads_no_sdk_of_a_backend_that_is_not_used():
    # Not among them: redis, which pybreaker imports by itself.
    unused = {"openai", "boto3", "botocore", "fastapi", "uvicorn", "psycopg", "httpx", "rich"}
    assert modules_after("import reach.runtime") & unused == set()


def test_every_public_name_is_there_and_an_unknown_one_is_an_attribute_error():
    import reach

    assert {name for name in reach.__all__ if getattr(reach, name, None) is None} == set()
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = reach.no_such_name
