// A look at a file before it is indexed: which column holds the text, and what the corpus is called.

import { post } from "./api.js";
import { fill, h, note, skeleton } from "./dom.js";
import { counted } from "./telling.js";

const NONE = "";

export function preview({ source, name, workbench, announce, back, made }) {
  const table = h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "The first documents" }, skeleton(6));
  const facts = h("p", { class: "soft small" });
  const problem = h("div", { role: "alert" });
  const text = h("select", {});
  const label = h("select", {});
  const title = h("input", { value: name.replace(/\.(csv|tsv|jsonl|txt|parquet|gz|xlsx)+$/i, ""), maxLength: 200, required: true });
  const advanced = advancedFields(workbench);
  const begin = h("button", { type: "submit", class: "primary", disabled: true }, "Index it");
  const form = h("form", { class: "preview" },
    h("h2", { tabIndex: -1 }, name), facts, problem, table,
    h("div", { class: "fields" }, labelled("Text column", text, "what is read"), labelled("Label column", label, "for figures of quality, if there is one"), labelled("Title", title)),
    advanced.element,
    h("p", { class: "actions" }, begin, h("button", { type: "button", on: { click: back } }, "Choose another")));

  async function look(field) {
    begin.disabled = true;
    fill(problem);
    try {
      draw(await post("/api/previews", field ? { source, text_field: field } : { source }));
      begin.disabled = false;
    } catch (error) {
      fill(problem, note(error.message, "bad"));
      if (!text.options.length) fill(table);
    }
  }

  function draw({ columns, text_field: textField, label_field: labelField, rows, format, documents }) {
    const option = (value, shown = value) => h("option", { value }, shown);
    fill(text, columns.map((each) => option(each)));
    const kept = label.options.length ? label.value : labelField ?? NONE;
    fill(label, option(NONE, "none"), columns.filter((each) => each !== textField).map((each) => option(each)));
    text.value = textField;
    label.value = [...label.options].some((each) => each.value === kept) ? kept : NONE;
    facts.textContent = [format, documents === null ? "" : counted(documents, "document"), `the first ${rows.length} are shown`].filter(Boolean).join(" · ");
    const head = columns.map((each) => h("th", { scope: "col", class: each === textField ? "chosen" : "" }, each, each === textField ? h("span", { class: "tag good" }, "text") : null));
    const cells = (row) => columns.map((each) => h("td", { class: each === textField ? "chosen" : "" }, h("div", { class: "cell" }, row[each] ?? "")));
    fill(table, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))));
    announce(`The text column is ${textField}`);
  }

  text.addEventListener("change", () => look(text.value));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    begin.disabled = true;
    try {
      made(await post("/api/corpora", { source, title: title.value.trim() || name, text_field: text.value, ...(label.value ? { label_field: label.value } : {}), ...advanced.values() }));
    } catch (error) {
      fill(problem, note(error.message, "bad"));
      problem.scrollIntoView({ block: "nearest" });
      begin.disabled = false;
    }
  });
  look(null);
  return form;
}

const labelled = (name, field, about = "") => h("label", { class: "field" }, h("span", {}, name), field, about ? h("small", {}, about) : null);

function advancedFields(workbench) {
  const model = h("input", { placeholder: "the one that comes with seetopic", value: "", spellcheck: false }, []);
  const models = h("datalist", { id: "models" }, workbench.models.map((each) => h("option", { value: each })));
  model.setAttribute("list", "models");
  const least = h("input", { type: "number", min: 1, placeholder: "chosen by the size of the corpus" });
  const language = h("input", { placeholder: "found by itself, e.g. en, de, zh", maxLength: 12, spellcheck: false });
  const broken = h("select", {}, h("option", { value: "raise" }, "stop and tell"), h("option", { value: "skip" }, "skip and count them"));
  return {
    element: h("details", { class: "advanced" }, h("summary", {}, "Advanced"), models, h("div", { class: "fields" },
      labelled("Language model", model, "a name or a folder on the server"), labelled("Least occurrences of a term", least), labelled("Language", language), labelled("Broken records", broken))),
    values: () => ({
      on_error: broken.value,
      ...(model.value.trim() ? { model: model.value.trim() } : {}),
      ...(least.value ? { min_count: Number(least.value) } : {}),
      ...(language.value.trim() ? { language: language.value.trim() } : {}),
    }),
  };
}
