// Judging terms by mouse or keyboard, with a roving focus over all cards: accept, reject, move, why.

import { h } from "./dom.js";
import { popover } from "./popover.js";

export function judging(grid, { open, announce }, goTo) {
  const rows = (card = grid) => [...card.querySelectorAll(".terms > .term")];
  const cards = () => [...grid.children];
  const mainOf = (row) => row?.querySelector(".term-main");
  const rowOf = (element) => element?.closest?.(".term") ?? null;
  let stop = null; // the row that Tab focuses

  function rove(row) {
    if (stop && stop !== row) mainOf(stop).tabIndex = -1;
    stop = row;
    if (row) mainOf(row).tabIndex = 0;
  }

  function focus(row) {
    if (!row) return;
    rove(row);
    mainOf(row).focus();
  }

  const judgedBy = (row) => ({ term: row.dataset.term, category: row.dataset.category });
  const neighbour = (row) => row.nextElementSibling ?? row.previousElementSibling;
  function judge(row, edit, told) {
    // The judged term may move or disappear, so the keyboard focus moves to the term below it.
    if (row.contains(document.activeElement)) focus(neighbour(row));
    open.edit(edit);
    announce(told);
  }

  const actions = {
    accept(row) {
      const { term, category } = judgedBy(row);
      const undo = row.dataset.state === "pinned";
      judge(row, { kind: undo ? "free" : "pin", category, term }, undo ? `${term} no longer accepted` : `${term} accepted`);
    },
    reject(row) {
      const { term, category } = judgedBy(row);
      if (row.dataset.state === "name") return announce(`${term} is the name itself; change the name instead`);
      judge(row, { kind: "bar", category, term }, `${term} rejected`);
    },
    move(row) {
      const { term, category } = judgedBy(row);
      const others = open.project.categories
        .map((each, at) => ({ ...each, at }))
        .filter((each) => each.id !== category);
      if (!others.length) return announce("There is no other category to move it to");
      const choose = (to) => () => {
        menu.close();
        judge(row, { kind: "shift", term, category, to: to.id }, `${term} moved to ${to.name}`);
      };
      const menu = popover(
        row.querySelector(".term-tools"),
        h(
          "div",
          { class: "menu", role: "menu", "aria-label": `Move ${term} to` },
          h("p", { class: "menu-head" }, `Move “${term}” to`),
          others.map((to) =>
            h(
              "button",
              { type: "button", role: "menuitem", on: { click: choose(to) } },
              h("span", { class: "dot", style: { "--hue": `var(--c${to.at % 10})` } }),
              to.name,
            ),
          ),
        ),
        mainOf(row),
      );
    },
    why(row) {
      rove(row);
      const { term, category } = judgedBy(row);
      goTo(category, "term", term);
    },
  };

  /** The next row: within the card, then in the next card. */
  function step(row, key) {
    const card = row.closest(".topic");
    const own = rows(card);
    const at = own.indexOf(row);
    if (key === "Home") return own[0];
    if (key === "End") return own.at(-1);
    if (key === "ArrowDown" && at < own.length - 1) return own[at + 1];
    if (key === "ArrowUp" && at > 0) return own[at - 1];
    const side = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    const all = cards().filter((each) => each.querySelector(".terms > .term"));
    const other = all[all.indexOf(card) + side];
    if (!other) return null;
    const there = rows(other);
    if (key === "ArrowUp") return there.at(-1);
    if (key === "ArrowDown") return there[0];
    return there[Math.min(at, there.length - 1)];
  }

  grid.addEventListener("focusin", (event) => {
    const row = rowOf(event.target);
    if (row) rove(row);
  });
  grid.addEventListener("keydown", (event) => {
    const row = rowOf(event.target);
    if (!row || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(".popover")) return;
    const action = { a: "accept", r: "reject", m: "move" }[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      if (event.repeat) return; // holding a key judges only one term
      actions[action](row);
    } else if (/^(Arrow(Up|Down|Left|Right)|Home|End)$/.test(event.key)) {
      event.preventDefault();
      focus(step(row, event.key));
    }
  });

  return {
    ...actions,
    /** The focused row before a redraw. */
    held() {
      const row = grid.contains(document.activeElement) ? rowOf(document.activeElement) : null;
      return row ? { row, category: row.dataset.category, at: rows(row.closest(".topic")).indexOf(row) } : null;
    },
    /** Restore the focus after a redraw, even if its term is gone, and keep one tab stop. */
    settle(held) {
      if (held && !held.row.isConnected) {
        const card = cards().find((each) => each.dataset.category === held.category) ?? cards()[0];
        const there = card ? rows(card) : [];
        focus(there[Math.min(held.at, there.length - 1)]);
      }
      if (!stop?.isConnected) rove(rows()[0] ?? null);
    },
  };
}
