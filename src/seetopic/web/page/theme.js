// Runs before the first paint, so that the wrong theme does not flash.
try {
  const theme = localStorage.getItem("seetopic-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  /* without storage, use the system's theme */
}
