// The page begins.
const root = document.documentElement;
byId("theme").addEventListener("click", () => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});

// Print: everything that is folded is opened, and closed again afterwards; what is not drawn yet is drawn.
let opened = [];
function prepareForPrint() {
  opened.push(...all("main details:not([open])"));
  opened.forEach((details) => (details.open = true));
  return drawAll();
}
window.addEventListener("beforeprint", prepareForPrint);
window.addEventListener("afterprint", () => opened.splice(0).forEach((details) => (details.open = false)));

for (const canvas of all("[data-chart]")) {
  const figure = canvas.closest("figure");
  const name = canvas.dataset.chart;
  // A chart that still waits for its turn shows what the filter left before.
  const isStale = () => !views.has(name) || waiting.has(canvas) || drawing.has(canvas);
  addTools(figure, name, async () => (isStale() && (await begin(canvas)), views.get(name)));
}
buildFilters();
buildTables();
buildRuns();
buildAddress();
changed.push(awaitCharts);
showChoices();
restoreView(false);
if (!chosen.size) awaitCharts();
unpackCharts();
document.addEventListener("toggle", drawAhead, true);

// Opened to be printed, the page draws at once: a browser without a window may have no idle moments.
if (window.location.search === "?print") window.addEventListener("load", () => (prepareForPrint(), unpackAll(document)));
