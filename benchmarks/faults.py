"""Fault injection, many times over: kills at random moments, full disks, damaged files, hostile clients.

    python benchmarks/faults.py NUMBER [--only PART] [--seed 0] [--out benchmarks/results/faults.json]

Every command is killed (SIGKILL) NUMBER times, at a random moment within the time that it has just taken, and run
again: its result must be byte for byte that of a run without faults. It is also run NUMBER times with a random limit
on file sizes and, if this user may mount one, on a disk that is too small; then again with enough room.

Files are damaged NUMBER times for each kind: of an index, of an interrupted build, of the vector cache, of a sorter,
of the workbench's database; and an index is truncated NUMBER times during a `discover`. The command that reads the
file must refuse it with one line, or give the same result. Every command runs in its own process.

A workbench (`seetopic serve`) gets 20 times NUMBER hostile requests of each kind, see `hostile.py`. It must refuse
all of them, keep answering others, and have the same projects, corpora and files afterwards.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from planted import TOPICS, Model
from seetopic.version import __version__

RESULT = Path(__file__).parent / "results" / "faults.json"
DOCUMENTS, MORE, FEW = 600, 150, 60
_GONE = 20  # seconds within which the workers of a killed command must end
_TOLD = 20  # unexpected outcomes that are reported in full
_LIMIT = 300  # seconds after which a command is considered to hang
_BUILDING = Path(".index.building")
_REQUESTS = 20  # hostile ones per kill, since they are quick
_SECONDS = re.compile(rb'"seconds": [0-9.e-]+')  # how long a method took, in the results of `compare`


@dataclass(frozen=True)
class Command:
    """A command of the program, run in its own folder, and where its result is."""

    arguments: tuple[str, ...]
    result: str
    needs: tuple[str, ...] = ()  # results of earlier commands that it requires
    keeps: tuple[str, ...] = (".building", ".parts", ".new")  # name endings of its partial results
    steps: int = 1  # files of its result, if each is saved as soon as it is complete

    def begin(self, folder: Path, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "seetopic", *self.arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def run(self, folder: Path, **options: Any) -> tuple[int, str]:
        """The exit code, and the text on standard error."""
        with self.begin(folder, **options) as process:
            try:
                _, said = process.communicate(timeout=_LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                return -1, f"it took more than {_LIMIT} seconds"
        return process.returncode, said

    def found(self, folder: Path) -> str | None:
        """The digest of the result, if it exists."""
        path = folder / self.result
        return digest(path) if path.exists() else None

    def left(self, folder: Path) -> bool:
        """Whether it has left partial results to resume from."""
        hidden = any(path.name.startswith(".") and path.name.endswith(self.keeps) for path in folder.rglob("*"))
        return hidden or 0 < len(list((folder / self.result).glob("*.json"))) < self.steps


_COMMON = ("--cache", "cache", "--quiet")
COMMANDS = {
    "index": Command(("index", "docs.jsonl", "--out", "index", "--jobs", "2", *_COMMON), "index", ("cache",)),
    "index, nothing cached": Command(
        ("index", "few.jsonl", "--min-count", "2", "--out", "few", "--jobs", "1", *_COMMON), "few"
    ),
    "update": Command(("update", "index", "--add", "more.jsonl", "--jobs", "1", *_COMMON), "index", ("cache", "index")),
    "discover": Command(
        ("discover", "index", "--seeds", "names.txt", "--out", "topics", *_COMMON),
        "topics",
        ("cache", "index"),
    ),
    "assign": Command(
        ("assign", "docs.jsonl", "--topics", "topics", "--out", "sorted.csv", "--jobs", "1", "--quiet"),
        "sorted.csv",
        ("topics",),
    ),
    "export": Command(("export", "topics", "--out", "topics.yml"), "topics.yml", ("topics",)),
    "annotate": Command(("annotate", "topics", "--out", "sheets/sheet.csv"), "sheets", ("topics",)),
    "compare": Command(
        ("compare", "docs.jsonl", "--seeds", "names.txt", "--methods", "default,plm", "--out", "compared", *_COMMON),
        "compared",
        ("cache",),
        steps=2,
    ),
}


def digest(path: Path) -> str:
    """A digest of the names and contents of a file or of all files in a folder, without recorded durations."""
    found = hashlib.sha256()
    for file in sorted(each for each in [path, *path.rglob("*")] if each.is_file()):
        found.update(f"{file.relative_to(path).as_posix()}\n".encode())
        data = file.read_bytes()
        found.update(hashlib.sha256(_SECONDS.sub(b"", data) if file.suffix == ".json" else data).digest())
    return found.hexdigest()


@dataclass
class Campaign:
    """The trials to repeat, and their outcomes."""

    work: Path
    chance: random.Random
    expected: dict[str, str] = field(default_factory=dict)  # the digest of each command's result
    told: list[str] = field(default_factory=list)

    @property
    def stand(self) -> Path:
        return self.work / "stand"

    def prepare(self) -> None:
        """Every command once, without faults."""
        self.stand.mkdir()
        lines = list(Model().lines(0, DOCUMENTS + MORE + FEW))
        parts = {"docs": lines[:DOCUMENTS], "more": lines[DOCUMENTS : DOCUMENTS + MORE], "few": lines[-FEW:]}
        for name, own in parts.items():
            (self.stand / f"{name}.jsonl").write_text("".join(own), encoding="utf-8")
        (self.stand / "names.txt").write_text("".join(f"{name}\n" for name in list(TOPICS)[:5]), encoding="utf-8")
        for _ in range(2):  # vectors are computed first and cached then, which must not matter
            for name, command in COMMANDS.items():
                with self.folder(*(command.needs if self.expected.get(name) else ("*",))) as folder:
                    code, said = command.run(folder)
                    made = command.found(folder)
                    if code or made is None or self.expected.get(name, made) != made:
                        raise SystemExit(f"{name} failed without any fault: {said}")
                    self.expected[name] = made
                    for kept in {command.result, "cache"} - ({"index"} if name == "update" else set()):
                        if (folder / kept).exists() and not (self.stand / kept).exists():
                            shutil.move(folder / kept, self.stand / kept)

    @contextmanager
    def folder(self, *needs: str, at: Path | None = None) -> Iterator[Path]:
        """A folder with the documents, and with what a command needs."""
        with tempfile.TemporaryDirectory(dir=at or self.work) as name:
            made = {"cache", *(command.result for command in COMMANDS.values())}
            for path in self.stand.iterdir():
                if path.name in made and path.name not in needs and "*" not in needs:
                    continue  # an existing result would hide that a command has not made it
                if path.is_dir():
                    shutil.copytree(path, Path(name) / path.name)
                else:
                    shutil.copy(path, name)
            yield Path(name)

    def outcome(self, name: str, folder: Path, what: str, **options: Any) -> str:
        """Run the command, and judge the outcome."""
        code, said = COMMANDS[name].run(folder, **options)
        is_sentence = code == 2 and "Traceback" not in said and len(said.strip().splitlines()) == 1
        if code == 0:
            judged = "same" if COMMANDS[name].found(folder) == self.expected[name] else "silently different"
        else:
            judged = "refused" if is_sentence else "crashed"
        if judged in ("silently different", "crashed"):
            self.tell(f"{name}, {what}: {judged}, exit code {code}: {said.strip()[-300:]}")
        return judged

    def moment(self, name: str, least: float = 0) -> float:
        """A random moment of a command, in seconds. It is timed just before, since the machine's speed varies."""
        command = COMMANDS[name]
        with self.folder(*command.needs) as folder:
            began = time.perf_counter()
            command.run(folder)
            return self.chance.uniform(least, 1) * (time.perf_counter() - began)

    def tell(self, sentence: str) -> None:
        print(sentence, file=sys.stderr)
        self.told.append(sentence)

    # Kills

    def kill(self, name: str) -> Counter[str]:
        """Kill a command at a random moment, and run it again."""
        command, moment = COMMANDS[name], self.moment(name)
        with self.folder(*command.needs) as folder:
            with command.begin(folder) as process:
                time.sleep(moment)
                workers = children(process.pid)
                process.kill()
                _, alive = psutil.wait_procs(workers, timeout=_GONE)
                for each in alive:
                    each.kill()
            done = command.found(folder) == self.expected[name] and not command.left(folder)
            kind = "had finished" if done else "resumed" if command.left(folder) else "restarted"
            what = f"killed after {moment:.2f} s ({kind})"
            judged = self.outcome(name, folder, what)
            right = command.found(folder) == self.expected[name] and judged in ("same", "refused")
            if not right or alive:
                self.tell(f"{name}, {what}: {judged}, wrong={not right}, {len(alive)} workers left")
            return Counter({"tried": 1, kind: 1, "wrong": int(not right), "workers left": len(alive)})

    # Full disks

    def fill(self, name: str, disk: Path | None) -> Counter[str]:
        """Run a command without enough room for its output, then again with enough."""
        command = COMMANDS[name]
        with self.folder(*command.needs, at=disk) as folder:
            if disk is None:
                largest = max(path.stat().st_size for path in self.stand.rglob("*") if path.is_file())
                room = int(largest ** self.chance.uniform(0.3, 1.0))
                limit = {
                    "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
                }
                judged = self.outcome(name, folder, f"files of at most {room} bytes", **limit)
            else:
                taken = shutil.disk_usage(disk).used
                room = int(8e6 ** self.chance.uniform(0.5, 1.0))
                resize(disk, taken + room)
                judged = self.outcome(name, folder, f"a disk with {room} bytes left")
                resize(disk, taken + (1 << 30))
            again = "same" if command.found(folder) == self.expected[name] else self.outcome(name, folder, "with room")
            wrong = again not in ("same", "refused") or command.found(folder) != self.expected[name]
            if wrong:
                self.tell(f"{name}, given again with room: {again}")
        return Counter({"tried": 1, judged: 1, "wrong": int(wrong)})

    # Damage

    def mutate(self, name: str, needs: tuple[str, ...], files: Callable[[Path], list[Path]]) -> str:
        """Damage a random file, and run the command that reads it."""
        with self.folder(*needs) as folder:
            chosen = self.chance.choice(files(folder))
            how = damage(chosen, self.chance)
            return self.outcome(name, folder, f"{how} in {chosen.relative_to(folder)}")

    def mutate_build(self) -> str:
        """Interrupt a build, damage its partial results, and resume it."""
        command = COMMANDS["index"]
        while True:
            moment = self.moment("index", 0.3)
            with self.folder(*command.needs) as folder:
                with command.begin(folder) as process:
                    time.sleep(moment)
                    process.kill()
                left = [path for path in (folder / _BUILDING).rglob("*") if path.is_file()]
                if left and not (folder / "index").exists():
                    chosen = self.chance.choice(left)
                    how = damage(chosen, self.chance)
                    return self.outcome("index", folder, f"{how} in {chosen.relative_to(folder)}")

    def cut_off(self) -> str:
        """Truncate a file of an index while topics are discovered in it."""
        command, moment = COMMANDS["discover"], self.moment("discover")
        with self.folder(*command.needs) as folder:
            chosen = self.chance.choice(sorted((folder / "index").iterdir()))
            with command.begin(folder) as process:
                time.sleep(moment)
                os.truncate(chosen, self.chance.randrange(chosen.stat().st_size))
                _, said = process.communicate(timeout=_LIMIT)
            if process.returncode == 0:
                return "same" if command.found(folder) == self.expected["discover"] else "silently different"
            if process.returncode == 2 and "Traceback" not in said:
                return "refused"
            self.tell(f"discover, {chosen.name} cut off meanwhile: exit code {process.returncode}: {said[-300:]}")
            return "crashed"

    def mutate_database(self, path: Path, whole: bytes, expected: list[Any]) -> str:
        """Damage the workbench's database, and open it as its server does."""
        from seetopic.errors import SeeTopicError
        from seetopic.web.database import Database

        for old in path.parent.glob(f"{path.name}*"):
            old.unlink()
        path.write_bytes(whole)
        how = damage(path, self.chance, lose=False)
        try:
            database = Database(path)
            found = all_rows(database)
            database.close()
        except SeeTopicError:
            return "refused"
        except Exception as error:
            self.tell(f"database, {how}: {error!r}")
            return "crashed"
        return "same" if found == expected else "silently different"


def children(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def damage(path: Path, chance: random.Random, *, lose: bool = True) -> str:
    """Damage a file the way disks and programs do; returns a description."""
    data = bytearray(path.read_bytes())
    ways = ["a flipped bit", "zeros", "noise", "the end cut off", "a part twice", *(["lost"] if lose else [])]
    how = chance.choice(ways) if data else "lost"
    at = chance.randrange(len(data)) if data else 0
    size = chance.randrange(1, 65)
    path.unlink()
    if how == "lost":
        return how
    if how == "a flipped bit":
        data[at] ^= 1 << chance.randrange(8)
    elif how == "zeros":
        data[at : at + size] = bytes(len(data[at : at + size]))
    elif how == "noise":
        data[at : at + size] = chance.randbytes(len(data[at : at + size]))
    elif how == "a part twice":
        data[at:at] = data[at : at + size]
    else:
        del data[at:]
    path.write_bytes(data)
    return how


def resize(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


@contextmanager
def small_disk(work: Path) -> Iterator[Path | None]:
    """A separate disk, if this user may mount one."""
    disk = work / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    try:
        yield disk if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(disk)], check=True)


def made_database(path: Path) -> tuple[bytes, list[Any]]:
    """A workbench's database after some use: its bytes and its contents."""
    from seetopic.web.database import Database

    database = Database(path)
    database.insert("corpora", id="c", title="t", source="s", options="", folder="", own=0, state="ready", created=0)
    database.insert("projects", id="p", corpus="c", version=1, created=0)
    for number in range(200):
        values = {"names": f"names {number}", "label": "add", "person": "Ann", "made": number / 7}
        database.insert("entries", project="p", number=number, **values)
    expected = all_rows(database)
    database.close()
    return path.read_bytes(), expected


def all_rows(database: Any) -> list[Any]:
    return [sorted(map(tuple, database.all(f"SELECT * FROM {table}"))) for table in ("corpora", "projects", "entries")]


def files_in(*names: str) -> Callable[[Path], list[Path]]:
    return lambda folder: sorted(path for name in names for path in (folder / name).rglob("*") if path.is_file())


def kills(campaign: Campaign, number: int) -> dict[str, Any]:
    found = {each: total(number, lambda each=each: campaign.kill(each)) for each in COMMANDS}
    return {"all": summed(found, {"wrong": 0}), **found}


def full_disks(campaign: Campaign, number: int) -> dict[str, Any]:
    def filled(disk: Path | None) -> dict[str, dict[str, int]]:
        return {each: total(number, lambda each=each: campaign.fill(each, disk)) for each in COMMANDS}

    found = {"limit on the size of files": filled(None)}
    with small_disk(campaign.work) as disk:
        if disk is not None:
            found["small disk"] = filled(disk)
    each = {f"{how}, {name}": counts for how, of_commands in found.items() for name, counts in of_commands.items()}
    return {"all": summed(each, {"crashed": 0, "silently different": 0, "wrong": 0}), **found}


def mutations(campaign: Campaign, number: int) -> dict[str, Any]:
    path = campaign.work / "workbench.sqlite"
    whole, expected = made_database(path)
    kinds: dict[str, Callable[[], str]] = {
        "index": lambda: campaign.mutate("discover", ("cache", "index"), files_in("index")),
        "interrupted build": campaign.mutate_build,
        "vector cache": lambda: campaign.mutate("index", ("cache",), files_in("cache/vectors")),
        "sorter": lambda: campaign.mutate("assign", ("topics",), lambda top: [top / "topics/sorter.safetensors"]),
        "index, under a running discover": campaign.cut_off,
        "workbench's database": lambda: campaign.mutate_database(path, whole, expected),
    }
    found = {kind: total(number, lambda work=work: Counter({"tried": 1, work(): 1})) for kind, work in kinds.items()}
    return {"all": summed(found, {"crashed": 0, "silently different": 0}), **found}


def hostile_requests(campaign: Campaign, number: int) -> dict[str, Any]:
    from hostile import attacked

    with campaign.folder("index") as folder:
        found = attacked(_REQUESTS * number, folder, folder / "index", campaign.chance, campaign.tell)
    return {"all": summed(found, {"answered 5xx": 0, "let in": 0, "unanswered": 0}), **found}


PARTS = {"kills": kills, "hostile requests": hostile_requests, "mutations": mutations, "full disks": full_disks}


def measured(number: int, seed: int, parts: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each part as soon as it is done, since all of them take long."""
    with tempfile.TemporaryDirectory() as name:
        campaign = Campaign(Path(name), random.Random(seed))
        campaign.prepare()
        for part in parts:
            campaign.told.clear()
            about = {"version": __version__, "number": number, "seed": seed}
            yield part, {**about, **PARTS[part](campaign, number), "told": campaign.told[:_TOLD]}


def total(number: int, work: Callable[[], Counter[str]]) -> dict[str, int]:
    """The outcomes of repeating a trial a number of times."""
    found: Counter[str] = Counter()
    for _ in range(number):
        found.update(work())
    return dict(found)


def summed(parts: dict[str, dict[str, int]], zeros: dict[str, int]) -> dict[str, int]:
    found = Counter(zeros)
    for each in parts.values():
        found.update(each)
    return {name: found[name] for name in ["tried", *sorted(set(found) - {"tried"})]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--only", choices=PARTS, help="repeat this part, and keep the others' results")
    given = parser.parse_args()
    results = json.loads(given.out.read_text(encoding="utf-8")) if given.only and given.out.exists() else {}
    for part, found in measured(given.number, given.seed, [given.only] if given.only else list(PARTS)):
        results[part] = found
        given.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        print(part, json.dumps(found["all"], indent=1))
