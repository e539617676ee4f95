"""`seetopic serve`: what it says, how it ends, and what it refuses with one sentence."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from seetopic import Index
from seetopic.cli import main
from seetopic.web.serve import Address, _signals_held_back, kept_token
from waiting import until

from .served import commanded


def refused(*arguments: str, cwd: Path) -> str:
    """The one line of a command that is refused."""
    given = ["seetopic", "serve", "--no-browser", "--port", "0", "--data", str(cwd / "data"), *arguments]
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(said):
        patch.setattr(sys, "argv", given)
        patch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 2
    assert said.getvalue().startswith("seetopic: ")
    assert said.getvalue().count("\n") == 1
    return said.getvalue()


@pytest.mark.slow
def test_it_says_where_it_is_and_ends_with_ctrl_c_and_nothing_stays(folder: Path, cache: Path, tmp_path: Path) -> None:
    arguments = ("--cache", str(cache), "--jobs", "1", "--text-field", "review", str(folder / "reviews.csv"))
    with commanded(tmp_path / "data", *arguments, anew=True) as served:
        assert served.url.startswith("http://127.0.0.1:")
        with served.client() as client:
            corpora = client.get("/api/corpora").json()
            assert [each["title"] for each in corpora] == ["reviews.csv"]
            until(lambda: client.get("/api/corpora").json()[0]["state"] in ("indexing", "ready"))
        children = psutil.Process(served.process.pid).children(recursive=True)
        assert children  # it indexes
        code, said = served.interrupt()
        assert (code, said.strip().count("\n")) == (130, 0), said
        _, alive = psutil.wait_procs(children, timeout=10)
        assert not alive


@pytest.mark.slow
def test_it_ends_cleanly_at_once_after_its_start_and_when_told_to_terminate(tmp_path: Path) -> None:
    for how in (signal.SIGINT, signal.SIGTERM):
        with commanded(tmp_path / "data", anew=True) as served:  # it is still importing
            served.process.send_signal(how)
            _, said = served.process.communicate(timeout=20)
            assert "Traceback" not in said
            assert served.process.returncode in (130, 128 + signal.SIGTERM, 0)


def test_an_interrupt_comes_when_everything_is_imported() -> None:
    imported = []

    def interrupted() -> None:
        with _signals_held_back():
            signal.raise_signal(signal.SIGINT)
            imported.append("all")

    ignored = signal.signal(signal.SIGINT, signal.default_int_handler)  # as it is if tests run in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        signal.signal(signal.SIGINT, ignored)
    assert imported == ["all"]


@pytest.mark.slow
def test_only_one_workbench_runs_on_a_folder_and_its_token_stays_the_same(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with commanded(data) as served:
        assert "another workbench is already using" in refused(cwd=tmp_path)
        assert httpx.get(f"{served.url}/api/workbench", trust_env=False, timeout=60).status_code == 401
        token = served.token
        assert stat.S_IMODE((data / "token").stat().st_mode) == 0o600
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        served.process.kill()
    with commanded(data) as served:  # a lock does not outlive its owner
        assert served.token == token


def test_what_cannot_be_served_is_refused_with_one_sentence(folder: Path, tmp_path: Path) -> None:
    assert "--folder nowhere is not a folder" in refused("--folder", "nowhere", cwd=tmp_path)
    assert "does not exist" in refused("nothing.csv", cwd=tmp_path)
    assert "16 to 200" in refused("--token", "short-ish", cwd=tmp_path)
    assert "not a host name" in refused("--allow-host", "http://example.org/", cwd=tmp_path)
    for name, change in (("old", {"format": 1}), ("damaged", {"files": {}})):
        shutil.copytree(folder / "planted", tmp_path / name)
        manifest = json.loads((tmp_path / name / "manifest.json").read_text()) | change
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest))
    assert "has index format 1" in refused("old", cwd=tmp_path)
    assert "is damaged" in refused("damaged", cwd=tmp_path)


def test_a_port_that_is_taken_and_a_place_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("--port", str(taken.getsockname()[1]), cwd=tmp_path)
        assert "cannot listen on 127.0.0.1" in said
    (tmp_path / "file").write_text("")
    assert "cannot write" in refused("--data", str(tmp_path / "file" / "data"), cwd=tmp_path)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    without = (
        "import sys; sys.modules['fastapi'] = None; from seetopic.cli import main; sys.argv[1:] = ['serve']; main()"
    )
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'seetopic: the workbench needs an extra: pip install "seetopic[web]"\n'


def test_a_server_of_documents_without_columns_does_not_load_what_trends_need(index: Index, tmp_path: Path) -> None:
    warm = (
        "import sys; from pathlib import Path; from seetopic.web.limits import WorkbenchSettings;"
        "from seetopic.web.sources import BuildOptions; from seetopic.web.workbench import Workbench;"
        "bench = Workbench(WorkbenchSettings(data=Path('data'))); "
        "bench.corpora.add_given(Path(sys.argv[1]), BuildOptions()); bench.warm(); bench.close();"
        "print(*sorted({'pandas', 'pyarrow', 'scipy.stats', 'torch'} & sys.modules.keys()))"
    )
    asked = [sys.executable, "-c", warm, str(index.folder.resolve())]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_a_token_that_a_crash_left_half_written_is_made_anew(tmp_path: Path) -> None:
    for half in ("", "abc", "é" * 20, "x\ny" * 20):
        (tmp_path / "token").write_text(half, encoding="utf-8")
        made = kept_token(tmp_path)
        assert len(made) >= 32
        assert kept_token(tmp_path) == made
        assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.0.0.2", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("example.org", False),
    ],
)
def test_only_loopback_is_trusted(host: str, loopback: bool) -> None:
    assert Address(host=host).is_loopback is loopback


@pytest.mark.slow
def test_elsewhere_than_on_loopback_the_link_holds_the_token_and_no_folder_is_open(tmp_path: Path) -> None:
    with commanded(tmp_path / "data", "--host", "0.0.0.0", SEETOPIC_TOKEN="a-token-of-my-own") as served:
        port = served.url.rpartition(":")[2]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            assert client.get("/api/workbench").status_code == 401
            client.headers["x-seetopic-token"] = "a-token-of-my-own"
            assert client.get("/api/workbench").json()["folder"] is None
