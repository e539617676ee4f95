// Opens a saved project file, with its own documents or with others.

import { get, post } from "./api.js";
import { field } from "./asking.js";
import { fill, h, note } from "./dom.js";
import { counted } from "./telling.js";

/** A button that opens a project file, and a place for the outcome: if its documents are missing, the user chooses
 * another corpus. */
export function projectOpener(announce, me) {
  const file = h("input", { type: "file", accept: ".json,application/json", hidden: true });
  const place = h("div");
  const button = h("button", { type: "button", on: { click: () => file.click() } }, "Open a project file");
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    try {
      bring(JSON.parse(await chosen.text()), null);
    } catch {
      fill(place, note(`“${chosen.name}” is not a project file: it is not JSON. Choose one that was saved here or in another workbench.`, "bad"));
    }
  });

  async function bring(content, corpus) {
    fill(place);
    try {
      const project = await post("/api/projects/import", { file: { ...content, topics: null }, by: me(), ...(corpus ? { corpus } : {}) });
      announce("Project opened");
      location.hash = `#/project/${encodeURIComponent(project.id)}/topics`;
    } catch (error) {
      fill(place, note(error.message, error.body?.kind === "needs_corpus" ? "" : "bad"), error.body?.kind === "needs_corpus" ? await choice(content) : null);
    }
  }

  async function choice(content) {
    const ready = (await get("/api/corpora").catch(() => [])).filter((each) => each.state === "ready");
    if (!ready.length) return h("p", {}, h("a", { class: "button", href: "#/open" }, "Open a corpus"));
    const select = h("select", {}, ready.map((each) => h("option", { value: each.id }, `${each.title} · ${counted(each.documents, "document")} · ${each.model}`)));
    return h("div", { class: "drop-file" }, field("Use it with", select), h("button", { type: "button", on: { click: () => bring(content, select.value) } }, "Open with this corpus"), h("a", { href: "#/open" }, "Open another corpus"));
  }
  return { elements: [file, button], place };
}
