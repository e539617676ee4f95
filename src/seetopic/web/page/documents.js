// All documents: search by words, category and columns; read one; download them as a table.

import { post } from "./api.js";
import { debounce, empty, fill, h, hue, iconButton, marked, note, progress, say } from "./dom.js";
import { showDocument } from "./document.js";
import { filterBar, ProjectFilter } from "./filters.js";
import { tablesPanel } from "./tables.js";
import { counted } from "./telling.js";

const WAIT = 180; // milliseconds after the last keystroke
const POLL = 500; // milliseconds, while documents are being sorted
const PAGE = 20;
export const NONE = "none";

export function show(root, { open, announce }, rest) {
  const filter = ProjectFilter.of(open);
  const base = `#/project/${encodeURIComponent(open.id)}/documents`;
  const words = h("input", { type: "search", class: "search", placeholder: "Search all documents", "aria-label": "Search all documents", maxLength: 500, spellcheck: false, enterKeyHint: "search", "aria-describedby": "search-hint" });
  const bar = filterBar(filter);
  const categories = h("div", { class: "category-filter", role: "group", "aria-label": "Category" });
  const told = h("p", { class: "soft small number", role: "status" });
  const state = h("div");
  const list = h("ol", { class: "hits" });
  const more = h("button", { type: "button", hidden: true, on: { click: () => load(true) } }, "Show more");
  const title = h("h2", { tabIndex: -1 });
  const body = h("div", { class: "reading-body" });
  const close = iconButton("cross", "Close", () => go(null));
  const panel = h("aside", { class: "reading one-document", hidden: true, "aria-label": "Document" }, h("div", { class: "reading-head" }, title, close), body);
  const query = () => filter.query({ words: words.value.trim(), category: chosen });
  const tables = tablesPanel(open, { query, words: () => inWords(), total: () => found?.total ?? 0, announce });
  root.classList.add("documents-view");
  root.append(
    h("section", { class: "finding", "aria-label": "Documents" },
      h("div", { class: "finding-head" }, h("h1", {}, "Documents"), tables.button),
      tables.element, words,
      h("p", { id: "search-hint", class: "soft small hint" }, "Words must all occur; put “a phrase” in quotes, and a minus before what must not occur."),
      bar.element, categories, told, state, list, more),
    panel,
  );

  let chosen = null; // a category, or none
  let found = null;
  let typing = false; // words that are not in the address yet
  const gone = new AbortController();
  let asked = new AbortController();
  let reading = new AbortController();
  let timer = 0;

  const address = (number = null) => [base, chosen ?? "all", words.value.trim() || "-", ...(number === null ? [] : [number])].map((each, at) => (at ? encodeURIComponent(each) : each)).join("/");
  const go = (number) => (location.hash = address(number));
  const inWords = () => [words.value.trim() ? `with ${words.value.trim()}` : "", chosen === NONE ? "that fit no category" : chosen ? `in ${nameOf(chosen)}` : "", ...filter.words()].filter(Boolean);
  const nameOf = (id) => open.project.categories.find((each) => each.id === id)?.name ?? "";

  async function load(further = false) {
    clearTimeout(timer);
    asked.abort();
    const mine = (asked = new AbortController());
    root.classList.add("waiting");
    try {
      const offset = further ? list.children.length : 0;
      const answer = await post(`${open.path}/search`, { ...query(), offset, limit: PAGE }, { signal: mine.signal });
      if (asked !== mine) return;
      found = answer;
      draw(further);
      if (answer.sorting) timer = setTimeout(() => load(), POLL);
    } catch (error) {
      if (error.name !== "AbortError" && asked === mine) fill(state, note(error.message, "bad"));
    }
    if (asked === mine) root.classList.remove("waiting");
  }

  function draw(further) {
    const { total, documents, sorting, unknown, problem } = found;
    const waits = sorting && chosen;
    say(told, waits ? "" : [counted(total, "document"), ...inWords()].join(" · "));
    fill(state, sorting ? sorter(sorting) : null, problem && open.project.categories.length ? note(problem) : null,
      unknown.length ? note(`No document contains ${unknown.map((each) => `“${each}”`).join(", ")}.`) : null,
      !total && !waits && !unknown.length ? empty("No document fits", "Try fewer words, another category, or clear the filters.") : null);
    const items = documents.map(hit);
    if (further) list.append(...items);
    else fill(list, items);
    more.hidden = list.children.length >= total || !documents.length;
    if (further) items[0]?.querySelector("a")?.focus();
    drawCategories();
    tables.draw();
  }

  const sorter = ({ done, total }) => h("div", { class: "sorting" }, h("p", { class: "soft small number" }, total ? `Sorting documents into the categories: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "Sorting documents into the categories…"), progress(total ? done / total : 0, "Sorting documents"));

  function hit({ number, parts, category, share, columns }) {
    const facts = Object.entries(columns).filter(([, value]) => value).map(([name, value]) => h("span", { title: name }, value.length > 40 ? `${value.slice(0, 40)}…` : value));
    const tag = category
      ? h("span", { class: "hit-category", style: { "--hue": hue(category) } }, h("span", { class: "dot" }), nameOf(category), h("b", { class: "number" }, `${Math.round(100 * share)}%`))
      : found.counts[NONE] !== undefined ? h("span", { class: "hit-category soft" }, "no category") : null;
    return h("li", { class: "hit linked", dataset: { number } },
      h("p", { class: "hit-text" }, marked(parts)),
      h("p", { class: "hit-facts soft small" }, tag, facts, h("a", { class: "card-name", href: address(number) }, `document ${number.toLocaleString("en")}`)));
  }

  /** All categories with the number of documents that fit the rest of the search. */
  function drawCategories() {
    const counts = found?.counts ?? {};
    const button = (id, name, number, colour) =>
      h("button", { type: "button", class: "pick", "aria-pressed": String(chosen === id), dataset: { category: id ?? "" }, style: colour ? { "--hue": colour } : {}, on: { click: () => choose(id) } },
        colour ? h("span", { class: "dot" }) : null, h("span", {}, name), number === undefined ? null : h("span", { class: "soft number" }, number.toLocaleString("en")));
    const held = categories.contains(document.activeElement) ? document.activeElement.dataset.category : null;
    categories.hidden = !open.project.categories.length;
    fill(categories, button(null, "All", undefined), open.project.categories.map((each) => button(each.id, each.name, counts[each.id], hue(each.id))), button(NONE, "Fits none", counts[NONE]));
    if (held !== null) [...categories.children].find((each) => each.dataset.category === held)?.focus();
  }

  function choose(id) {
    chosen = id;
    list.replaceChildren();
    history.replaceState(null, "", address());
    panel.hidden = true;
    drawCategories();
    load();
  }

  function read(number) {
    reading.abort();
    reading = new AbortController();
    panel.hidden = number === null;
    root.classList.toggle("reading-open", number !== null);
    for (const each of list.children) each.classList.toggle("read", each.dataset.number === String(number));
    if (number === null) return;
    say(title, `Document ${number.toLocaleString("en")}`);
    showDocument(body, open, number, reading.signal);
    title.focus({ preventScroll: true });
  }

  /** The address has the category, the words and the document that is read. */
  function route([category = "all", text = "-", number = null]) {
    const before = [chosen, words.value.trim()].join();
    chosen = category === "all" ? null : category;
    if (chosen && chosen !== NONE && !nameOf(chosen)) chosen = null;
    const wanted = typing ? words.value.trim() : text === "-" ? "" : text;
    if (words.value.trim() !== wanted) words.value = wanted;
    if (found === null || before !== [chosen, wanted].join()) load();
    drawCategories();
    read(number !== null && /^\d+$/.test(number) ? Number(number) : null);
  }

  const later = debounce(WAIT, () => {
    typing = false;
    history.replaceState(null, "", address());
    load();
  });
  words.addEventListener("input", () => {
    typing = true;
    later();
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const number = list.querySelector(".read")?.dataset.number;
    go(null);
    list.querySelector(`[data-number="${number}"] a`)?.focus();
  });
  const onFilter = () => {
    bar.draw();
    load();
  };
  const heard = [
    [filter, "filter", onFilter],
    [filter, "columns", bar.draw],
    [open, "topics", () => load()],
  ];
  for (const [source, name, run] of heard) source.addEventListener(name, run);
  filter.load(gone.signal).catch(() => {}); // documents can be searched without filters
  route(rest);
  if (!rest.length) words.focus({ preventScroll: true });
  return {
    route,
    stop() {
      clearTimeout(timer);
      later.cancel();
      gone.abort();
      asked.abort();
      reading.abort();
      tables.stop();
      for (const [source, name, run] of heard) source.removeEventListener(name, run);
    },
  };
}
