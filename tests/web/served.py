"""A real server of a workbench on a free loopback port, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from seetopic.web.access import Access
from seetopic.web.app import application
from seetopic.web.connections import server_for
from seetopic.web.limits import ConnectionLimits, WorkbenchSettings
from seetopic.web.serve import Address
from seetopic.web.sources import BuildOptions
from seetopic.web.workbench import Workbench
from waiting import until

from .started import Started, start

TOKEN = "a-token-for-tests"


@dataclass(frozen=True)
class Served:
    """A server that runs; `corpus` is the id of a corpus that is ready, where there is one."""

    url: str
    token: str
    workbench: Workbench
    corpus: str = ""

    def client(self, **more: Any) -> httpx.Client:
        """As a program that knows the token."""
        headers = {"x-seetopic-token": self.token}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, **more)


@contextlib.contextmanager
def serving(
    settings: WorkbenchSettings, *, on_loopback: bool = True, limits: ConnectionLimits | None = None
) -> Iterator[Served]:
    """A server in a thread of this process. With `on_loopback` false it may be called by any name."""
    workbench = Workbench(settings)
    address = Address(port=0)
    access = Access(TOKEN, address.called() if on_loopback else None)
    bound = address.bound()
    server = server_for(application(workbench, access), limits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield Served(f"http://127.0.0.1:{bound.getsockname()[1]}", TOKEN, workbench)
    finally:
        server.should_exit = True
        thread.join(120)
        bound.close()
        assert not thread.is_alive()


class Bench:
    """A workbench without a server, asked as one would be: `owner` has the token, a stranger has not."""

    def __init__(self, settings: WorkbenchSettings, given: Path, options: BuildOptions) -> None:
        self.workbench = Workbench(settings)
        self.corpus = self.workbench.corpora.add_given(given, options).id
        app = application(self.workbench, Access(TOKEN, Address().called()))
        self.owner = TestClient(app, base_url="http://127.0.0.1", headers={"x-seetopic-token": TOKEN})
        self.stranger = TestClient(app, base_url="http://127.0.0.1")


@dataclass
class Command:
    """`seetopic serve` as a process of its own."""

    process: Started | subprocess.Popen[str]
    link: str  # as it is printed, with the token
    token: str

    @property
    def url(self) -> str:
        return self.link.partition("/?")[0]

    def client(self) -> httpx.Client:
        headers = {"x-seetopic-token": self.token}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)

    def interrupt(self) -> tuple[int, str]:
        """Ctrl-C; how it ended, and what it said."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said


def run_serve(
    *arguments: str, cwd: Path, browser: bool = False, anew: bool = False, **environment: str
) -> Started | subprocess.Popen[str]:
    """Start the command; with `anew`, in a new interpreter, which takes as long to start as it does for users."""
    asked = ["serve", *(() if browser else ("--no-browser",)), *arguments]
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    if not anew:
        return start(*asked, cwd=cwd, environment=variables)
    return subprocess.Popen(
        [sys.executable, "-m", "seetopic", *asked],
        cwd=cwd,
        env=variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@contextlib.contextmanager
def commanded(data: Path, *arguments: str, anew: bool = False, **environment: str) -> Iterator[Command]:
    """`seetopic serve` on any free port; it is there when this begins, and gone when this ends."""
    data.parent.mkdir(parents=True, exist_ok=True)
    process = run_serve("--port", "0", "--data", str(data), *arguments, cwd=data.parent, anew=anew, **environment)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert "http://" in first, process.communicate(timeout=120)[1]
        link = first.split()[-1]
        yield Command(process, link, link.rpartition("token=")[2])
    finally:
        try:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)  # as people end it, with whatever is still open
            process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
