// What a category covers, its other names, and its required and excluded terms, as tags with a form to add more.

import { h, icon, keyed, say } from "./dom.js";

const SHOWN = 8; // tags before the rest is collapsed
const KINDS = {
  covers: { label: "covers", mark: "covers", colour: "long", hint: "matches, athletes and clubs", most: 1000 },
  also: { label: "also called", mark: "also", colour: "", hint: "another name", most: 200 },
  must: { label: "must have", mark: "+", colour: "good", hint: "term", most: 200 },
  not: { label: "must not have", mark: "−", colour: "bad", hint: "term", most: 200 },
};

const furtherNames = (category) => category.names.filter((name) => name !== category.name);

export function tagsOf(place, category, open) {
  const all = [
    ...(category.description ? [{ kind: "covers", text: category.description }] : []),
    ...furtherNames(category).map((text) => ({ kind: "also", text })),
    ...category.pinned.map((text) => ({ kind: "must", text })),
    ...category.negative.map((text) => ({ kind: "not", text })),
  ];
  const folded = all.length > SHOWN + 2 && !place.unfolded;
  const shown = folded ? all.slice(0, SHOWN) : all;
  const rest = all.length > SHOWN + 2 ? [{ kind: "fold", text: folded ? `${all.length - SHOWN} more` : "fewer" }] : [];
  place.hidden = all.length === 0;
  keyed(
    place,
    [...shown, ...rest],
    (each) => (each.kind === "fold" ? "fold" : `${each.kind}:${each.text}`),
    (each) => {
      if (each.kind !== "fold") return tag(each, () => remove(open, category.id, each));
      return h("button", {
        type: "button",
        class: "plain small",
        on: {
          click: () => {
            place.unfolded = !place.unfolded;
            tagsOf(
              place,
              open.project.categories.find((one) => one.id === category.id),
              open,
            );
          },
        },
      });
    },
    (element, each) => each.kind === "fold" && say(element, each.text),
  );
}

function tag({ kind, text }, onremove) {
  const { label, mark, colour } = KINDS[kind];
  return h(
    "span",
    { class: `tag ${colour}`, title: `${label}: ${text}` },
    h("span", { class: "tag-kind", "aria-hidden": "true" }, mark),
    h("span", { class: "unseen" }, `${label}: `),
    text,
    h("button", { type: "button", "aria-label": `Remove: ${label} ${text}`, on: { click: onremove } }, icon("cross")),
  );
}

function remove(open, id, { kind, text }) {
  const category = open.project.categories.find((each) => each.id === id);
  if (!category) return;
  if (kind === "covers") open.edit({ kind: "description", category: id, description: "" });
  else if (kind === "also")
    open.edit({ kind: "names", category: id, names: category.names.filter((name) => name !== text) });
  else open.edit({ kind: "free", category: id, term: text });
}

/** A small form, hidden until needed: the kind, and what it covers, or the name or term. */
export function adder(open, now, announce) {
  const kind = h(
    "select",
    { "aria-label": "What to add" },
    Object.entries(KINDS).map(([value, { label }]) => h("option", { value }, label)),
  );
  const field = h("input", { spellcheck: false });
  const ask = () => {
    field.placeholder = KINDS[kind.value].hint;
    field.maxLength = KINDS[kind.value].most;
    if (kind.value === "covers" && !field.value) field.value = now()?.description ?? ""; // to change what was said
  };
  kind.addEventListener("change", ask);
  const element = h("form", { class: "adder", hidden: true }, kind, field, h("button", { type: "submit" }, "Add"));
  let opener = null;
  const close = () => {
    element.hidden = true;
    opener?.setAttribute("aria-expanded", "false");
    opener?.focus();
  };
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim().replace(/\s+/g, " ");
    const category = now();
    if (!text || !category) return;
    if (kind.value === "covers") open.edit({ kind: "description", category: category.id, description: text });
    else if (kind.value === "also") open.edit({ kind: "names", category: category.id, names: [...category.names, text] });
    else open.edit({ kind: kind.value === "must" ? "pin" : "bar", category: category.id, term: text });
    announce(`${category.name} ${KINDS[kind.value].label} ${text}`);
    field.value = "";
    field.dataset.typing = "false";
    if (kind.value === "covers") close(); // there is only one
  });
  field.addEventListener("input", () => {
    field.dataset.typing = String(field.value !== "");
  });
  element.addEventListener("keydown", (event) => event.key === "Escape" && close());
  return {
    element,
    draw: (category) => field.setAttribute("aria-label", `What to add to ${category.name}`),
    show(button, asked) {
      opener = button;
      kind.value = asked;
      ask();
      element.hidden = false;
      button.setAttribute("aria-expanded", "true");
      field.focus();
    },
  };
}
