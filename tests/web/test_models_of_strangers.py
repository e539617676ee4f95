"""Language models that somebody else names: the server fetches none, and no code of a model's folder is run."""

from __future__ import annotations

import http.server
import json
import pickle
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from commands import run_here
from seetopic import Index
from seetopic.errors import EncoderError
from seetopic.runtime.progress import silent
from seetopic.vectors.encoder import encoder_for
from seetopic.vectors.encoder.minilm import embedded_folder

from .served import commanded


@contextmanager
def hub() -> Iterator[tuple[str, list[str]]]:
    """Where models would be fetched from; what it is asked for."""
    asked: list[str] = []

    class Hub(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.path} {self.headers.get('authorization')}")
            self.send_error(404)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *values: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def with_model(index: Index, folder: Path, kind: str = "model", **model: Any) -> Path:
    """A copy of an index whose manifest names another model or reader."""
    shutil.copytree(index.folder, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest[kind] = manifest["model"] | model
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.mark.slow
def test_a_server_asks_nobody_for_the_model_that_an_index_names(index: Index, cache: Path, tmp_path: Path) -> None:
    root = tmp_path / "files"
    root.mkdir()
    with_model(index, root / "crafted", name="somebody/model")
    with_model(index, root / "crafted-too", "reader", name="somebody/model")
    with_model(index, root / "honest")
    arguments = ("--folder", str(root), "--cache", str(cache))
    with hub() as (address, asked):
        secret = {"HF_ENDPOINT": address, "HF_TOKEN": "hf_secret", "HF_HOME": str(tmp_path)}
        with commanded(tmp_path / "data", *arguments, **secret) as served, served.client() as client:
            source = {"kind": "index", "path": "honest"}
            opened = client.post("/api/corpora", json={"source": source}).json()["id"]
            with_model(index, root / "later", name="somebody/model")
            shutil.rmtree(root / "honest")
            (root / "later").rename(root / "honest")  # it changed after it was registered
            for path in ("crafted", "crafted-too", "honest"):
                answer = client.post("/api/corpora", json={"source": {"kind": "index", "path": path}})
                assert answer.status_code == 403, answer.text
                assert "'somebody/model' is not offered by this server" in answer.json()["problem"]
            project = client.post("/api/projects", json={"corpus": opened, "names": ["sport", "a name of no term"]})
            assert client.get(f"/api/projects/{project.json()['id']}/topics").json()["topics"]
        assert asked == []


@pytest.mark.slow
def test_a_model_that_the_command_names_is_used(index: Index, cache: Path, tmp_path: Path) -> None:
    made = with_model(index, tmp_path / "crafted", name=str(tmp_path / "link"))
    (tmp_path / "link").symlink_to(embedded_folder())
    arguments = ("--cache", str(cache), "--model", str(embedded_folder()), str(made))
    with commanded(tmp_path / "data", *arguments) as served, served.client() as client:
        assert client.get("/api/corpora").json()[0]["state"] == "ready"


@pytest.fixture
def sentence_model(tmp_path: Path) -> Path:
    return Path(shutil.copytree(embedded_folder(), tmp_path / "model"))


def spoilt(folder: Path, **part: Any) -> None:
    """Another last part, whose code lies beside the model and writes a file when it is run."""
    parts = json.loads((folder / "modules.json").read_text())
    parts.append({"idx": len(parts), "name": "evil", "path": "evil", **part})
    (folder / "modules.json").write_text(json.dumps(parts))
    (folder / "evil").mkdir()
    for place in (folder, folder / "evil", folder.parent):
        (place / "evil.py").write_text(
            f"from pathlib import Path\nPath({str(folder.parent / 'ran')!r}).touch()\n"
            "class Evil:\n    @classmethod\n    def load(cls, *values, **named): return cls()\n"
        )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["evil.Evil", "sentence_transformers.models.Router", "os.path.Evil"])
def test_code_of_a_models_folder_is_never_run(sentence_model: Path, kind: str) -> None:
    spoilt(sentence_model, type=kind)
    with pytest.raises(EncoderError, match="which seetopic does not support"):
        encoder_for(str(sentence_model)).encode(["a"], 1, silent)
    assert not (sentence_model.parent / "ran").exists()


def test_a_function_that_a_model_names_is_never_called(sentence_model: Path) -> None:
    spoilt(sentence_model, type="sentence_transformers.models.Dense")
    config = {"in_features": 384, "out_features": 8, "bias": True, "activation_function": "evil.Evil"}
    (sentence_model / "evil" / "config.json").write_text(json.dumps(config))
    with pytest.raises(EncoderError, match="requires the custom code"):
        encoder_for(str(sentence_model)).encode(["a"], 1, silent)


@pytest.mark.slow
def test_the_command_line_neither_runs_nor_asks_about_code_of_a_folder(tmp_path: Path) -> None:
    """Somebody who is asked at the terminal may say yes."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "evil.py").write_text(f"from pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\nEvil = None\n")
    named = {"auto_map": {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil", "AutoTokenizer": ["evil.Evil", None]}}
    (folder / "config.json").write_text(json.dumps({"model_type": "evil", **named}))
    (folder / "tokenizer_config.json").write_text(json.dumps(named))
    (tmp_path / "a.txt").write_text("a few words\n" * 50)
    done = run_here("index", "a.txt", "--model", folder, "--out", "i", cwd=tmp_path, given="y\n" * 9)
    assert done.returncode == 2
    assert "cannot be loaded" in done.stderr
    assert "[y/N]" not in done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()


class Evil:
    def __init__(self, place: str) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return Path.touch, (Path(self.place),)


@pytest.mark.slow
def test_old_weights_run_no_code(sentence_model: Path, tmp_path: Path) -> None:
    (sentence_model / "model.safetensors").unlink()
    (sentence_model / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(str(tmp_path / "ran"))))
    with pytest.raises(EncoderError, match="cannot be loaded"):
        encoder_for(str(sentence_model)).encode(["a"], 1, silent)
    assert not (tmp_path / "ran").exists()
