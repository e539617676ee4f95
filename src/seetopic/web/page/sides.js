// What can be compared: this project, other projects, steps of the history, methods.

import { get } from "./api.js";
import { field } from "./asking.js";
import { h } from "./dom.js";

const STEPS = 50; // newest steps of the history

/** Groups of choices: [{label, closed, choices: [{side, title, about, tag, disabled}]}]. */
export async function sideGroups(open, workbench, signal) {
  const [projects, steps] = await Promise.all([get("/api/projects", { signal }), get(`${open.path}/history`, { signal })]);
  const others = projects.filter((each) => each.id !== open.id && each.categories.length);
  return [
    { label: "Names", choices: [{ side: { kind: "project", id: open.id }, title: "This project as it is now", about: "the topics you see under Topics" }] },
    { label: "Methods, with the same names", choices: workbench.methods.map((method) => ({
      side: { kind: "method", name: method.name }, title: method.name, about: method.about, disabled: !method.available,
      tag: !method.available ? "not installed" : method.trains ? "minutes" : method.slow ? "slow" : "" })) },
    { label: "Other projects", closed: true, choices: others.map((each) => ({ side: { kind: "project", id: each.id }, title: each.title, about: each.corpus_title })) },
    { label: "Earlier steps", closed: true, choices: steps.filter((step) => !step.current).slice(0, STEPS).map((step) => ({ side: { kind: "version", number: step.number }, title: `Step ${step.number}`, about: `${step.label}, by ${step.by}` })) },
  ].filter((group) => group.choices.length);
}

/** A select element for one side. */
export function sideSelect(label, groups, chosen) {
  const option = (choice) => h("option", { value: JSON.stringify(choice.side), disabled: choice.disabled ?? false },
    choice.side.kind === "method" ? [`${choice.about} (${choice.title})`, choice.tag].filter(Boolean).join(" · ") : [choice.title, choice.about, choice.tag].filter(Boolean).join(" · "));
  const select = h("select", {}, groups.map((group) => h("optgroup", { label: group.label }, group.choices.map(option))));
  select.value = JSON.stringify(chosen);
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return { element: field(label, select), select, side: () => JSON.parse(select.value) };
}

/** Checkboxes for several sides. */
export function sideChecks(groups) {
  const boxes = [];
  const line = (choice, first) => {
    const box = h("input", { type: "checkbox", checked: first, disabled: choice.disabled ?? false });
    boxes.push([box, choice.side]);
    return h("li", {}, h("label", { class: choice.disabled ? "choice off" : "choice" }, box,
      h("span", {}, h("b", {}, choice.title), " ", h("span", { class: "soft small" }, choice.about)),
      choice.tag ? h("span", { class: "tag" }, choice.tag) : null));
  };
  const list = (group, at) => h("ul", { class: "choices" }, group.choices.map((choice, place) => line(choice, at === 0 && place === 0)));
  const drawn = groups.map((group, at) => group.closed
    ? h("details", {}, h("summary", {}, `${group.label} (${group.choices.length})`), list(group, at))
    : h("div", { role: "group", "aria-label": group.label }, h("p", { class: "group-label", "aria-hidden": "true" }, group.label), list(group, at)));
  return { element: h("div", { class: "sides" }, drawn), sides: () => boxes.filter(([box]) => box.checked && !box.disabled).map(([, side]) => side) };
}
