// Tables of sorted documents: which ones, in which format, made in the background, and downloaded when ready.

import { del, get, post } from "./api.js";
import { field } from "./asking.js";
import { fill, h, note, progress } from "./dom.js";
import { ago, counted, lasting, sized } from "./telling.js";

const POLL = 700; // milliseconds
const FORMATS = { csv: "CSV", xlsx: "Excel (.xlsx)", parquet: "Parquet" };

/** A button that opens a form, and the list of tables; `query()` is the search at that moment. */
export function tablesPanel(open, { query, words, total, announce }) {
  const button = h("button", { type: "button", "aria-expanded": "false" }, "Download a table");
  const list = h("ul", { class: "tables" });
  const place = h("div", { class: "table-form card", hidden: true });
  const element = h("div", {}, place, list);
  const gone = new AbortController();
  let timer = 0;
  let known = new Map();

  button.addEventListener("click", () => {
    place.hidden = !place.hidden;
    button.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.hidden) {
      fill(place, form());
      place.querySelector("select")?.focus();
    }
  });

  function form() {
    const which = h("select", {}, h("option", { value: "all" }, "all documents"), h("option", { value: "found" }, ""));
    const format = h("select", {}, Object.entries(FORMATS).map(([value, name]) => h("option", { value }, name)));
    const text = h("input", { type: "checkbox", checked: true });
    const read = h("input", { type: "checkbox" });
    const problem = h("div", { role: "alert" });
    const make = h("button", { type: "submit", class: "primary" }, "Sort and download");
    place.draw = () => {
      const found = which.options[1];
      found.textContent = `the ${counted(total(), "document")} found${words().length ? `: ${words().join(", ")}` : ""}`;
      found.disabled = !words().length || !total();
      if (found.disabled) which.value = "all";
    };
    place.draw();
    if (words().length && total()) which.value = "found";
    return h("form", { on: { submit: async (event) => {
      event.preventDefault();
      make.disabled = true;
      fill(problem);
      const some = which.value === "found";
      try {
        const made = await post(`${open.path}/tables`, { format: format.value, text: text.checked, read: read.checked, filter: some ? query() : {}, about: some ? words().join(", ") : "all documents" });
        known.set(made.id, "asked");
        announce("The table is being made");
        button.click();
        load();
      } catch (error) {
        fill(problem, note(error.message, "bad"));
      }
      make.disabled = false;
    } } },
      h("p", { class: "soft" }, "Every document is sorted into your categories. The table has its best category, its shares in all of them, the terms that decided, and the columns you kept."),
      h("div", { class: "fields" }, field("Documents", which), field("Format", format)),
      h("p", { class: "ticks" }, h("label", {}, text, "Include the text"), h("label", {}, read, "Let the language model read every document", h("small", { class: "soft" }, "more accurate, takes minutes"))),
      problem, h("p", { class: "actions" }, make, h("span", { class: "soft small" }, "You can go on working meanwhile.")));
  }

  async function load() {
    clearTimeout(timer);
    try {
      draw(await get(`${open.path}/tables`, { signal: gone.signal }));
    } catch (error) {
      if (error.name !== "AbortError") timer = setTimeout(load, 5 * POLL);
    }
  }

  function draw(tables) {
    fill(list, tables.map(line));
    for (const table of tables) {
      // A table that was asked for here is saved as soon as it is ready.
      if (table.state === "ready" && known.get(table.id) === "asked") {
        list.querySelector(`[data-table="${table.id}"] a`)?.click();
        announce(`${table.name} is ready`);
      }
      if (table.state !== "working") known.set(table.id, "told");
    }
    if (tables.some((each) => each.state === "working")) timer = setTimeout(load, POLL);
  }

  function line(table) {
    const remove = h("button", { type: "button", class: "plain", "aria-label": `${table.state === "working" ? "Stop" : "Remove"} ${table.name}`, on: { click: async () => {
      await del(`${open.path}/tables/${table.id}`).catch(() => {});
      load();
    } } }, table.state === "working" ? "Stop" : "Remove");
    const { job } = table;
    const told = table.state === "working"
      ? [h("span", { class: "soft small number" }, job ? [job.stage, job.total ? `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}` : "", job.remaining === null ? "" : `about ${lasting(job.remaining)} left`].filter(Boolean).join(" · ") : "starting…"), progress(job?.share ?? 0, `Making ${table.name}`)]
      : table.state === "failed" ? note(table.problem, "bad")
      : h("span", { class: "soft small number" }, `${table.about || "all documents"} · ${counted(table.documents, "row")} · ${sized(table.bytes)} · ${ago(table.made)}${table.left_out.length ? ` · without your column ${table.left_out.join(", ")}, because the table has its own` : ""}`);
    const name = table.state === "ready" ? h("a", { href: `${open.path}/tables/${table.id}/file`, download: table.name }, table.name) : h("b", {}, table.name);
    return h("li", { dataset: { table: table.id, state: table.state } }, h("div", { class: "table-line" }, name, told), remove);
  }

  load();
  return { button, element, draw: () => place.draw?.(), stop: () => { gone.abort(); clearTimeout(timer); } };
}
