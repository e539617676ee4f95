// Judging terms by mouse or keyboard: accept, reject, move, why. All topics are one tab stop; arrows move within them.

import { chooser } from "./choose.js";
import { h, hue } from "./dom.js";
import { popover } from "./popover.js";

/** `folding` has `is(category)` and `set(category, folded)`. */
export function judging(grid, { open, announce }, goTo, folding) {
  const cards = () => [...grid.children];
  const termsOf = (card) => [...card.querySelectorAll(".terms > .term")];
  const isFolded = (card) => card.classList.contains("folded");
  // A card's items: its head, then its terms unless it is folded.
  const itemsOf = (card) => [card.querySelector(".topic-line"), ...(isFolded(card) ? [] : termsOf(card))];
  const mainOf = (item) => item?.querySelector(".term-main, .topic-name");
  const itemOf = (element) => element?.closest?.(".term, .topic-line") ?? null;
  const isTerm = (item) => item.classList.contains("term");
  let stop = null; // the item that Tab focuses

  function rove(item) {
    if (stop && stop !== item && mainOf(stop)) mainOf(stop).tabIndex = -1;
    stop = item;
    if (item) mainOf(item).tabIndex = 0;
  }

  function focus(item) {
    if (!item) return;
    rove(item);
    mainOf(item).focus();
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
      const undo = row.dataset.state === "rejected";
      judge(row, { kind: undo ? "free" : "bar", category, term }, undo ? `${term} no longer rejected` : `${term} rejected`);
    },
    move(row) {
      const { term, category } = judgedBy(row);
      const others = open.project.categories.filter((each) => each.id !== category);
      if (!others.length) return announce("There is no other category to move it to");
      const choices = others.map((each) => ({ label: each.name, hue: hue(each.id), id: each.id }));
      const { element } = chooser(`Move ${term} to`, choices, (to) => {
        shown.close(true);
        judge(row, { kind: "shift", term, category, to: to.id }, `${term} moved to ${to.label}`);
      });
      const shown = popover(
        row.querySelector(".term-tools"),
        h("div", {}, h("p", { class: "menu-head" }, `Move “${term}” to`), element),
        mainOf(row),
      );
    },
    why(row) {
      rove(row);
      const { term, category } = judgedBy(row);
      goTo(category, "term", term);
    },
  };

  /** The next item: within the card, then in the next card. */
  function step(item, key) {
    const card = item.closest(".topic");
    const own = itemsOf(card);
    const at = own.indexOf(item);
    if (key === "Home") return isTerm(item) ? own[1] : own[0];
    if (key === "End") return own.at(-1);
    if (key === "ArrowDown" && at < own.length - 1) return own[at + 1];
    if (key === "ArrowUp" && at > 0) return own[at - 1];
    const all = cards();
    const other = all[all.indexOf(card) + (key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1)];
    if (!other) return null;
    const there = itemsOf(other);
    if (key === "ArrowUp") return there.at(-1);
    if (key === "ArrowDown") return there[0];
    return there[Math.min(at, there.length - 1)];
  }

  /** On a head, right unfolds and left folds, as in any outline. */
  function foldedBy(item, key) {
    if (isTerm(item) || (key !== "ArrowRight" && key !== "ArrowLeft" && key !== " ")) return false;
    const card = item.closest(".topic");
    if (key === " ") folding.set(card.dataset.category, !isFolded(card));
    else if (isFolded(card) === (key === "ArrowRight")) folding.set(card.dataset.category, key === "ArrowLeft");
    else return false;
    return true;
  }

  grid.addEventListener("focusin", (event) => {
    const item = itemOf(event.target);
    if (item) rove(item);
  });
  grid.addEventListener("keydown", (event) => {
    const item = itemOf(event.target);
    if (!item || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(".popover")) return;
    const action = isTerm(item) && { a: "accept", r: "reject", m: "move" }[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      if (event.repeat) return; // holding a key judges only one term
      actions[action](item);
    } else if (/^(Arrow(Up|Down|Left|Right)|Home|End| )$/.test(event.key) && !event.target.matches(".fold")) {
      if (event.key === " " && isTerm(item)) return;
      event.preventDefault();
      if (!foldedBy(item, event.key) && event.key !== " ") focus(step(item, event.key));
    }
  });

  return {
    ...actions,
    /** The focused item before a redraw. */
    held() {
      const item = grid.contains(document.activeElement) ? itemOf(document.activeElement) : null;
      if (!item) return null;
      const card = item.closest(".topic");
      return { item, key: card.dataset.key, at: itemsOf(card).indexOf(item) };
    },
    /** Restore the focus after a redraw, even if its term is gone, and keep one tab stop. */
    settle(held) {
      if (held && (!held.item.isConnected || held.item.closest("[hidden]"))) {
        const card = cards().find((each) => each.dataset.key === held.key) ?? cards()[0];
        const there = card ? itemsOf(card) : [];
        focus(there[Math.min(held.at, there.length - 1)]);
      }
      if (stop?.isConnected && !(isTerm(stop) && isFolded(stop.closest(".topic")))) return;
      const first = cards()[0];
      rove(first ? (itemsOf(first)[1] ?? itemsOf(first)[0]) : null);
    },
  };
}
