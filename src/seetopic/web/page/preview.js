// Preview of a file before indexing: which column holds the text, and the title of the corpus.

import { post } from "./api.js";
import { fill, h, note, skeleton } from "./dom.js";
import { counted } from "./telling.js";

const NONE = "";

export function preview({ source, name, workbench, announce, back, made }) {
  const table = h(
    "div",
    { class: "table", tabIndex: 0, role: "region", "aria-label": "The first documents" },
    skeleton(6),
  );
  const facts = h("p", { class: "soft small" });
  const problem = h("div", { role: "alert" });
  const text = h("select", {});
  const label = h("select", {});
  const title = h("input", {
    value: name.replace(/\.(csv|tsv|jsonl|txt|parquet|gz|xlsx)+$/i, ""),
    maxLength: 120,
    required: true,
  });
  const advanced = advancedFields(workbench);
  const begin = h("button", { type: "submit", class: "primary", disabled: true }, "Index it");
  const form = h(
    "form",
    { class: "preview" },
    h("h2", { tabIndex: -1 }, name),
    facts,
    problem,
    table,
    h(
      "div",
      { class: "fields" },
      labelled("Text column", text, "the text to index"),
      labelled("Label column", label, "for quality measures, if there is one"),
      labelled("Title", title),
    ),
    advanced.element,
    h("p", { class: "actions" }, begin, h("button", { type: "button", on: { click: back } }, "Choose another")),
  );

  async function look() {
    try {
      const found = await post("/api/previews", { source });
      const columned = found.text_field !== null;
      for (const each of [text, label]) each.closest("label").hidden = !columned;
      fill(
        text,
        found.columns.map((each) => option(each)),
      );
      text.value = found.text_field ?? NONE;
      facts.textContent = [
        found.format,
        found.documents === null ? "" : counted(found.documents, "document"),
        `first ${found.rows.length} shown`,
      ]
        .filter(Boolean)
        .join(" · ");
      text.addEventListener("change", () => draw(found, text.value, label.value));
      draw(found, found.text_field, found.label_field ?? NONE);
      begin.disabled = false;
    } catch (error) {
      fill(problem, note(error.message, "bad"));
      fill(table);
    }
  }

  function draw({ columns, rows }, textField, labelField) {
    fill(
      label,
      option(NONE, "none"),
      columns.filter((each) => each !== textField).map((each) => option(each)),
    );
    label.value = labelField === textField ? NONE : labelField;
    const head = columns.map((each) =>
      h(
        "th",
        { scope: "col", class: each === textField ? "chosen" : "" },
        each,
        each === textField ? h("span", { class: "tag good" }, "text") : null,
      ),
    );
    const cells = (row) =>
      columns.map((each) =>
        h("td", { class: each === textField ? "chosen" : "" }, h("div", { class: "cell" }, row[each] ?? "")),
      );
    fill(
      table,
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, head)),
        h(
          "tbody",
          {},
          rows.map((row) => h("tr", {}, cells(row))),
        ),
      ),
    );
    if (textField) announce(`The text column is ${textField}`);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    begin.disabled = true;
    try {
      made(
        await post("/api/corpora", {
          source,
          title: title.value.trim() || name,
          ...(text.value ? { text_field: text.value } : {}),
          ...(label.value ? { label_field: label.value } : {}),
          ...advanced.values(),
        }),
      );
    } catch (error) {
      fill(problem, note(error.message, "bad"));
      problem.scrollIntoView({ block: "nearest" });
      begin.disabled = false;
    }
  });
  look();
  return form;
}

const option = (value, shown = value) => h("option", { value }, shown);
const labelled = (name, field, about = "") =>
  h("label", { class: "field" }, h("span", {}, name), field, about ? h("small", {}, about) : null);

function advancedFields(workbench) {
  const model = h(
    "select",
    {},
    workbench.models.map((each, at) => option(at === 0 ? NONE : each, each)),
  );
  const least = h("input", { type: "number", min: 1, placeholder: "default" });
  const language = h("input", { placeholder: "automatic, or en, de, …", maxLength: 100, spellcheck: false });
  const broken = h(
    "select",
    {},
    h("option", { value: "raise" }, "stop with an error"),
    h("option", { value: "skip" }, "skip and count them"),
  );
  return {
    element: h(
      "details",
      { class: "advanced" },
      h("summary", {}, "Advanced"),
      h(
        "div",
        { class: "fields" },
        labelled("Language model", model, "offer others with seetopic serve --model"),
        labelled("Minimum occurrences of a term", least),
        labelled("Language", language),
        labelled("Malformed records", broken),
      ),
    ),
    values: () => ({
      on_error: broken.value,
      ...(model.value ? { model: model.value } : {}),
      ...(least.value ? { min_count: Number(least.value) } : {}),
      ...(language.value.trim() ? { language: language.value.trim() } : {}),
    }),
  };
}
