// Moving rows of an outline by dragging; keys and menus are handled elsewhere.

/** Rows are dragged by their `.grip`; `placed(key, target, where)` is called on drop: "before", "after" or "inside". */
export function sortable(list, placed) {
  let dragged = null;
  const marks = ["drop-before", "drop-after", "drop-inside"];
  const clear = () =>
    list.querySelectorAll(marks.map((each) => `.${each}`).join(", ")).forEach((each) => each.classList.remove(...marks));
  const target = (event) => {
    const row = event.target.closest?.("[data-key]");
    if (!row || row.parentElement !== list || row === dragged) return null;
    const box = row.getBoundingClientRect();
    const at = (event.clientY - box.top) / box.height;
    return { row, where: at < 0.3 ? "before" : at > 0.7 ? "after" : "inside" };
  };
  list.addEventListener("dragstart", (event) => {
    if (!event.target.closest?.(".grip")) return;
    dragged = event.target.closest("[data-key]");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.key);
    event.dataTransfer.setDragImage(dragged, 10, 10);
    dragged.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    const found = dragged && target(event);
    if (!found) return;
    event.preventDefault();
    clear();
    found.row.classList.add(`drop-${found.where}`);
  });
  list.addEventListener("drop", (event) => {
    const found = dragged && target(event);
    if (!found) return;
    event.preventDefault();
    placed(dragged.dataset.key, found.row.dataset.key, found.where);
  });
  list.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = null;
    clear();
  });
}
