// Opening a corpus from the server's folder, by upload, or the demo; then a preview before indexing.

import { post, upload, url } from "./api.js";
import { fill, h, icon, note, progress } from "./dom.js";
import { fileBrowser } from "./files.js";
import { preview } from "./preview.js";
import { sized } from "./telling.js";

export function show(root, { workbench, announce }) {
  const ways = h("div", { class: "ways" });
  const chosen = h("div");
  root.append(
    h(
      "div",
      { class: "page" },
      h("h1", {}, "Open a corpus"),
      h(
        "p",
        { class: "soft" },
        "Your documents stay on this server. They are indexed once; after that, new names take about a second.",
      ),
      ways,
      chosen,
    ),
  );
  let sending = null;

  const choose = (source, name) => {
    ways.hidden = true;
    const view = preview({
      ask: (reading) => post("/api/previews", { source, ...reading }),
      send: (options) => post("/api/corpora", { source, ...options }),
      name,
      workbench,
      announce,
      back: () => {
        fill(chosen);
        ways.hidden = false;
        ways.querySelector("button, input")?.focus();
      },
      made,
    });
    fill(chosen, view);
    view.querySelector("h2")?.focus();
  };
  const made = (corpus) => {
    location.hash = `#/corpus/${encodeURIComponent(corpus.id)}`;
  };
  const direct = async (source, place) => {
    try {
      made(await post("/api/corpora", { source, on_error: "raise" }));
    } catch (error) {
      fill(place, note(error.message, "bad"));
    }
  };
  const pick = (entry, place) =>
    entry.kind === "index"
      ? direct({ kind: "index", path: entry.path }, place)
      : choose({ kind: "file", path: entry.path }, entry.name);

  fill(
    ways,
    way(
      "From the server",
      workbench.folder ? `Files and indexes in ${workbench.folder}` : "",
      workbench.folder
        ? fileBrowser(pick)
        : h("p", { class: "soft" }, "The workbench has no folder of files to open; start it with --folder to offer one."),
    ),
    uploader(
      workbench,
      (job) => {
        sending = job;
      },
      choose,
    ),
    demo(direct),
  );
  return { stop: () => sending?.stop() };
}

const way = (title, about, ...content) =>
  h(
    "section",
    { class: "card way" },
    h("h2", {}, title),
    about ? h("p", { class: "soft small" }, about) : null,
    content,
  );

function uploader(workbench, began, choose) {
  const field = h("input", { type: "file", class: "unseen", id: "upload" });
  const place = h("div", { class: "upload-state", role: "status" });
  const drop = h(
    "label",
    { class: "drop", for: "upload" },
    icon("file"),
    h("b", {}, "Choose a file"),
    h("span", { class: "soft small" }, "or drop it here"),
  );
  const send = async (file) => {
    if (!file) return;
    if (file.size > workbench.upload_bytes)
      return fill(
        place,
        note(
          `“${file.name}” is ${sized(file.size)}, but at most ${sized(workbench.upload_bytes)} can be uploaded; put it in the server's folder instead.`,
          "bad",
        ),
      );
    const bar = progress(0, "Uploading");
    const share = h("span", { class: "soft small number" }, "0%");
    const job = upload(url`/api/uploads?name=${file.name}`, file, (done) => {
      bar.firstChild.style.setProperty("width", `${100 * done}%`);
      bar.setAttribute("aria-valuenow", String(Math.round(100 * done)));
      share.textContent = `${Math.round(100 * done)}% of ${sized(file.size)}`;
    });
    began(job);
    fill(
      place,
      h("p", {}, file.name),
      bar,
      h(
        "p",
        { class: "actions" },
        share,
        h("button", { type: "button", class: "plain", on: { click: job.stop } }, "Stop"),
      ),
    );
    try {
      const { id, name } = await job.done;
      fill(place);
      choose({ kind: "upload", id }, name);
    } catch (error) {
      fill(
        place,
        error.name === "AbortError"
          ? h("p", { class: "soft" }, "Stopped; nothing was saved.")
          : note(error.message, "bad"),
      );
    }
  };
  field.addEventListener("change", () => {
    send(field.files[0]);
    field.value = "";
  });
  for (const name of ["dragover", "dragenter"])
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    send(event.dataTransfer.files[0]);
  });
  return way(
    "Upload",
    `Excel (.xlsx), CSV, TSV, JSON, text or Parquet, optionally gzipped (.gz); up to ${sized(workbench.upload_bytes)}`,
    field,
    drop,
    place,
  );
}

function demo(direct) {
  const place = h("div", { role: "status" });
  const button = h(
    "button",
    {
      type: "button",
      class: "primary",
      on: {
        click: async () => {
          button.disabled = true;
          await direct({ kind: "demo" }, place);
          button.disabled = false;
        },
      },
    },
    "Open the demo corpus",
  );
  return way("Try it", "2,224 news articles in five sections; indexed in about a minute.", button, place);
}
