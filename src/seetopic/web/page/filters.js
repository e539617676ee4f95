// Which documents of a project are looked at: values of kept columns and dates; the same in every part of the project.

import { get } from "./api.js";
import { field } from "./asking.js";
import { fill, h, icon, note } from "./dom.js";
import { popover } from "./popover.js";
import { counted } from "./telling.js";

const NOTHING = { groups: {}, time: null, since: null, until: null, dates: null };
const LISTED = 12; // values from which on they can be searched
const known = new WeakMap(); // open project -> its filter

/** The filter of an open project. Events: "filter" (it changed), "columns" (they are known). */
export class ProjectFilter extends EventTarget {
  constructor(open) {
    super();
    this.open = open;
    this.columns = null;
    this.value = { ...NOTHING, ...this.#stored() };
  }

  static of(open) {
    if (!known.has(open)) known.set(open, new ProjectFilter(open));
    return known.get(open);
  }

  get active() {
    return Object.keys(this.value.groups).length > 0 || Boolean(this.value.since || this.value.until);
  }

  /** The filter as the server takes it, with words and a category. */
  query(more = {}) {
    const given = Object.entries({ ...this.value, ...more }).filter(([, each]) => each !== null && each !== "");
    return Object.fromEntries(given);
  }

  set(change) {
    this.value = { ...this.value, ...change };
    try {
      sessionStorage.setItem(`seetopic-filter-${this.open.id}`, JSON.stringify(this.value));
    } catch {
      /* without storage, it lasts until the page is closed */
    }
    this.dispatchEvent(new Event("filter"));
  }

  clear() {
    this.set({ ...NOTHING, dates: this.value.dates });
  }

  /** Columns that are not there any more, after indexing again, are not asked for. */
  async load(signal) {
    const order = this.value.dates ? `?dates=${this.value.dates}` : "";
    this.columns = await get(`${this.open.path}/columns${order}`, { signal });
    const names = new Set(this.columns.map((each) => each.name));
    const groups = Object.fromEntries(Object.entries(this.value.groups).filter(([name]) => names.has(name)));
    const lost = Object.keys(groups).length < Object.keys(this.value.groups).length;
    if (this.value.time && !names.has(this.value.time)) this.set({ groups, time: null, since: null, until: null });
    else if (lost) this.set({ groups });
    this.dispatchEvent(new Event("columns"));
    return this.columns;
  }

  /** The filter in words. */
  words() {
    const groups = Object.entries(this.value.groups).map(([name, values]) => `${name}: ${values.map((each) => each || "(empty)").join(" or ")}`);
    return [...groups, ...(this.value.since || this.value.until ? [`${this.value.time}: ${span(this.value)}`] : [])];
  }

  #stored() {
    try {
      return JSON.parse(sessionStorage.getItem(`seetopic-filter-${this.open.id}`)) ?? {};
    } catch {
      return {};
    }
  }
}

const span = ({ since, until }) => (since && until ? `${since} to ${until}` : since ? `from ${since}` : `until ${until}`);

/** A button for each column that opens its values; `element` and `draw()`. */
export function filterBar(filter) {
  const element = h("div", { class: "column-filters", role: "group", "aria-label": "Filters" });
  const clear = h("button", { type: "button", class: "plain", on: { click: () => filter.clear() } }, "Clear filters");
  const button = (column) => {
    const chosen = column.kind === "date" ? filter.value.time === column.name && (filter.value.since || filter.value.until) : filter.value.groups[column.name]?.length;
    const told = !chosen ? (column.kind === "date" ? "any time" : "all") : column.kind === "date" ? span(filter.value) : shown(filter.value.groups[column.name]);
    const made = h("button", { type: "button", class: chosen ? "column-filter on" : "column-filter", dataset: { column: column.name }, "aria-haspopup": "dialog" }, h("span", { class: "soft" }, `${column.name}:`), " ", told, icon("down"));
    made.addEventListener("click", () => openColumn(filter, column, made));
    return made;
  };
  const draw = () => {
    const columns = (filter.columns ?? []).filter((each) => each.kind !== "text");
    const held = element.contains(document.activeElement) ? document.activeElement.dataset.column : null;
    fill(element, columns.map(button), filter.active ? clear : null);
    element.hidden = !columns.length;
    if (held) [...element.children].find((each) => each.dataset.column === held)?.focus();
  };
  draw();
  return { element, draw };
}

const shown = (values) => (values.length > 2 ? `${values.length} chosen` : values.map((each) => each || "(empty)").join(", "));

function openColumn(filter, column, anchor) {
  const content = column.kind === "date" ? datesOf(filter, column) : valuesOf(filter, column);
  popover(anchor, h("div", { class: "filter-choices", role: "dialog", "aria-label": column.name }, h("h2", {}, column.name), content), anchor, true);
}

function valuesOf(filter, column) {
  const list = h("div", { class: "values" });
  const search = h("input", { type: "search", placeholder: "Find a value", "aria-label": "Find a value" });
  const change = (value, on) => {
    const { [column.name]: before = [], ...others } = filter.value.groups;
    const now = on ? [...before, value] : before.filter((each) => each !== value);
    filter.set({ groups: now.length ? { ...others, [column.name]: now } : others });
  };
  const draw = () => {
    const wanted = search.value.toLowerCase();
    fill(list, column.values.filter(({ value }) => value.toLowerCase().includes(wanted)).map(({ value, documents }) => {
      const box = h("input", { type: "checkbox", checked: filter.value.groups[column.name]?.includes(value) ?? false });
      box.addEventListener("change", () => change(value, box.checked));
      return h("label", {}, box, h("span", {}, value || "(empty)"), h("span", { class: "soft small number" }, documents.toLocaleString("en")));
    }));
  };
  search.addEventListener("input", draw);
  draw();
  return [column.values.length > LISTED ? search : null, list, column.more ? h("p", { class: "soft small" }, `and ${counted(column.more, "rarer value")}`) : null];
}

function datesOf(filter, column) {
  if (column.problem) return [note(sentence(column.problem)), orderChoice(filter)];
  const mine = filter.value.time === column.name;
  const input = (value) => h("input", { type: "date", min: column.first ?? "", max: column.last ?? "", value: mine ? (value ?? "") : "" });
  const since = input(filter.value.since);
  const until = input(filter.value.until);
  const change = () => filter.set({ time: column.name, since: since.value || null, until: until.value || null });
  for (const each of [since, until]) each.addEventListener("change", change);
  return [field("From", since), field("To", until), h("p", { class: "soft small" }, `${column.first} to ${column.last}${column.undated ? `; ${counted(column.undated, "document")} without a date` : ""}`)];
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** Whether 3/4/2025 is in March or in April. */
export function orderChoice(filter) {
  const choose = (order) => async () => {
    filter.set({ dates: order });
    await filter.load();
  };
  return h("p", { class: "actions" }, h("button", { type: "button", on: { click: choose("day-first") } }, "The day comes first"), h("button", { type: "button", on: { click: choose("month-first") } }, "The month comes first"));
}
