// A topic's terms, each with the reason it is there, loaded on demand.

import { get, url } from "./api.js";
import { fill, h, marked, note, skeleton } from "./dom.js";

/** `before` is the previous list of the same topic; its open entries stay open and are reloaded. */
export function whyTerms(open, category, topic, goTo, signal, before = null) {
  const items = new Map();
  const list = topic.terms.map((term, place) => {
    const old = before?.items.get(term.term);
    const told = h("div", { class: "why" }, old?.open ? [...old.querySelector(".why").childNodes] : skeleton(2));
    const details = h(
      "details",
      {},
      h(
        "summary",
        {},
        h("span", { class: "place number" }, place + 1),
        h("span", { class: "text" }, term.term),
        h("span", { class: "soft small number" }, term.score.toFixed(2)),
      ),
      told,
    );
    details.addEventListener("toggle", () => {
      if (!details.open || details.asked) return;
      details.asked = true;
      explain(told, open, category, term, goTo, signal).catch((error) => {
        details.asked = false;
        if (error.name !== "AbortError") fill(told, note(error.message, "bad"));
      });
    });
    items.set(term.term, details);
    if (old?.open) details.open = true;
    return h("li", {}, details);
  });
  return {
    items,
    element: h("ol", { class: "why-terms" }, list),
    open(term) {
      const details = items.get(term);
      if (!details) return;
      details.open = true;
      details.querySelector("summary").focus({ preventScroll: true });
      details.scrollIntoView({ block: "nearest" });
    },
  };
}

async function explain(place, open, category, term, goTo, signal) {
  const found = await get(url`/api/projects/${open.id}/topics/${category}/term?term=${term.term}`, { signal });
  const near = found.nearest.map((each) => `${each.name} ${each.similarity.toFixed(2)}`).join(", ");
  const passage = found.passage;
  fill(
    place,
    found.sentences.map((sentence) => h("p", {}, sentence)),
    near ? h("p", { class: "soft small" }, "Nearest names: ", near) : null,
    passage
      ? h(
          "blockquote",
          {},
          marked(passage.parts),
          " ",
          h(
            "a",
            { class: "from", href: goTo.address(category, "document", passage.document) },
            `document ${passage.document.toLocaleString("en")}`,
          ),
        )
      : null,
  );
}
