// One corpus: progress of its indexing and, once it is ready, a form to start a project.

import { get, post, url } from "./api.js";
import { outlineOf } from "./categories.js";
import { empty, fill, h, icon, note, skeleton } from "./dom.js";
import { indexing, unfinished } from "./indexing.js";
import { preview } from "./preview.js";
import { ago, counted } from "./telling.js";

export function show(root, { announce, me, workbench }, [id, part]) {
  const page = h("div", { class: part === "options" ? "page" : "page narrow" }, skeleton(5));
  root.append(page);
  let stopped = false;
  let timer = 0;
  let shown = null; // which part is shown

  async function load() {
    clearTimeout(timer);
    let corpus;
    try {
      corpus = await get(url`/api/corpora/${id}`);
    } catch (error) {
      if (stopped) return;
      if (error.unreachable && shown) timer = setTimeout(load, 2000);
      else
        fill(
          page,
          h("h1", { class: "unseen" }, "Corpus"),
          empty(
            "Corpus not found",
            error.message,
            h("a", { class: "button primary", href: "#/" }, "Go to the start page"),
          ),
        );
      return;
    }
    if (stopped) return;
    if (part === "options") options(page, corpus, workbench, announce);
    else draw(corpus);
  }

  function draw(corpus) {
    if (corpus.state === "ready") {
      if (shown !== "ready") {
        if (shown) announce(`${corpus.title} is ready`);
        naming(page, corpus, me);
      }
      shown = "ready";
      return;
    }
    if (shown !== "going") {
      const going = indexing(draw);
      page.closing = h(
        "p",
        { class: "soft" },
        "You can close this page: indexing continues, and the start page shows its progress.",
      );
      fill(page, h("h1", {}, corpus.title), going, page.closing);
      page.going = going;
      shown = "going";
    }
    page.going.update(corpus);
    page.closing.hidden = !unfinished(corpus);
    clearTimeout(timer);
    if (unfinished(corpus)) timer = setTimeout(load, 700);
  }

  load();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Themes of the documents as buttons, each of which adds a line. */
async function suggestNames(corpus, names, place) {
  try {
    const themes = await get(url`/api/corpora/${corpus.id}/suggestions`);
    const button = ({ name, terms }) => {
      const made = h("button", { type: "button", title: terms.join(", "), "aria-label": `Add ${name}` }, icon("plus"), name);
      made.addEventListener("click", () => {
        const before = names.value.replace(/\s+$/, "");
        names.value = `${before ? `${before}\n` : ""}${name}\n`;
        made.remove();
      });
      return made;
    };
    fill(place, h("span", { class: "soft small" }, "Found in the documents:"), themes.map(button));
    place.hidden = !themes.length;
  } catch {
    /* a small corpus has no themes; names can be typed without them */
  }
}

/** Index the same documents again with other options. */
function options(page, corpus, workbench, announce) {
  const home = `#/corpus/${encodeURIComponent(corpus.id)}`;
  const leave = (to = corpus) => (location.hash = `#/corpus/${encodeURIComponent(to.id)}`);
  if (!corpus.can_change)
    return fill(page, empty("These options cannot be changed", "The corpus was opened as an index; open its documents to read them in another way.", h("a", { class: "button", href: home }, "Go to the corpus")));
  const form = preview({
    name: corpus.title,
    workbench,
    announce,
    before: corpus.options,
    verb: "Index again",
    back: () => leave(),
    ask: (reading) => post(url`/api/corpora/${corpus.id}/preview`, reading),
    send: (given) => post(url`/api/corpora/${corpus.id}/options`, given),
    made: leave,
  });
  fill(page, h("h1", {}, "Change options"), corpus.problem ? note(corpus.problem, "bad") : null,
    h("p", { class: "soft" }, "The documents are already here; only how they are read changes."), form);
}

/** A ready corpus: its facts, its projects, and a form for a new one. */
function naming(page, corpus, me) {
  const names = h("textarea", {
    rows: 8,
    id: "first-names",
    spellcheck: false,
    placeholder: "health & personal care\nbooks\ntoys & games",
  });
  const title = h("input", { maxLength: 120, placeholder: corpus.title });
  const others = h("div");
  const suggested = h("div", { class: "suggested", hidden: true, role: "group", "aria-label": "Themes of the documents" });
  suggestNames(corpus, names, suggested);
  const problem = h("div", { role: "alert" });
  const create = h("button", { type: "submit", class: "primary" }, "Show topics");
  const form = h(
    "form",
    {},
    h(
      "label",
      { class: "field", for: "first-names" },
      h("span", {}, "Your categories, one per line"),
      names,
      h("small", {}, "A name may be a phrase that never occurs in the documents; indented lines go below the line before. You can change everything later."),
    ),
    suggested,
    h("label", { class: "field" }, h("span", {}, "Project title"), title),
    problem,
    h("p", { class: "actions" }, create),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    create.disabled = true;
    const lines = outlineOf(names.value);
    try {
      const project = await post("/api/projects", {
        corpus: corpus.id,
        title: title.value.trim() || corpus.title,
        names: lines.map((each) => each.name),
        levels: lines.map((each) => each.level),
        by: me(),
      });
      location.hash = `#/project/${encodeURIComponent(project.id)}/topics`;
    } catch (error) {
      fill(problem, note(error.message, "bad"));
      create.disabled = false;
    }
  });
  const skipped = Object.entries(corpus.skipped ?? {})
    .map(([reason, number]) => `${number.toLocaleString("en")} ${reason}`)
    .join(", ");
  const languages = Object.entries(corpus.languages ?? {})
    .map(([code, share]) => `${code} ${Math.round(100 * share)}%`)
    .join(", ");
  fill(
    page,
    h("h1", {}, corpus.title),
    h(
      "p",
      { class: "soft" },
      [
        counted(corpus.documents, "document"),
        counted(corpus.tokens, "word"),
        counted(corpus.terms, "term"),
        corpus.model,
        languages,
      ]
        .filter(Boolean)
        .join(" · "),
    ),
    corpus.doubts.map((text) => note([text[0].toUpperCase(), text.slice(1)].join(""))),
    corpus.warnings.map((text) => note(text)),
    corpus.can_change
      ? h("p", { class: "actions" }, h("a", { class: corpus.doubts.length ? "button primary" : "button", href: `#/corpus/${encodeURIComponent(corpus.id)}/options` }, "Change options"),
          h("span", { class: "soft small" }, corpus.columns.length ? `Columns kept: ${corpus.columns.join(", ")}` : "No columns are kept; keep dates or groups to see trends."))
      : null,
    skipped ? note(`Skipped: ${skipped}.`) : null,
    h("div", { class: "card" }, h("h2", {}, "Name your categories"), form),
    others,
  );
  names.focus();
  get("/api/projects")
    .then((all) => {
      const own = all.filter((each) => each.corpus === corpus.id);
      if (own.length)
        fill(
          others,
          h("h2", { class: "gap" }, "Or continue with"),
          h(
            "ul",
            { class: "plain-list" },
            own.map((each) =>
              h(
                "li",
                {},
                h("a", { href: `#/project/${encodeURIComponent(each.id)}/topics` }, each.title),
                h("span", { class: "soft small" }, ` ${each.categories.join(" · ")} · ${ago(each.changed)}`),
              ),
            ),
          ),
        );
    })
    .catch(() => {}); // the form works without this list
}
