// Shares of the categories over time and by group, with bands, and what rises, falls or differs.

import { post } from "./api.js";
import { field } from "./asking.js";
import { debounce, empty, fill, h, hueByPlace, note, progress, say, skeleton } from "./dom.js";
import { filterBar, orderChoice, ProjectFilter } from "./filters.js";
import { counted } from "./telling.js";

const POLL = 500; // milliseconds, while documents are being sorted
const WIDEST = 1300;
const UNITS = { auto: "automatic", day: "days", week: "weeks", month: "months", quarter: "quarters", year: "years" };
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;

export function show(root, { open }) {
  const filter = ProjectFilter.of(open);
  const bar = filterBar(filter);
  const time = h("select", {});
  const group = h("select", {});
  const unit = h("select", {}, Object.entries(UNITS).map(([value, name]) => h("option", { value }, name)));
  const choices = h("div", { class: "fields trend-choices" }, field("Over time", time), field("In", unit), field("By group", group));
  const state = h("div", { role: "status" });
  const about = h("p", { class: "soft" });
  const drawing = h("div", { class: "drawn" }, skeleton(8));
  const findings = h("div");
  const numbers = h("div");
  const shown = h("div", {}, about, h("section", { class: "card figure trend-figure" }, drawing), findings, numbers);
  const page = h("div", { class: "page wide" }, h("h1", {}, "Trends"), h("p", { class: "soft" }, "How large each category is over time, and how groups differ."), choices, bar.element, state, shown);
  root.append(page);
  const gone = new AbortController();
  let asked = new AbortController();
  let timer = 0;
  let last = "";

  function choose() {
    const columns = filter.columns;
    const dates = columns.filter((each) => each.kind === "date");
    const groups = columns.filter((each) => each.kind === "group");
    const option = (value, name = value) => h("option", { value }, name);
    const before = [time.value, group.value];
    fill(time, option("", "not"), dates.map((each) => option(each.name)));
    fill(group, option("", "none"), groups.map((each) => option(each.name)));
    time.value = dates.some((each) => each.name === before[0]) ? before[0] : (dates[0]?.name ?? "");
    group.value = groups.some((each) => each.name === before[1]) ? before[1] : dates.length ? "" : (groups[0]?.name ?? "");
    if (dates.length || groups.length) return true;
    const change = h("a", { class: "button primary", href: `#/corpus/${encodeURIComponent(open.project.corpus)}/options` }, "Choose columns to keep");
    fill(page, h("h1", {}, "Trends"), empty("No dates or groups yet", "To see how categories change over time or differ between groups, keep the columns with dates, sources, countries or the like. The documents are not sent again.", change));
    return false;
  }

  async function load() {
    clearTimeout(timer);
    if (!filter.columns) return;
    if (!open.project.categories.length) {
      shown.hidden = true;
      return fill(state, empty("Nothing to show yet", "Name at least one category under Topics."));
    }
    if (!time.value && !group.value) {
      shown.hidden = true;
      return fill(state, note("Choose a column with dates, or one with groups."));
    }
    const unclear = filter.columns.find((each) => each.name === time.value && each.problem);
    if (unclear) {
      shown.hidden = true;
      return fill(state, note(`${unclear.problem[0].toUpperCase()}${unclear.problem.slice(1)}.`), orderChoice(filter));
    }
    const room = Math.max(300, Math.min(WIDEST, page.clientWidth - 60));
    const width = Math.floor(room / 20) * 20;
    const body = { filter: filter.query(), by: unit.value, ...(time.value ? { time: time.value } : {}), ...(group.value ? { group: group.value } : {}) };
    const key = JSON.stringify([body, width, open.version]);
    if (key === last) return;
    asked.abort();
    const mine = (asked = new AbortController());
    root.classList.add("waiting");
    try {
      const found = await post(`${open.path}/trends?width=${width}`, body, { signal: mine.signal });
      if (asked !== mine) return;
      if (found.sorting) {
        const { done, total } = found.sorting;
        fill(state, h("div", { class: "sorting" }, h("p", { class: "soft small number" }, total ? `Sorting documents into the categories: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "Sorting documents into the categories…"), progress(total ? done / total : 0, "Sorting documents")));
        timer = setTimeout(load, POLL);
        return;
      }
      last = key;
      draw(found);
    } catch (error) {
      if (error.name === "AbortError" || asked !== mine) return;
      shown.hidden = true;
      fill(state, note(error.message, "bad"));
    } finally {
      if (asked === mine) root.classList.remove("waiting");
    }
  }

  function draw(found) {
    fill(state);
    shown.hidden = false;
    const left = Object.entries(found.left_out).map(([reason, number]) => `${number.toLocaleString("en")} ${reason}`).join(", ");
    say(about, `${counted(found.documents, "document")}${filter.active ? ` (${filter.words().join(", ")})` : ""}. Bands and bars are 95 % intervals: the true share is probably within them.${left ? ` Left out: ${left}.` : ""}`);
    const holder = document.createElement("template");
    holder.innerHTML = found.picture.svg; // escaped by the server
    drawing.style.setProperty("max-width", `${found.picture.width * 1.2}px`);
    drawing.replaceChildren(holder.content);
    if (!(time.value && group.value)) hueByPlace(drawing, open.project.categories); // with both, colours are groups
    const grouped = Boolean(group.value);
    const sentence = (each) => h("li", {}, h("b", {}, each.category), each.group ? ` (${each.group})` : "", each.after > each.before ? " rises from " : " falls from ", percent(each.before), " to ", h("b", {}, percent(each.after)), ` from ${each.period} on`);
    const differs = (each) => h("li", {}, h("b", {}, each.category), each.after > each.before ? " is more frequent in " : " is rarer in ", h("b", {}, each.group), `: ${percent(each.after)}, elsewhere ${percent(each.before)}`);
    fill(findings,
      time.value ? [h("h2", { class: "gap" }, "Rises and falls"), found.changes.length ? h("ul", { class: "findings" }, found.changes.map(sentence)) : h("p", { class: "soft" }, "No share rises or falls more than chance explains.")] : null,
      grouped ? [h("h2", { class: "gap" }, "Differences between groups"), found.differences.length ? h("ul", { class: "findings" }, found.differences.map(differs)) : h("p", { class: "soft" }, "No group differs from the others more than chance explains.")] : null);
    const heads = ["Category", ...(grouped ? ["Group"] : []), ...(time.value ? ["Period"] : []), "Documents", "Of", "Share", "95 % interval"];
    const row = (each) => h("tr", {}, [each.category, ...(grouped ? [each.group] : []), ...(time.value ? [each.period] : []), each.documents.toLocaleString("en"), each.of.toLocaleString("en"), percent(each.share), `${percent(each.low)} to ${percent(each.high)}`].map((cell) => h("td", {}, cell)));
    const table = h("details", { class: "gap" }, h("summary", {}, "Numbers"));
    table.addEventListener("toggle", () => table.open && table.children.length === 1 && table.append(h("div", { class: "table", tabIndex: 0, role: "region", "aria-label": "Numbers" }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((each) => h("th", { scope: "col" }, each)))), h("tbody", {}, found.shares.map(row))))));
    fill(numbers, table);
  }

  const later = debounce(150, load);
  const onFilter = () => {
    bar.draw();
    later();
  };
  const watch = new ResizeObserver(later);
  watch.observe(page);
  for (const each of [time, group, unit]) each.addEventListener("change", load);
  const heard = [[filter, "filter", onFilter], [filter, "columns", onFilter], [open, "topics", later]];
  for (const [source, name, run] of heard) source.addEventListener(name, run);
  filter.load(gone.signal).then(() => choose() && load(), (error) => error.name !== "AbortError" && fill(state, note(error.message, "bad")));
  return {
    stop() {
      clearTimeout(timer);
      later.cancel();
      watch.disconnect();
      gone.abort();
      asked.abort();
      for (const [source, name, run] of heard) source.removeEventListener(name, run);
    },
  };
}
