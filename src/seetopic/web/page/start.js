// The start page: projects to continue, and corpora with their state.

import { del, get, post, url } from "./api.js";
import { confirmed } from "./asking.js";
import { empty, fill, h, keyed, note, say, skeleton } from "./dom.js";
import { indexing, unfinished } from "./indexing.js";
import { projectOpener } from "./projectfile.js";
import { ago, counted } from "./telling.js";

const POLL = 1000; // milliseconds, while indexing

export function show(root, { announce, notify, me }) {
  const projects = h("ul", { class: "cards" });
  const corpora = h("ul", { class: "cards" });
  const noProjects = h("div");
  const noCorpora = h("div", {}, skeleton(3));
  const problem = h("div");
  const file = projectOpener(announce, me);
  root.append(
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        h(
          "div",
          {},
          h("h1", {}, "Workbench"),
          h("p", { class: "soft" }, "Name your categories and see the terms your documents use for each."),
        ),
        h(
          "p",
          { class: "actions" },
          file.elements,
          h("a", { class: "button primary", href: "#/open" }, "Open a corpus"),
        ),
      ),
      problem,
      file.place,
      h(
        "section",
        { "aria-labelledby": "projects-head" },
        h("h2", { id: "projects-head" }, "Projects"),
        noProjects,
        projects,
      ),
      h(
        "section",
        { "aria-labelledby": "corpora-head" },
        h("h2", { id: "corpora-head" }, "Corpora"),
        noCorpora,
        corpora,
      ),
    ),
  );
  let stopped = false;
  let timer = 0;
  let known = [];

  async function load() {
    clearTimeout(timer);
    try {
      const [found, made] = await Promise.all([get("/api/corpora"), get("/api/projects")]);
      if (stopped) return;
      known = found;
      problem.replaceChildren();
      draw(found, made);
    } catch (error) {
      fill(problem, note(`${error.message} Retrying.`, "bad"));
      timer = setTimeout(load, 3000);
      return;
    }
    if (!stopped && known.some(unfinished)) timer = setTimeout(load, POLL);
  }

  function draw(found, made) {
    fill(
      noProjects,
      made.length
        ? null
        : found.length
          ? h("p", { class: "soft" }, "None yet: choose a corpus below and name your categories.")
          : empty(
              "Start with documents",
              "Open an Excel, CSV, JSON, text or Parquet file, an existing index, or the demo corpus of 2,224 news articles.",
              h("a", { class: "button primary", href: "#/open" }, "Open a corpus"),
            ),
    );
    fill(
      noCorpora,
      found.length || !made.length ? (found.length ? null : h("p", { class: "soft" }, "None yet.")) : null,
    );
    keyed(
      projects,
      made,
      (each) => each.id,
      () => projectCard(remove, copy),
      (element, each) => element.update(each),
    );
    keyed(
      corpora,
      found,
      (each) => each.id,
      () => corpusCard(remove, load),
      (element, each) => element.update(each),
    );
  }

  async function remove(path, question) {
    if (!(await confirmed(question, "Remove"))) return;
    try {
      await del(path);
    } catch (error) {
      notify(error.message, { kind: "bad" });
    }
    load();
  }

  async function copy({ id, corpus, title }) {
    try {
      await post("/api/projects", { corpus, copy_of: id, title: `${title.slice(0, 110)} (copy)`, by: me() });
    } catch (error) {
      notify(error.message, { kind: "bad" });
    }
    load();
  }

  load();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function projectCard(remove, copy) {
  const name = h("a", { class: "card-name" });
  const names = h("p", { class: "names-line" });
  const facts = h("p", { class: "soft small" });
  const again = h("button", { type: "button", class: "plain" }, "Copy");
  const button = h("button", { type: "button", class: "plain danger" }, "Remove");
  const element = h(
    "li",
    { class: "card linked" },
    h("h3", {}, name),
    names,
    h("div", { class: "card-foot" }, facts, h("span", {}, again, button)),
  );
  let project = null;
  again.addEventListener("click", () => copy(project));
  button.addEventListener("click", () =>
    remove(
      url`/api/projects/${project.id}`,
      `Remove the project “${project.title}” and its entire history? This cannot be undone.`,
    ),
  );
  element.update = (given) => {
    project = given;
    name.href = `#/project/${encodeURIComponent(given.id)}/topics`;
    say(name, given.title);
    say(names, given.categories.join(" · ") || "no categories yet");
    say(facts, `${given.corpus_title} · ${ago(given.changed)}`);
    again.setAttribute("aria-label", `Copy the project ${given.title}`);
    button.setAttribute("aria-label", `Remove the project ${given.title}`);
  };
  return element;
}

function corpusCard(remove, reload) {
  const name = h("h3", {});
  const facts = h("p", { class: "soft small" });
  const notes = h("div");
  const going = indexing(() => reload());
  const use = h("a", { class: "button" }, "New project");
  const button = h("button", { type: "button", class: "plain danger" }, "Remove");
  const element = h("li", { class: "card" }, name, facts, notes, going, h("div", { class: "card-foot" }, use, button));
  let corpus = null;
  button.addEventListener("click", () =>
    remove(
      url`/api/corpora/${corpus.id}`,
      `Remove the corpus “${corpus.title}” and its index? Your own file is not deleted.`,
    ),
  );
  element.update = (given) => {
    corpus = given;
    say(name, given.title);
    const ready = given.state === "ready";
    say(
      facts,
      ready
        ? `${counted(given.documents, "document")} · ${counted(given.terms, "term")} · ${given.model}`
        : { waiting: "waiting", indexing: "indexing", stopped: "stopped", failed: "failed" }[given.state],
    );
    keyed(
      notes,
      [...given.doubts, ...given.warnings],
      (text) => text,
      (text) => note(text),
      () => {},
    );
    going.hidden = ready;
    if (!ready) going.update(given);
    use.hidden = !ready;
    use.href = `#/corpus/${encodeURIComponent(given.id)}`;
    button.setAttribute("aria-label", `Remove the corpus ${given.title}`);
  };
  return element;
}
