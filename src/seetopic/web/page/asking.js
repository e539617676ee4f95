// Small things people are asked or given: whether to go on, a text to copy, a file to keep.

import { h, icon } from "./dom.js";

let fields = 0;

/** A control with its name above and a hint below: the hint is told after the name, not as a part of it. */
export function field(name, control, hint = null) {
  control.id ||= `field-${++fields}`;
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return h("div", { class: "field" }, h("label", { for: control.id }, name), control, hint ? h("small", { id: `${control.id}-hint` }, hint) : null);
}

/** Whether a person says yes to something that cannot be undone. */
export function confirmed(question, verb) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { "aria-label": "Are you sure?" }, h("p", {}, question), h("div", { class: "actions" },
      h("button", { type: "button", on: { click: () => dialog.close("no") } }, "Keep it"),
      h("button", { type: "button", class: "danger", on: { click: () => dialog.close("yes") } }, verb)));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue === "yes"); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { /* browsers keep the clipboard from pages that came without encryption */ }
  const field = h("textarea", { class: "unseen", value: text, readOnly: true });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

/** A button that copies what `text()` gives, and says so. */
export function copyButton(text, label, announce, name = label) {
  const word = h("span", {}, label);
  const button = h("button", { type: "button", class: "copy", "aria-label": name }, word);
  let timer = 0;
  button.addEventListener("click", async () => {
    const done = await copied(text());
    button.focus();
    word.replaceChildren(...(done ? [icon("check"), " Copied"] : ["Select it and copy"]));
    announce(done ? "Copied" : "It could not be copied: select the text and copy it yourself");
    clearTimeout(timer);
    timer = setTimeout(() => word.replaceChildren(label), 2500);
  });
  return button;
}

/** Fetch a file and let the browser keep it; a refusal is thrown as the server's sentence. */
export async function saved(path) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin" });
  } catch {
    throw new Error("The workbench cannot be reached; try again.");
  }
  if (!response.ok) {
    const body = await response.json().catch(() => null);
    throw new Error(body?.problem ?? `The workbench answered ${response.status}; try again.`);
  }
  const named = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("content-disposition") ?? "");
  const address = URL.createObjectURL(await response.blob());
  const link = h("a", { href: address, download: named ? decodeURIComponent(named[1]) : "seetopic" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A button that saves a file; `told(problem)` hears why not, or null. */
export function saveButton(path, label, told, props = {}) {
  const button = h("button", { type: "button", ...props }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    told(null);
    try {
      await saved(path());
    } catch (error) {
      told(error.message);
    }
    button.disabled = false;
    button.focus();
  });
  return button;
}
