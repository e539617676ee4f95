"""The workbench's HTTP API as a page: whatever its OpenAPI document says, and nothing else."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from seetopic.web.app import openapi_document


class HttpReference(SphinxDirective):
    """Every route by its kind, then every type that they take and give."""

    def run(self) -> list[nodes.Node]:
        document = openapi_document()
        lines = [*_routes(document["paths"]), *_types(document["components"]["schemas"])]
        holder = nodes.section()
        holder.document = self.state.document
        self.state.nested_parse(StringList(lines, "openapi"), 0, holder, match_titles=True)
        return holder.children


def _routes(paths: dict[str, Any]) -> list[str]:
    by_tag: dict[str, list[str]] = {}
    for path, methods in paths.items():
        for method, route in methods.items():
            by_tag.setdefault(route["tags"][0], []).extend(_route(method, path, route))
    return [line for tag, routes in by_tag.items() for line in (*_title(tag.capitalize(), "-"), *routes)]


def _route(method: str, path: str, route: dict[str, Any]) -> list[str]:
    told = [" ".join(route["description"].split())]
    asked = [each["name"] for each in route.get("parameters", ()) if each["in"] == "query"]
    told += [f"Query: {', '.join(f'`{name}`' for name in asked)}."] if asked else []
    body = _named(route.get("requestBody", {}).get("content", {}))
    told += [f"Takes `{body}`."] if body else []
    given = next((_named(answer.get("content", {})) for code, answer in route["responses"].items() if code < "3"), "")
    told += [f"Gives `{given}`."] if given else []
    return [f"``{method.upper()} {path}``", f"   {' '.join(told)}", ""]


def _named(content: dict[str, Any]) -> str:
    """What a body holds, in one word."""
    kind, about = next(iter(content.items()), ("", {}))
    schema = about.get("schema", {})
    items = schema.get("items", {})
    if "$ref" in items:
        return f"a list of {_last(items)}"
    return _last(schema) if "$ref" in schema else "" if kind == "application/json" else kind


def _types(schemas: dict[str, Any]) -> list[str]:
    lines = _title("Types", "-")
    for name, schema in sorted(schemas.items()):
        fields = [f"`{field}`: {_kind(about)}" for field, about in schema.get("properties", {}).items()]
        about = " ".join(schema.get("description", "").split())
        lines += [f"``{name}``", f"   {about} {'; '.join(fields)}".rstrip(), ""]
    return lines


def _kind(about: dict[str, Any]) -> str:
    """A field's type as a person would say it."""
    if "$ref" in about:
        return _last(about)
    either = about.get("anyOf") or about.get("oneOf")
    if either:
        return " or ".join(_kind(each) for each in either)
    if "const" in about or "enum" in about:
        return " or ".join(f'"{value}"' for value in about.get("enum", [about.get("const")]))
    if about.get("type") == "array" and "items" in about:
        return f"list of {_kind(about['items'])}"
    return str(about.get("type", "any"))


def _last(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _title(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("http-reference", HttpReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
