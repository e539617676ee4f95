// Creates elements without ever parsing text as HTML, so that text from documents and users stays text.

const SHAPES = {
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  move: "M2 8h10M8.5 4.5 12 8l-3.5 3.5M14.5 3v10",
  up: "M8 13V3.5M4 7.5l4-4 4 4",
  down: "M8 3v9.5M4 8.5l4 4 4-4",
  back: "M13 8H3.5M7.5 4l-4 4 4 4",
  undo: "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M6 3.5l-3 3 3 3",
  redo: "M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M10 3.5l3 3-3 3",
  grip: "M6 3.5v.01M10 3.5v.01M6 8v.01M10 8v.01M6 12.5v.01M10 12.5v.01",
  plus: "M8 3v10M3 8h10",
  more: "M3.5 8v.01M8 8v.01M12.5 8v.01",
  sliders: "M2.5 5h6M12 5h1.5M2.5 11H5M8.5 11h5M10.2 3.2v3.6M6.8 9.2v3.6",
  folder: "M2 4.5h4l1.5 1.5H14v7H2z",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  index: "M3 3.5h10M3 8h10M3 12.5h10",
  jump: "M6 4.5 9.5 8 6 11.500M12.500 3.500v9",
  fold: "M6 4l4 4-4 4",
  search: "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10M10.6 10.6 14 14",
  keys: "M2 4.5h12v7H2zM4.5 7v.01M7 7v.01M9.5 7v.01M12 7v.01M5 9.5h6",
  person: "M8 8.2a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2M3 13.5c.6-2.4 2.5-3.6 5-3.6s4.400 1.200 5 3.600",
};

/** An element. Props: `class`, `style` (an object, set through CSSOM), `on` (listeners by event), `dataset`,
 * `aria-*` and other attributes with a dash, `ref` (called with the element); anything else is set as a property. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  set(element, props ?? {});
  fill(element, children);
  return element;
}

export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined) continue;
    if (name === "class") element.className = value;
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name === "on")
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "ref") value(element);
    else if (name.includes("-") || name === "role" || name === "for" || name === "list" || name === "colspan")
      attribute(element, name, value);
    else element[name] = value;
  }
  return element;
}

function attribute(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** Replace the children: text becomes text nodes; null and false are left out. */
export function fill(element, ...children) {
  const nodes = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(...nodes.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** Like `fill`, but if the focus was inside, it moves to the control in the same position. */
export function refill(element, ...children) {
  const stops = () => [...element.querySelectorAll("a[href], button, summary, input, select, textarea")];
  const held = element.contains(document.activeElement) ? stops().indexOf(document.activeElement) : -1;
  fill(element, ...children);
  if (held >= 0)
    stops()
      .slice(0, held + 1)
      .at(-1)
      ?.focus({ preventScroll: true });
  return element;
}

/** Set text only if it differs, so that screen readers and selections are not disturbed. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
  return element;
}

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon and an accessible label. */
export function iconButton(name, label, onclick, props = {}) {
  return h(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label, on: { click: onclick }, ...props },
    icon(name),
  );
}

/** Make `parent`'s children match `items` by key. Existing elements are reused, and the focused one is never detached,
 * so that focus and caret are kept. `make(item)` creates an element, and `update(element, item)` updates it. */
export function keyed(parent, items, keyOf, make, update) {
  const before = new Map();
  for (const child of [...parent.children]) {
    if (child.dataset.key === undefined) continue;
    if (before.has(child.dataset.key)) child.remove();
    else before.set(child.dataset.key, child);
  }
  const wanted = items.map((item) => {
    const key = String(keyOf(item));
    const element = before.get(key) ?? make(item);
    before.delete(key);
    element.dataset.key = key;
    update(element, item);
    return element;
  });
  for (const left of before.values()) left.remove();
  const fixed = wanted.findIndex((element) => element.contains(document.activeElement));
  const pivot = fixed < 0 ? null : wanted[fixed];
  wanted.slice(0, Math.max(fixed, 0)).forEach((element, at) => {
    const there = parent.children[at];
    if (there !== element) parent.insertBefore(element, there ?? null);
  });
  let last = pivot;
  for (const element of wanted.slice(fixed + 1)) {
    const there = last ? last.nextElementSibling : parent.firstElementChild;
    if (there !== element) parent.insertBefore(element, there);
    last = element;
  }
}

/** Text in parts, [text, mark]: marked parts become <mark>, in the colour that `hueOf` returns for the mark. */
export function marked(parts, hueOf = () => null) {
  return parts.map(([text, mark]) => {
    if (mark === false || mark === null || mark === undefined) return text;
    const hue = hueOf(mark);
    return h("mark", hue ? { class: "hued", style: { "--hue": hue.colour }, title: hue.name } : {}, text);
  });
}

const HUES = 24; // as many as the figures have

/** The colour of a category, by its id: it stays when the category is moved or renamed. */
export const hue = (id) => `var(--c${(Math.max(1, Number(String(id).slice(1))) - 1) % HUES})`;

/** Figures number their colours by place: give each place the colour of its category. */
export function hueByPlace(element, categories) {
  const root = document.documentElement.style; // other names for the colours, so that no colour refers to itself
  for (let at = 0; at < HUES; at += 1) root.setProperty(`--hue-${at}`, `var(--c${at})`);
  categories.forEach(({ id }, at) => {
    if (at < HUES) element.style.setProperty(`--c${at}`, hue(id).replace("--c", "--hue-"));
  });
}

export function debounce(wait, run) {
  let timer = 0;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), wait);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

/** An empty state: what is missing, and what to do. */
export function empty(title, text, ...actions) {
  return h(
    "div",
    { class: "empty" },
    h("h2", {}, title),
    h("p", {}, text),
    actions.length ? h("p", { class: "actions" }, actions) : null,
  );
}

export function note(text, kind = "") {
  return h("p", { class: `note ${kind}`.trim(), role: kind === "bad" ? "alert" : undefined }, text);
}

export function progress(share, label) {
  return h(
    "div",
    {
      class: "progress",
      role: "progressbar",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      "aria-valuenow": Math.round(100 * share),
    },
    h("span", { style: { width: `${(100 * share).toFixed(1)}%` } }),
  );
}

/** What is shown while something loads: says what it is, and keeps room for some lines. */
export function skeleton(lines = 3, text = "Loading…") {
  return h("p", { class: "loading-note", style: { "min-height": `${(1.6 * lines).toFixed(1)}rem` } }, text);
}
