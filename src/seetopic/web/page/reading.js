// The reading panel of a topic: its terms and why they are there, passages, documents, and overlap.

import { get, post, url } from "./api.js";
import { fill, h, hue, iconButton, marked, note, refill, say, skeleton } from "./dom.js";
import { showDocument } from "./document.js";
import { MEANINGS } from "./explain.js";
import { ProjectFilter } from "./filters.js";
import { whyTerms } from "./why.js";

const PAGE = 20; // documents per request

export function readingPanel({ open }, goTo) {
  const title = h("h2", { tabIndex: -1 });
  const close = iconButton("cross", "Close", () => leave());
  const back = iconButton("back", "Back to the topic", () => goTo(shown.category));
  const body = h("div", { class: "reading-body" });
  const element = h(
    "aside",
    { class: "reading", hidden: true, "aria-label": "Topic details" },
    h("div", { class: "reading-head" }, back, title, close),
    body,
  );
  let shown = { category: null, part: null, value: null };
  let opener = null;
  let asked = new AbortController();

  function leave() {
    goTo();
    const home = opener?.isConnected
      ? opener
      : document.querySelector(`.topic[data-category="${CSS.escape(shown.category ?? "")}"] .topic-name`);
    element.hidden = true;
    home?.focus();
  }
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    leave();
  });

  const numberOf = (id) => open.project.categories.findIndex((each) => each.id === id);
  const topicOf = (id) => open.topics?.find((each) => each.category === id);

  function show([category = "", part = null, value = null]) {
    if (!category) {
      element.hidden = true;
      shown = { category: null, part: null, value: null };
      asked.abort();
      return;
    }
    if (element.hidden) opener = document.activeElement;
    const sameTopic = shown.category === category && shown.part !== "document" && part !== "document";
    shown = { category, part, value };
    element.hidden = false;
    if (sameTopic && body.why) body.why(value);
    else load();
    if (part !== "term" || !body.contains(document.activeElement)) title.focus({ preventScroll: true });
  }

  function load() {
    asked.abort();
    asked = new AbortController();
    const at = numberOf(shown.category);
    const name = open.project.categories[at]?.name;
    element.style.setProperty("--hue", hue(shown.category));
    back.hidden = shown.part !== "document";
    body.why = null;
    element.version = open.topicsVersion;
    if (name === undefined) {
      say(title, "This category no longer exists");
      return fill(body, note("It was removed, or the link is outdated; close this panel."));
    }
    if (shown.part === "document") {
      say(title, `Document ${Number(shown.value).toLocaleString("en")}`);
      body.scrollTop = 0;
      return showDocument(body, open, Number(shown.value), asked.signal);
    }
    say(title, name);
    const topic = topicOf(shown.category);
    if (!topic) {
      element.version = null; // drawn once the topics have loaded
      return fill(body, skeleton(10, "Finding topics…"));
    }
    const before =
      body.parts?.category === shown.category && body.contains(body.parts.facts) ? body.parts : frameOf(shown.category);
    if (!body.contains(before.facts)) {
      fill(body, before.facts, h("h3", {}, "Terms, and why they are there"), before.terms, before.sections);
      body.scrollTop = 0;
    }
    body.parts = before;
    fill(
      before.facts,
      h(
        "p",
        { class: "facts", title: MEANINGS.confidence },
        "confidence ",
        h("b", {}, topic.confidence.toFixed(2)),
        topic.low ? h("span", { class: "low" }, "low") : null,
        h("span", {}, topic.in_vocabulary ? "" : "its name does not occur"),
      ),
      topic.warnings.map((text) => note(text)),
    );
    before.why = whyTerms(open, shown.category, topic, goTo, asked.signal, before.why);
    refill(before.terms, before.why.element);
    for (const { place, draw } of before.loads)
      draw(place, asked.signal).catch(
        (error) => error.name !== "AbortError" && fill(place, note(error.message, "bad")),
      );
    body.why = before.why.open;
    if (shown.part === "term" && !element.refreshing) before.why.open(shown.value);
  }

  /** The sections of a topic, refilled in place after every edit, so that nothing jumps. */
  function frameOf(category) {
    const loads = [
      ["Passages", passages],
      ["Documents", documents],
      ["Overlap with other topics", overlap],
    ].map(([heading, draw]) => ({ heading, draw, place: h("div", { class: "loads" }, skeleton(4)) }));
    const sections = loads.map(({ heading, place }) => h("section", {}, h("h3", {}, heading), place));
    return { category, facts: h("div"), terms: h("div"), loads, sections, why: null };
  }

  const from = (number) =>
    h(
      "a",
      { class: "from", href: goTo.address(shown.category, "document", number) },
      `document ${number.toLocaleString("en")}`,
    );

  async function passages(place, signal) {
    const { passages: found, quoted } = await get(url`/api/projects/${open.id}/topics/${shown.category}/passages`, {
      signal,
    });
    if (!found.length)
      return fill(
        place,
        h(
          "p",
          { class: "soft" },
          quoted
            ? "No passage contains its terms."
            : "No passage contains its terms, or the documents can no longer be read.",
        ),
      );
    const plain = quoted
      ? null
      : h(
          "p",
          { class: "soft small" },
          "The original documents cannot be read; these are the words stored in the index.",
        );
    refill(
      place,
      plain,
      h(
        "ul",
        { class: "passages" },
        found.map((each) => h("li", {}, h("p", {}, marked(each.parts)), from(each.document))),
      ),
    );
  }

  async function documents(place, signal, offset = 0, before = null) {
    const category = shown.category;
    const filter = ProjectFilter.of(open);
    const {
      given,
      looked_at: lookedAt,
      documents: found,
    } = filter.active
      ? await filtered(filter, category, offset, signal)
      : await get(url`/api/projects/${open.id}/topics/${category}/documents?offset=${offset}&limit=${PAGE}`, { signal });
    const list = before ?? h("ol", { class: "passages" });
    list.append(
      ...found.map((each) =>
        h(
          "li",
          {},
          h("p", {}, marked(each.parts)),
          from(each.number),
          h(
            "span",
            { class: "soft small" },
            ` share ${each.share.toFixed(2)}${each.terms?.length ? ` · ${each.terms.join(", ")}` : ""}`,
          ),
        ),
      ),
    );
    const seen = offset + found.length;
    const more = h(
      "button",
      {
        type: "button",
        on: {
          click: () => {
            more.disabled = true;
            documents(place, signal, seen, list).catch(
              (error) => error.name !== "AbortError" && more.replaceWith(note(error.message, "bad")),
            );
          },
        },
      },
      "Show more",
    );
    refill(
      place,
      h(
        "p",
        { class: "soft small" },
        filter.active
          ? `${given.toLocaleString("en")} ${given === 1 ? "document" : "documents"} (${filter.words().join(", ")}) ${given === 1 ? "belongs" : "belong"} mainly to it. `
          : `${given.toLocaleString("en")} of ${lookedAt.toLocaleString("en")} sampled documents belong mainly to it. `,
        filter.active ? h("button", { type: "button", class: "plain", on: { click: () => (filter.clear(), documents(place, signal)) } }, "Clear filters") : null,
        h("a", { href: `#/project/${encodeURIComponent(open.id)}/documents/${category}` }, "Search all of them"),
      ),
      list,
      found.length && seen < given ? more : null,
    );
    if (before) list.children[offset]?.querySelector("a")?.focus();
  }

  /** Documents of the topic that fit the project's filter; those are only known once all documents are sorted. */
  async function filtered(filter, category, offset, signal) {
    for (;;) {
      const found = await post(`${open.path}/search`, { ...filter.query({ category }), offset, limit: PAGE }, { signal });
      if (!found.sorting) return { given: found.total, documents: found.documents };
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async function overlap(place, signal) {
    const { names, likeness, shared } = await get(`${open.path}/overlap`, { signal });
    const own = numberOf(shown.category);
    const others = names
      .map((name, at) => ({
        name,
        at,
        id: open.project.categories[at]?.id ?? "c1",
        like: likeness[own]?.[at] ?? 0,
        share: shared[own]?.[at] ?? 0,
      }))
      .filter((each) => each.at !== own)
      .sort((one, two) => two.like - one.like);
    if (!others.length) return fill(place, h("p", { class: "soft" }, "There is no other category yet."));
    fill(
      place,
      h(
        "table",
        { class: "overlap" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {}, "Category"),
            h("th", { class: "count", title: "Similarity of their terms, from 0 to 1" }, "similarity"),
            h("th", { class: "count", title: "Share of its documents that belong to both" }, "shared documents"),
          ),
        ),
        h(
          "tbody",
          {},
          others.map((each) =>
            h(
              "tr",
              {},
              h("td", {}, h("span", { class: "dot", style: { "--hue": hue(each.id) } }), " ", each.name),
              h("td", { class: "count" }, each.like.toFixed(2)),
              h("td", { class: "count" }, `${Math.round(100 * each.share)}%`),
            ),
          ),
        ),
      ),
    );
  }

  return {
    element,
    show,
    stop: () => asked.abort(),
    refresh() {
      if (element.hidden || !shown.category || element.version === open.topicsVersion) return;
      element.refreshing = true;
      load();
      element.refreshing = false;
    },
  };
}
