// Figures: a map of topics and terms, the documents around them, and the similarity of topics.

import { get } from "./api.js";
import { debounce, empty, fill, h, hueByPlace, note, say, skeleton } from "./dom.js";

const FIGURES = {
  map: "Topics and their terms",
  documents: "Documents around their topics",
  heatmap: "Similarity of the topics",
};
const WIDEST = { map: 1400, documents: 1400, heatmap: 900 };

export function show(root, { open }) {
  const page = h("div", { class: "page wide figures" });
  root.append(h("h1", { class: "unseen" }, "Map"), page);
  const frames = Object.entries(FIGURES).map(([name, title]) => frame(open, name, title));
  let drawn = null;
  const draw = () => {
    if (!open.project.categories.length || (open.topics === null && open.problem)) {
      drawn = null;
      return fill(page, empty("Nothing to show yet", open.problem ?? "Name at least one category under Topics."));
    }
    if (drawn !== frames)
      fill(
        page,
        (drawn = frames).map((each) => each.element),
      );
    for (const each of frames) each.load();
  };
  const later = debounce(250, draw);
  const watch = new ResizeObserver(later);
  watch.observe(page);
  open.addEventListener("topics", later);
  draw();
  return {
    stop: () => {
      watch.disconnect();
      later.cancel();
      open.removeEventListener("topics", later);
      for (const each of frames) each.stop();
    },
  };
}

function frame(open, name, title) {
  const place = h("div", { class: "drawn" }, skeleton(6));
  const about = h("p", { class: "soft small" });
  const element = h("section", { class: `card figure ${name}` }, h("h2", {}, title), about, place);
  let asked = null;
  let shown = "";
  return {
    element,
    stop: () => asked?.abort(),
    async load() {
      const room = Math.max(300, Math.min(WIDEST[name], place.clientWidth || element.clientWidth));
      const width = Math.floor(room / 20) * 20;
      const key = `${open.version} ${width}`;
      if (key === shown) return;
      shown = key;
      asked?.abort();
      asked = new AbortController();
      try {
        const figure = await get(`${open.path}/figures/${name}?width=${width}`, { signal: asked.signal });
        say(about, figure.description);
        const holder = document.createElement("template");
        holder.innerHTML = figure.svg; // escaped by the server; everything else on this page is set as text
        place.style.setProperty("max-width", `${figure.width * 1.25}px`);
        hueByPlace(place, open.project.categories);
        place.replaceChildren(holder.content);
      } catch (error) {
        if (error.name === "AbortError") return;
        shown = "";
        fill(place, note(error.message, "bad"));
      }
    },
  };
}
