"""From a file to a validated model.

Rule: all problems of a file are told at once, in the order of the file, and a ConfigError is all that is raised.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from reach.errors import ConfigError, Problem
from reach.registry.document import Document
from reach.registry.wording import problems_of
from reach.registry.yamlfile import MAX_BYTES, read

M = TypeVar("M", bound=BaseModel)


def load_file(path: FilePath | str, model: type[M]) -> M:
    """The file at `path` as a `model`. Raises ConfigError with every problem of the file."""
    return load_document(path, model)[0]


def load_document(path: FilePath | str, model: type[M]) -> tuple[M, Document]:
    """The same, with the document that knows the places. Raises ConfigError with every problem of the file."""
    document, problems = read(read_bytes(path), str(path))
    value, more = validate(document, model)
    problems += more
    if value is None or problems:
        raise ConfigError(in_order(problems))
    return value, document


def read_bytes(path: FilePath | str) -> bytes:
    """The bytes of a file, one more than allowed at most. Raises ConfigError."""
    file = str(path)
    try:
        with open(path, "rb") as stream:  # noqa: PTH123  -- a Path of a name with a NUL byte can't even be opened
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ConfigError([Problem(file, 0, 0, "", "is not a file")])
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError([Problem(file, 0, 0, "", "there is no such file")]) from None
    except IsADirectoryError:
        raise ConfigError([Problem(file, 0, 0, "", "is a folder, not a file")]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError([Problem(file, 0, 0, "", f"could not be read: {reason}")]) from None


def validate(document: Document, model: type[M]) -> tuple[M | None, list[Problem]]:
    """The document's data as a `model`, or None and what is wrong with it."""
    if document.data is None:
        return None, [document.problem((), "the file is empty", "begin with: version: 1")]
    try:
        return model.model_validate(document.data, strict=True), []
    except ValidationError as error:
        errors: list[Any] = error.errors(include_url=False, include_input=False)
        return None, in_order(problems_of(errors, model, document))


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Each problem once, by place; files stay in the order in which they were read."""
    unique = list(dict.fromkeys(problems))
    files = {file: position for position, file in enumerate(dict.fromkeys(problem.file for problem in unique))}
    return sorted(unique, key=lambda p: (files[p.file], p.line, p.column, p.path))
