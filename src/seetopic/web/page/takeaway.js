// Downloads: exports for other tools, the report, the project, and code that reproduces the topics.

import { get, url } from "./api.js";
import { copyButton, saveButton } from "./asking.js";
import { fill, h, note, say, skeleton } from "./dom.js";
import { projectOpener } from "./projectfile.js";
import { counted } from "./telling.js";

export function show(root, { open, workbench, announce, me }) {
  const gone = new AbortController();
  const state = h("div");
  const page = h("div", { class: "taken" });
  const lines = h("div", {}, skeleton(5));
  const kept = exportOptions(open);
  const file = projectOpener(announce, me);
  fill(page,
    h("section", { class: "card" }, h("h2", {}, "A dictionary for other tools"), kept.element, offers(workbench.formats.map((format) => [
      `${format.name} (${format.suffix})`, format.about, () => url`/api/projects/${open.id}/export/${format.name}` + kept.query()]))),
    h("section", { class: "card" }, h("h2", {}, "To read and analyse"), offers([
      ["Report (.html)", "a self-contained page with every topic, its figures and examples, for any browser", () => `${open.path}/report.html`],
      ["Table (topics.csv)", "one row per term, with score, documents and variants", () => `${open.path}/topics.csv`],
      ["Topics (topics.json)", "everything about the topics, as `seetopic discover` writes it", () => `${open.path}/topics.json`],
    ])),
    h("section", { class: "card" }, h("h2", {}, "This project, to open it again"), offers([
      ["Project file (.seetopic.json)", "names, accepted and rejected terms, without the documents; opens in any workbench that has them", () => `${open.path}/project.json`],
    ]), h("p", { class: "actions" }, file.elements, h("span", { class: "soft small" }, "It opens as a new project; this one is not changed.")), file.place),
    h("section", { class: "card" }, h("h2", {}, "The same topics from the command line or Python"), h("p", { class: "soft" }, "This page uses the same library as the command line and Python, so this code gives the same topics."), lines));
  root.append(h("div", { class: "page" }, h("h1", {}, "Export"), h("p", { class: "soft" }, "Use your topics elsewhere. Everything is made from the topics as they are now."), state, page));

  async function again() {
    kept.tell();
    fill(state, open.problem ? note(`There are no topics to download: ${open.problem}`) : null);
    try {
      const found = await get(`${open.path}/again`, { signal: gone.signal });
      fill(lines,
        piece("Names", `Save this as ${found.names_file}.`, found.names, announce),
        found.judgements ? piece("Judgements", "Save this as judgements.jsonl.", found.judgements, announce) : null,
        found.commands ? piece("Command line", "", found.commands, announce) : h("p", { class: "soft" }, "The command line cannot give exactly these topics; use the Python code."),
        piece("Python", "", found.python, announce));
    } catch (error) {
      if (error.name !== "AbortError") fill(lines, note(error.message));
    }
  }
  open.addEventListener("topics", again);
  again();
  return { stop: () => { gone.abort(); open.removeEventListener("topics", again); } };
}

/** Each offer has a name, a description and a path. */
function offers(several) {
  const problem = h("div");
  const told = (sentence) => fill(problem, sentence ? note(sentence, "bad") : null);
  const line = ([name, about, path]) => h("li", {}, h("p", {}, h("b", {}, name)), h("p", { class: "soft small" }, about), saveButton(path, "Save", told, { "aria-label": `Save ${name}` }));
  return [problem, h("ul", { class: "offers" }, several.map(line))];
}

function exportOptions(open) {
  const variants = h("input", { type: "checkbox", checked: true });
  const accepted = h("input", { type: "checkbox" });
  const least = h("input", { type: "number", min: 0, max: 1, step: 0.05, value: "0", inputMode: "decimal" });
  const told = h("p", { class: "soft small number", role: "status" });
  const bound = () => Math.min(1, Math.max(0, Number(least.value) || 0));
  function tell() {
    const topics = (open.topics ?? []).filter((topic) => topic.confidence >= bound());
    const terms = topics.map((topic) => topic.terms.filter((term) => !accepted.checked || term.state).length).filter(Boolean);
    const total = terms.reduce((sum, each) => sum + each, 0);
    say(told, total ? `${counted(terms.length, "topic")} with ${counted(total, "term")}${variants.checked ? ", and their variants" : ""}.` : "These options leave nothing to export.");
  }
  for (const option of [variants, accepted, least]) option.addEventListener("input", tell);
  const element = h("div", {}, h("div", { class: "export-options", role: "group", "aria-label": "What to export" },
    h("label", {}, variants, "Include variants of terms"), h("label", {}, accepted, "Only accepted terms and names"), h("label", {}, "Minimum confidence of a topic", least)), told);
  return { element, tell, query: () => `?variants=${variants.checked}&min_confidence=${bound()}&accepted=${accepted.checked}` };
}

function piece(title, about, text, announce) {
  return h("div", { class: "lines" }, h("div", { class: "lines-head" }, h("div", {}, h("h3", {}, title), about ? h("span", { class: "soft small" }, about) : null),
    copyButton(() => text, "Copy", announce, `Copy: ${title}`)), h("pre", { tabIndex: 0, "aria-label": title }, text));
}
