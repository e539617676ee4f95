"""How one comes in: other users of the machine do not, the printed link works once and leaves no token behind."""

from __future__ import annotations

import http.server
import json
import os
import pwd
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from seetopic.web.limits import WorkbenchSettings
from waiting import until

from .served import TOKEN, Command, commanded, run_serve, serving

# What another user of the machine would run: the page, what it carries, then a file of the server's owner.
STRANGER = """
import encodings.idna, json, os, re, sys, urllib.error, urllib.request
os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
def ask(path, body=None, **headers):
    request = urllib.request.Request(sys.argv[1] + path, None if body is None else json.dumps(body).encode(), headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
status, page = ask("/")
found = re.search('name="seetopic-token" content="([^"]+)"', page)
shown = {"Content-Type": "application/json", "X-Seetopic-Token": found[1] if found else "", "X-Seetopic-Page": "1"}
preview = ask("/api/previews", {"source": {"kind": "file", "path": "secret.csv"}}, **shown)
try:
    open(sys.argv[3]).read()
    kept = "read"
except OSError:
    kept = "refused"
print(json.dumps([status, *preview, ask("/api/corpora")[0], kept]))
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Command]:
    """The real command over a folder of its owner's, whose file nobody else can read."""
    root = tmp_path_factory.mktemp("entry")
    private = root / "private"
    private.mkdir(mode=0o700)
    (private / "secret.csv").write_text("text\nthe secret of the house\n")
    (private / "secret.csv").chmod(0o600)
    with commanded(root / "data", "--folder", str(private), "--cache", str(cache)) as served:
        with served.client() as client:
            until(lambda: client.get("/api/workbench").status_code == 200)
            source = {"kind": "file", "path": "secret.csv"}
            assert "the secret" in client.post("/api/previews", json={"source": source}).text
        yield served


@pytest.mark.slow
def test_another_user_of_the_machine_reads_nothing(command: Command, tmp_path: Path) -> None:
    assert os.geteuid() == 0, "this test takes another user's place, so it must be run by root"
    nobody = str(pwd.getpwnam("nobody").pw_uid)
    token = Path(command.process.args[command.process.args.index("--data") + 1]) / "token"
    asked = [sys.executable, "-c", STRANGER, command.url, nobody, str(token)]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=60, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    page, preview, said, corpora, kept = json.loads(done.stdout)
    assert (page, preview, corpora, kept) == (401, 401, 401, "refused")
    assert "secret of" not in said


@pytest.mark.slow
def test_the_printed_link_becomes_a_session_that_outlives_the_server_but_not_another_token(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with commanded(data) as served, httpx.Client(trust_env=False, follow_redirects=True, timeout=60) as browser:
        page = browser.get(served.link)
        assert (page.status_code, str(page.url)) == (200, f"{served.url}/")
        session = next(iter(browser.cookies.jar)).value
        assert served.token not in (page.text, session)
        assert session not in (data / "sessions").read_text()
        assert stat.S_IMODE((data / "sessions").stat().st_mode) == 0o600
        port = served.url.rpartition(":")[2]
        name = f"seetopic-{port}"
        assert (
            httpx.get(f"{served.url}/api/corpora", cookies={name: session}, trust_env=False, timeout=60).status_code
            == 200
        )
        assert (
            httpx.get(
                f"{served.url}/api/corpora", cookies={name: served.token}, trust_env=False, timeout=60
            ).status_code
            == 401
        )
        served.process.terminate()
        served.process.wait(20)
    again = ("--port", port)
    with commanded(data, *again) as served:
        assert (
            httpx.get(f"{served.url}/api/corpora", cookies={name: session}, trust_env=False, timeout=60).status_code
            == 200
        )
        served.process.terminate()
        served.process.wait(20)
    with commanded(data, *again, SEETOPIC_TOKEN="another-token-of-mine") as served:
        assert (
            httpx.get(f"{served.url}/api/corpora", cookies={name: session}, trust_env=False, timeout=60).status_code
            == 401
        )


@pytest.mark.slow
def test_guesses_are_slowed_down_and_who_is_in_stays_in(tmp_path: Path) -> None:
    settings = WorkbenchSettings(data=tmp_path / "data")
    with serving(settings) as served, httpx.Client(base_url=served.url, trust_env=False, timeout=60) as person:
        person.get("/", params={"token": TOKEN})
        with httpx.Client(base_url=served.url, trust_env=False, timeout=60) as stranger:
            told = [stranger.get("/api/corpora", headers={"x-seetopic-token": f"guess-{n}"}) for n in range(60)]
            statuses = [each.status_code for each in told]
            assert statuses[0] == 401
            assert statuses[-1] == 429
            assert "too many wrong tokens" in told[-1].json()["problem"]
            # Were the right one let in now, all guesses could be made at the same time.
            shown = {"authorization": f"Bearer {TOKEN}"}
            assert stranger.get("/api/corpora", headers=shown).status_code == 429
            assert stranger.get("/", params={"token": TOKEN}).status_code == 429
            assert person.get("/api/corpora").status_code == 200
            until(lambda: stranger.get("/api/corpora", headers=shown).status_code == 200)


@pytest.mark.slow
def test_the_browser_that_is_opened_gets_no_token_that_others_could_see(tmp_path: Path) -> None:
    """The arguments of a process can be read by everybody on a machine."""
    seen = tmp_path / "seen"
    opener = tmp_path / "opener"
    opener.write_text(f'#!/bin/sh\necho "$1" > {seen}.part; mv {seen}.part {seen}\n')
    opener.chmod(0o755)
    process = run_serve(
        "--port", "0", "--data", str(tmp_path / "data"), cwd=tmp_path, browser=True, BROWSER=f"{opener} %s"
    )
    try:
        assert process.stdout is not None
        link = process.stdout.readline().split()[-1]
        until(seen.is_file)
        address = seen.read_text().strip()
        assert address.startswith("file://")
        assert "token" not in address
        page = Path(address.removeprefix("file://"))
        assert f'url={link}"' in page.read_text()
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        process.send_signal(signal.SIGINT)
        process.wait(20)
        assert not page.exists()
    finally:
        process.kill()
        process.communicate(timeout=20)


def test_a_link_that_is_clicked_on_another_site_opens_the_workbench(command: Command, browser: Browser) -> None:
    """As in a mail or a chat on the web: the session comes with it, and nothing of another site's page is done."""
    page = f'<a href="{command.url}/#/">Look at our topics</a>'.encode()

    class Chat(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *values: object) -> None:
            pass

    context = browser.new_context()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Chat) as chat:
        threading.Thread(target=chat.serve_forever, daemon=True).start()
        try:
            shown = context.new_page()
            shown.goto(command.url)
            expect(shown.locator("h1")).to_contain_text("requires a token")
            shown.goto(f"{command.link}#/open")
            assert shown.url == f"{command.url}/#/open"
            shown.goto(f"http://localhost:{chat.server_port}/")
            shown.get_by_text("Look at our topics").click()
            expect(shown.get_by_role("link", name="Open a corpus").first).to_be_visible()
        finally:
            context.close()
            chat.shutdown()
