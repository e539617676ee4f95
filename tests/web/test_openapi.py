"""The HTTP API does what its OpenAPI document says: fuzzed by that document, and every answer held against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from planted import NAMES
from seetopic.web.app import ROUTERS, openapi_document
from waiting import until

from .served import Served

schema = schemathesis.pytest.from_fixture("api")  # thinks of requests in the test, not wherever tests are collected
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document()


@pytest.fixture
def api(document: dict[str, Any], request: pytest.FixtureRequest) -> Any:
    request.node._nodeid = request.node.nodeid  # Schemathesis looks for it there, where pytest 9.2 has it no more
    return schemathesis.openapi.from_dict(document)


@dataclass
class Ids:
    """Real ones, so that requests get further than to the first door."""

    server: Served
    client: httpx.Client
    session: requests.Session  # one connection for all: to open one takes as long as to ask
    found: dict[str, str] = field(default_factory=dict)
    operation: str = ""

    def into(self, case: schemathesis.Case, number: int) -> None:
        """Most requests ask for what is there, some for what is not."""
        if case.operation.label != self.operation:
            self.make()
            self.operation = case.operation.label
        if number % 4:
            for name, value in self.found.items():
                if name in case.path_parameters:
                    case.path_parameters[name] = value
        body = case.body if isinstance(case.body, dict) else {}
        if isinstance(body.get("corpus"), str) and number % 4:
            body["corpus"] = self.found["corpus"]
        if isinstance(body.get("source"), dict) and body["source"].get("kind") == "demo":  # minutes of work
            body["source"] = {"kind": "index", "path": "planted"}

    def make(self) -> None:
        """Once, and anew after an operation that removed some of it."""
        gone = self.operation.startswith("DELETE") and any(
            self.client.get(each).status_code != 200 for each in _addresses(self.found)
        )
        if gone or not self.found:
            self.found.update(_made(self.client, self.server))

    def end_slow_work(self) -> None:
        bench = self.server.workbench
        for jobs in (bench.building, bench.working, bench.tabling):
            for key in list(jobs._running):
                jobs.stop(key)


@pytest.fixture
def ids(client: httpx.Client, server: Served) -> Iterator[Ids]:
    with requests.Session() as session:
        session.trust_env = False
        yield Ids(server, client, session)


def _addresses(made: dict[str, str]) -> list[str]:
    places = ["projects/{project}", "rounds/{round}", "comparisons/{comparison}", "annotate/{secret}"]
    places.append("projects/{project}/tables/{table}")
    return [f"/api/{place.format(**made)}" for place in places]


def _made(client: httpx.Client, server: Served) -> dict[str, str]:
    source = {"kind": "index", "path": "planted"}
    corpus = client.post("/api/corpora", json={"source": source}).json()["id"]  # it may get any title
    project = client.post("/api/projects", json={"corpus": corpus, "names": NAMES}).json()["id"]
    here = f"/api/projects/{project}"
    edit = {"kind": "pin", "category": "c1", "term": "referee"}
    assert client.post(f"{here}/edits", json={"base": 1, "by": "Ann", "edit": edit}).status_code == 200
    now, before = {"kind": "project", "id": project}, {"kind": "version", "number": 1}
    judged = client.post(f"{here}/rounds", json={"title": "x", "sources": [now]}).json()["id"]
    until(lambda: client.get(f"/api/rounds/{judged}").json()["state"] == "ready")
    annotator = client.post(f"/api/rounds/{judged}/annotators", json={"name": "Ann"}).json()
    compared = client.post(f"{here}/comparisons", json={"left": now, "right": before}).json()["id"]
    table = client.post(f"{here}/tables", json={}).json()["id"]
    until(lambda: client.get(f"{here}/tables/{table}").json()["state"] == "ready")
    return {
        "project": project,
        "table": table,
        "corpus": corpus,
        "category": "c1",
        "round": judged,
        "annotator": annotator["id"],
        "secret": annotator["link"].rpartition("/")[2],
        "comparison": compared,
        "number": "0",
        "name": "bars",
        "format": "json",
    }


COUNT = iter(range(10**9))


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_as_the_document_says(case: schemathesis.Case, ids: Ids) -> None:
    ids.into(case, next(COUNT))
    token = {"x-seetopic-token": ids.server.token}
    answer = case.call(base_url=ids.server.url, headers=token, session=ids.session)
    ids.end_slow_work()
    case.validate_response(answer, checks=CHECKS)


def test_the_document_describes_every_route_and_no_other(document: dict[str, Any]) -> None:
    routes = {
        (route.path, method.lower())
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    described = {(path, method) for path, operations in document["paths"].items() for method in operations}
    assert described == routes
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation.get("description") or operation.get("summary"), (method, path)


def test_the_document_is_served_as_it_is(client: httpx.Client, document: dict[str, Any]) -> None:
    assert client.get("/api/openapi.json").json() == document


def test_what_goes_wrong_looks_the_same_everywhere(document: dict[str, Any]) -> None:
    problem: dict[str, Any] = document["components"]["schemas"]["Problem"]
    assert {"problem", "kind"} <= set(problem["required"])
    for operations in document["paths"].values():
        for operation in operations.values():
            wrong = {status: answer for status, answer in operation["responses"].items() if status.startswith("4")}
            assert {"401", "403", "404", "422"} <= set(wrong)
            for answer in wrong.values():
                assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Problem"}
