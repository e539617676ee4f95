// Preview of documents before indexing: how the file is read, which column holds the text, and what is kept beside it.

import { field } from "./asking.js";
import { fill, h, note, skeleton } from "./dom.js";
import { counted } from "./telling.js";

const NONE = "";
const DELIMITERS = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars (|)" };
const ENCODINGS = { "utf-8": "UTF-8", cp1252: "Windows-1252 (Latin-1)", "utf-16": "UTF-16", "latin-1": "Latin-1" };
const KINDS = { date: "dates", group: "groups", number: "numbers", short: "short texts", text: "text", empty: "empty" };
const DOUBTS = {
  date: (column) => `“${column}” holds dates, not text.`,
  number: (column) => `“${column}” holds numbers, not text.`,
  group: (column) => `“${column}” holds a few short values that repeat, not the text of documents.`,
  empty: (column) => `“${column}” is empty in the first rows.`,
};

/** A form; `ask(reading)` gets the preview, `send(options)` starts indexing, `before` are options used so far. */
export function preview({ name, workbench, announce, back, ask, send, made, before = null, verb = "Index it" }) {
  const table = h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "The first documents" }, skeleton(6));
  const facts = h("p", { class: "soft small" });
  const problem = h("div", { role: "alert" });
  const doubt = h("div", { role: "status" });
  const text = h("select", {});
  const label = h("select", {});
  const title = h("input", { value: name.replace(/\.(csv|tsv|jsonl|ndjson|json|txt|md|parquet|gz|xlsx)+$/i, ""), maxLength: 120, required: true });
  const keep = h("fieldset", { class: "keep", hidden: true });
  const delimiter = h("select", {});
  const encoding = h("select", {});
  const broken = h("select", {}, option("raise", "stop and say which"), option("skip", "skip and count them"));
  const advanced = advancedFields(workbench, before);
  const reading = h("details", { class: "advanced" }, h("summary", {}, "How the file is read"),
    h("div", { class: "fields" }, field("Cells are separated by", delimiter), field("Encoding", encoding, "if letters such as é look wrong"), field("Rows that cannot be read", broken)));
  const begin = h("button", { type: "submit", class: "primary", disabled: true }, verb);
  const columned = [field("Text column", text, "the text to index"), field("Label column", label, "the true category, if there is one")];
  const form = h("form", { class: "preview" },
    h("h2", { tabIndex: -1 }, name), facts, problem, table,
    h("div", { class: "fields" }, columned, field("Title", title)),
    doubt, keep, reading, advanced.element,
    h("p", { class: "actions" }, begin, h("button", { type: "button", on: { click: back } }, before ? "Cancel" : "Choose another")));
  let found = null;
  let asked = 0;

  broken.value = before?.on_error ?? "raise";
  fillSelect(delimiter, DELIMITERS, before?.delimiter);
  fillSelect(encoding, ENCODINGS, before?.encoding);
  const chosen = () => ({ ...(delimiter.value ? { delimiter: delimiter.value } : {}), ...(encoding.value ? { encoding: encoding.value } : {}) });

  async function look() {
    const mine = ++asked;
    begin.disabled = true;
    try {
      const first = found === null;
      const answer = await ask(chosen());
      if (mine !== asked) return;
      found = answer;
      const has = (column) => column && found.columns.includes(column);
      const textField = first && has(before?.text_field) ? before.text_field : has(text.value) ? text.value : found.text_field;
      const labelField = first && before ? before.label_field : has(label.value) ? label.value : found.label_field;
      for (const each of columned) each.hidden = found.text_field === null;
      fill(text, found.columns.map((each) => option(each)));
      text.value = textField ?? NONE;
      recognised(delimiter, DELIMITERS[found.delimiter] ?? found.delimiter);
      recognised(encoding, ENCODINGS[found.encoding] ?? found.encoding);
      delimiter.closest(".field").hidden = found.delimiter === null;
      encoding.closest(".field").hidden = found.encoding === null;
      facts.textContent = [found.format === "folder" || found.format === "index" ? found.format : `.${found.format}`,
        found.delimiter ? `separated by ${DELIMITERS[found.delimiter] ?? found.delimiter}` : "",
        found.encoding ? (ENCODINGS[found.encoding] ?? found.encoding) : "",
        found.documents === null ? "" : counted(found.documents, "document"), `first ${found.rows.length} shown`].filter(Boolean).join(" · ");
      fill(problem);
      drawKept(first ? before?.keep : kept());
      draw(textField, labelField ?? NONE);
      begin.disabled = false;
    } catch (error) {
      if (mine !== asked) return;
      fill(problem, note(error.message, "bad"));
      fill(table);
      reading.open = true;
    }
  }

  /** Columns to keep: those chosen before, or dates and groups, which charts and filters need. */
  function drawKept(names) {
    const wanted = names ?? found.columns.filter((each) => ["date", "group"].includes(found.kinds[each]));
    keep.hidden = found.columns.length < 2;
    fill(keep, h("legend", {}, "Columns to keep"),
      h("p", { class: "soft small" }, "They are shown with each document, and serve as filters and for charts over time and by group."),
      h("div", { class: "ticks" }, found.columns.map((each) =>
        h("label", { dataset: { column: each, kind: KINDS[found.kinds[each]] ?? "" } }, h("input", { type: "checkbox", value: each, checked: wanted.includes(each) }), each))));
  }
  const kept = () => [...keep.querySelectorAll("input:checked")].map((each) => each.value).filter((each) => each !== text.value);

  function draw(textField, labelField) {
    const { columns, rows, kinds } = found;
    fill(label, option(NONE, "none"), columns.filter((each) => each !== textField).map((each) => option(each)));
    label.value = labelField === textField ? NONE : labelField;
    for (const each of keep.querySelectorAll("label")) each.hidden = each.dataset.column === textField;
    const better = columns.find((each) => kinds[each] === "text" && each !== textField);
    const sentence = DOUBTS[kinds[textField]]?.(textField);
    fill(doubt, sentence ? note([sentence, better ? ` Is the text in “${better}”?` : " Is this the right column?"].join("")) : null);
    const head = columns.map((each) => h("th", { scope: "col", class: each === textField ? "chosen" : "" }, each, each === textField ? h("span", { class: "tag good" }, "text") : null));
    const cells = (row) => columns.map((each) => h("td", { class: each === textField ? "chosen" : "" }, h("div", { class: "cell" }, row[each] ?? "")));
    const plain = !columns.length;
    fill(table, h("table", {}, plain ? null : h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, rows.map((row) => h("tr", {}, plain ? h("td", {}, h("div", { class: "cell" }, row.text)) : cells(row))))));
    if (textField) announce(`The text column is ${textField}`);
  }

  text.addEventListener("change", () => draw(text.value, label.value));
  for (const each of [delimiter, encoding]) each.addEventListener("change", look);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    begin.disabled = true;
    try {
      made(await send({
        title: title.value.trim() || name,
        on_error: broken.value,
        keep: kept(),
        ...chosen(),
        ...(text.value ? { text_field: text.value } : {}),
        ...(label.value ? { label_field: label.value } : {}),
        ...advanced.values(),
      }));
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

/** What was detected, shown as the first choice while it is chosen. */
const recognised = (select, shown) => (select.options[0].textContent = select.value === NONE ? `${shown} (recognised)` : "recognise it");

function fillSelect(select, known, value) {
  const more = value && !Object.hasOwn(known, value) ? [option(value)] : [];
  fill(select, option(NONE, "recognise it"), Object.entries(known).map(([each, shown]) => option(each, shown)), more);
  select.value = value ?? NONE;
}

function advancedFields(workbench, before) {
  const model = h("select", {}, workbench.models.map((each, at) => option(at === 0 ? NONE : each, each)));
  const least = h("input", { type: "number", min: 1, placeholder: "default" });
  const language = h("input", { placeholder: "automatic, or en, de, …", maxLength: 100, spellcheck: false });
  if (before) {
    model.value = before.model ?? NONE;
    least.value = before.min_count ?? "";
    language.value = before.language === "auto" ? "" : (before.language ?? "");
  }
  return {
    element: h("details", { class: "advanced" }, h("summary", {}, "Advanced"),
      h("div", { class: "fields" }, field("Language model", model, "offer others with seetopic serve --model"), field("Minimum occurrences of a term", least), field("Language", language))),
    values: () => ({
      ...(model.value ? { model: model.value } : {}),
      ...(least.value ? { min_count: Number(least.value) } : {}),
      ...(language.value.trim() ? { language: language.value.trim() } : {}),
    }),
  };
}
