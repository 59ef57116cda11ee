// Light and dark.

/** Takes the theme that was chosen last, and follows the system's. */
export function restoreTheme(page) {
  let theme = null;
  try { theme = localStorage.getItem("theme"); } catch { /* A file that was opened from disk may have no storage. */ }
  if (theme) document.documentElement.dataset.theme = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.restyle());
}

/** From light to dark, or back. */
export function toggleTheme(page) {
  const root = document.documentElement;
  const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Then it lasts as long as the page. */ }
  page.restyle();
}
