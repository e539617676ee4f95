// Form fields, confirmation dialogs, and buttons to copy text and save files.

import { h, icon } from "./dom.js";

let fields = 0;

/** A control with a label above and a hint below, which is its description and not part of its label. */
export function field(name, control, hint = null) {
  control.id ||= `field-${++fields}`;
  if (hint) control.setAttribute("aria-describedby", `${control.id}-hint`);
  return h("div", { class: "field" }, h("label", { for: control.id }, name), control, hint ? h("small", { id: `${control.id}-hint` }, hint) : null);
}

/** Ask the user to confirm something that cannot be undone. */
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
  } catch { /* the clipboard API needs HTTPS */ }
  const field = h("textarea", { class: "unseen", value: text, readOnly: true });
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

/** A button that copies the result of `text()`, and says so. */
export function copyButton(text, label, announce, name = label) {
  const word = h("span", {}, label);
  const button = h("button", { type: "button", class: "copy", "aria-label": name }, word);
  let timer = 0;
  button.addEventListener("click", async () => {
    const done = await copied(text());
    button.focus();
    word.replaceChildren(...(done ? [icon("check"), " Copied"] : ["Select and copy it"]));
    announce(done ? "Copied" : "Copying failed: select the text and copy it yourself");
    clearTimeout(timer);
    timer = setTimeout(() => word.replaceChildren(label), 2500);
  });
  return button;
}

/** Fetch a file and let the browser save it; an error has the server's message. */
export async function saved(path) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin" });
  } catch {
    throw new Error("The workbench cannot be reached; try again.");
  }
  if (!response.ok) {
    const body = await response.json().catch(() => null);
    throw new Error(body?.problem ?? `The workbench returned status ${response.status}; try again.`);
  }
  const named = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("content-disposition") ?? "");
  const address = URL.createObjectURL(await response.blob());
  const link = h("a", { href: address, download: named ? decodeURIComponent(named[1]) : "seetopic" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A button that saves a file; `told(problem)` is called with an error message, or null. */
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
