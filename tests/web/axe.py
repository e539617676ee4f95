"""What axe finds wrong with a page."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page, state: str, rules: dict[str, Any] = RULES) -> list[str]:
    """A line for each violation on the page as it is now."""
    page.evaluate("document.getAnimations().forEach(each => each.finish())")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # Only what is wrong: to send all that was looked at takes longer than to look.
    found = page.evaluate(
        "rules => axe.run(rules).then(found => found.violations)", {**rules, "resultTypes": ["violations"]}
    )
    return [f"{state}: {each['id']}: {node['html'][:150]}" for each in found for node in each["nodes"]]
