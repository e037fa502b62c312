"""The values behind the names of `credentials`.

Rule: a secret is read when an agent is loaded, goes to the adapter that needs it, and is never shown: an error names
the variable or the file, not what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reach.errors import ConfigError
from reach.spec import CredentialSpec


def secret_of(name: str, spec: CredentialSpec, root: Path, environment: Mapping[str, str]) -> str:
    """The secret of the credential `name`. A relative file is relative to `root`; white space at its end is dropped.

    Raises ConfigError where the variable is not set or empty, or the file can't be read or is empty.
    """
    if spec.env is not None:
        secret = environment.get(spec.env, "")
        where = f"the environment variable {spec.env} is not set"
    else:
        path = root / (spec.file or "")
        where = f"the file {path} is empty"
        try:
            secret = path.read_text("utf-8").rstrip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"credential '{name}': the file {path} can't be read ({type(error).__name__})."
            ) from error
    if not secret:
        raise ConfigError(f"credential '{name}': {where}.", hint="Set it before Reach is started.")
    return secret
