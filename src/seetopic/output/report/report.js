(() => {
  const byId = (id) => document.getElementById(id);
  const theme = byId("theme");
  theme.value = document.documentElement.dataset.theme || "";
  theme.addEventListener("change", () => {
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
    try { localStorage.setItem("seetopic-theme", theme.value); } catch { /* not stored: applies to this visit only */ }
  });

  const cards = [...document.querySelectorAll(".card")];
  const told = cards.map((card) =>
    [...card.querySelectorAll("h3, .also, .term")].map((each) => each.textContent).join("\n").toLowerCase());
  const find = byId("find");
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase();
    let shown = 0;
    cards.forEach((card, at) => {
      card.hidden = !told[at].includes(wanted);
      shown += card.hidden ? 0 : 1;
      for (const row of card.querySelectorAll(".terms li")) {
        const term = row.querySelector(".term").textContent.toLowerCase();
        row.classList.toggle("hit", wanted !== "" && term.includes(wanted));
      }
    });
    byId("found").textContent = wanted ? `${shown} of ${cards.length} topics` : "";
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    find.value = "";
    find.dispatchEvent(new Event("input"));
  });

  const rows = [...document.querySelectorAll(".terms details")];
  const button = byId("open");
  const openAll = (open) => {
    for (const row of rows) row.open = open;
    button.textContent = open ? "Close all terms" : "Open all terms";
  };
  button.addEventListener("click", () => openAll(button.textContent.startsWith("Open")));
  window.addEventListener("hashchange", () => {
    const card = byId(location.hash.slice(1));
    if (card && card.hidden) { find.value = ""; find.dispatchEvent(new Event("input")); card.scrollIntoView(); }
  });
})();
