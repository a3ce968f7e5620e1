"""The page as its users start it: one process per test worker, on a free port."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the page would put temporary files."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="session")
def address(temporary: Path) -> Iterator[str]:
    """The address of a running page, without its last slash."""
    command = [sys.executable, "-m", "dpratio", "page", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(temporary)},
    ) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        yield found[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 0
