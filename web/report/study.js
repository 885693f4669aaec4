// The page of a study begins here. What needs no script (words, short tables, strips) is in the document already.
import { buildAddress, copyLink, restoreView } from "./address.js";
import { unpackCharts } from "./charts.js";
import { all, buildThemeSwitch } from "./dom.js";
import { buildFilterBar, filterTable, showChoices } from "./filter_bar.js";
import { buildFlames } from "./flame.js";
import { buildPoints } from "./points.js";
import { buildRuns, openCell, sourceWords } from "./run.js";
import { addTools } from "./save.js";
import { awaitCharts, buildSchedule, currentView, drawAll } from "./schedule.js";
import { buildStills } from "./stills.js";
import { buildTables, unpackTables } from "./tables.js";
import { filter, listen } from "./view.js";

// Print: everything that is folded is opened, and closed again afterwards; what is not drawn yet is drawn.
const opened = [];
function prepareForPrint() {
  opened.push(...all("main details:not([open])"));
  for (const details of opened) details.open = true;
  return drawAll();
}

function closeAfterPrint() {
  for (const details of opened.splice(0)) details.open = false;
}

buildThemeSwitch();
window.addEventListener("beforeprint", prepareForPrint);
window.addEventListener("afterprint", closeAfterPrint);
for (const canvas of all("[data-chart]")) {
  addTools(canvas.closest("figure"), canvas.dataset.chart, () => currentView(canvas), sourceWords);
  buildPoints(canvas, openCell);
}
buildFilterBar(copyLink);
buildTables(filterTable);
buildRuns();
buildAddress();
buildSchedule(openCell);
buildStills();
buildFlames();
listen("filter", awaitCharts);
showChoices();
restoreView(false);
if (!filter.isActive) awaitCharts();
unpackCharts();

// Opened to be printed, the page draws at once: a browser without a window may have no idle moments.
if (window.location.search === "?print") {
  window.addEventListener("load", () => (prepareForPrint(), unpackTables(document, filterTable)));
}
