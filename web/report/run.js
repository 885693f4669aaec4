// The place where one run is opened.
import { embedOptions, hideFromReaders } from "./charts.js";
import { all, byId, embeddedJson, make, scrollBehaviour } from "./dom.js";
import { unpacked } from "./pack.js";
import { addTools } from "./save.js";
import { panelSpec, rangeWords, secondsOf, secondWords, unfolded, valueWords } from "./seconds.js";
import { announce, data, filter } from "./view.js";
import { fileName, shortened } from "./words.js";

const runs = data.runs;
const KEY_STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
const IDLE_CURSOR = "Move over a chart, or use the arrow keys, to read a second.";
let shown = -1;
let run = null;
let panels = [];
let cursor = -1;

export const sourceWords = () => [data.name, ...filter.words()].join(" · ");
export const openRunId = () => runs[shown]?.id ?? "";
export const cursorSecond = () => (shown >= 0 ? cursor : -1);

export function buildRuns() {
  if (!runs.length) return;
  const choice = byId("detail-run");
  runs.forEach((each, index) => {
    choice.append(new Option(`${index + 1}. ${shortened(each.title, 90)}`, each.id));
  });
  choice.addEventListener("change", () => show(choice.value));
  byId("detail-before").addEventListener("click", () => showNext(-1));
  byId("detail-after").addEventListener("click", () => showNext(1));
  byId("detail-close").addEventListener("click", () => (closeRun(), announce("step")));
  document.addEventListener("click", (event) => {
    const strip = event.target.closest("button[data-run]");
    if (!strip) return;
    show(strip.dataset.run);
    scrollToRun();
    choice.focus({ preventScroll: true });
  });
  byId("detail-panels").addEventListener("keydown", (event) => {
    const step = KEY_STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    setCursor(Math.max(cursor + step, 0));
  });
}

const scrollToRun = () => byId("detail").scrollIntoView({ behavior: scrollBehaviour(), block: "start" });

// The next run within the filter, in the order of the plan.
function showNext(step) {
  for (let index = shown + step; index >= 0 && index < runs.length; index += step) {
    if (!filter.isOff(runs[index].f)) return show(runs[index].id);
  }
}

function show(id) {
  cursor = -1;
  openRun(id);
  announce("step");
}

// A click on a mark of a chart opens the run behind it.
export function openCell(canvas, datum) {
  const found = datum.run ? runs.find((each) => each.id === datum.run) : runOfCell(canvas, datum);
  if (!found) return;
  show(found.id);
  scrollToRun();
}

// The first run of the cell that a mark is of; none where it is of several, such as an average over all connections.
function runOfCell(canvas, { target, memory, concurrency, connections = concurrency }) {
  if (target === undefined || connections === undefined) return undefined;
  const wanted = { target, memory, connections };
  const tokens = (canvas.closest("figure").dataset.f || "").split(" ").filter(Boolean);
  for (const { name, letter, values } of data.facets.filter((facet) => wanted[facet.name] !== undefined)) {
    tokens.push(letter + values.indexOf(wanted[name]));
  }
  return runs.find((each) => {
    const own = new Set(each.f.split(" "));
    return tokens.every((token) => own.has(token));
  });
}

export function restoreRun(id, second) {
  cursor = second;
  if (!id) closeRun();
  else if (openRunId() === id) placeCursor();
  else openRun(id);
}

function closeRun() {
  shown = -1;
  run = null;
  for (const panel of panels) panel.view.finalize();
  panels = [];
  byId("detail-panels")?.replaceChildren();
  const detail = byId("detail");
  if (detail) detail.hidden = true;
  for (const strip of all("button[data-run][aria-pressed=true]")) strip.setAttribute("aria-pressed", "false");
}

// Runs stand behind the script, so that the page is seen before all of them are read.
const isRead = new Promise((done) => document.addEventListener("DOMContentLoaded", done));
let packedRuns = null;
async function unpackedRun(id) {
  await isRead;
  packedRuns ??= embeddedJson("runs-data");
  return JSON.parse(await unpacked(packedRuns[id]));
}

async function openRun(id) {
  const index = runs.findIndex((each) => each.id === id);
  if (index < 0 || index === shown) return;
  closeRun();
  shown = index;
  byId("detail").hidden = false;
  byId("detail-run").value = id;
  byId("detail-title").textContent = shortened(runs[index].title, 200);
  byId("detail-title").title = runs[index].title.slice(0, 2000);
  for (const strip of all("button[data-run]")) strip.setAttribute("aria-pressed", String(strip.dataset.run === id));
  const read = await unpackedRun(id);
  if (shown !== index) return;
  run = read;
  for (const panel of run.panels) panel.lines = panel.lines.map(unfolded);
  byId("detail-facts").textContent = run.facts;
  byId("detail-repeat").textContent = run.repeat;
  byId("detail-repeat").parentElement.hidden = !run.repeat;
  byId("detail-thinned").textContent = thinnedWords();
  showMarksKey();
  showFiles();
  offerMore();
  for (const panel of run.panels.filter((panel) => panel.key !== "other")) await addPanel(read, panel);
  placeCursor();
}

function thinnedWords() {
  const where = `Every second is in runs/${openRunId()} of the results folder`;
  const left = run.leftOut ? `, with ${run.leftOut} more metrics` : "";
  if (!run.thinned) return left ? `${where}${left}.` : "";
  return `Drawn from fewer points than there are seconds: of each stretch the least and the greatest value. ${where}${left}.`;
}

function showMarksKey() {
  const { stalls, changes, waves } = run.marks;
  const has = { stall: stalls.length, change: changes.length, wave: waves.length };
  has.warm = run.phases.some((span) => span.phase === "warm-up");
  has.window = run.phases.some((span) => span.phase === "window");
  for (const kind of Object.keys(has)) document.querySelector(`.mark-${kind}`).parentElement.hidden = !has[kind];
}

function showFiles() {
  const rows = run.files.map(([name, bytes, sha256]) => {
    const size = ` ${bytes.toLocaleString("en")} bytes, SHA-256 `;
    return make("li", {}, make("code", { text: name }), size, make("code", { text: sha256 }));
  });
  byId("detail-files").replaceChildren(make("ul", { className: "files" }, ...rows));
}

function offerMore() {
  const more = byId("detail-more");
  const others = run.panels.filter((panel) => panel.key === "other");
  more.closest("p").hidden = !others.length;
  more.replaceChildren(new Option(`${others.length} more`, ""));
  others.forEach((panel, index) => {
    more.append(new Option(shortened(panel.title, 80), String(index)));
  });
  more.onchange = () => {
    if (more.value !== "") addPanel(run, others[Number(more.value)]);
    more.value = "";
  };
}

async function addPanel(of, panel) {
  const only = panel.lines.length === 1 ? panel.lines[0].name : "";
  const title = only && !panel.key && only !== panel.title ? `${panel.title}: ${only}` : panel.title;
  const readout = make("span", { className: "readout" });
  const caption = make("figcaption", {}, make("span", { className: "title", text: title }), readout);
  const words = `${panel.title}, ${panel.unit}: ${panel.lines.map(rangeWords).join("; ")}`.slice(0, 4000);
  const canvas = make("div", { className: "chart", role: "img", "aria-label": words });
  const rule = make("div", { className: "cursor", hidden: true });
  const over = make("div", { className: "over" }, canvas, rule);
  const figure = make("figure", { className: "panel seconds" }, caption, over);
  byId("detail-panels").append(figure);
  const spec = panelSpec(panel.log ? data.seconds.log : data.seconds.linear, of, panel);
  const { view } = await window.vegaEmbed(canvas, spec, embedOptions);
  if (run !== of) return view.finalize();
  hideFromReaders(canvas);
  addTools(figure, `${openRunId()}-${fileName(panel.title)}`, () => view, sourceWords);
  panels.push({ view, panel, canvas, rule, readout });
  canvas.addEventListener("pointermove", (event) => setCursor(secondUnder(view, canvas, event)));
  canvas.addEventListener("pointerleave", () => announce("rest"));
}

// One cursor over all panels: a line that lies over the drawings costs nothing to move -------------------------------

function secondUnder(view, canvas, event) {
  const box = canvas.querySelector("svg").getBoundingClientRect();
  const x = event.clientX - box.left - view.padding().left - view.origin()[0];
  return Math.round(view.scale("x").invert(x));
}

function setCursor(second) {
  if (!run) return;
  const [first, last] = secondsOf(run);
  cursor = Math.min(Math.max(second, Math.ceil(first)), Math.floor(last));
  placeCursor();
  announce("drift");
}

function placeCursor() {
  if (!run) return;
  for (const { view, panel, rule, readout } of panels) {
    rule.hidden = cursor < 0;
    if (cursor < 0) continue;
    rule.style.left = `${view.padding().left + view.origin()[0] + view.scale("x")(cursor)}px`;
    const unit = panel.lines.length === 1 ? panel.unit : "";
    const lines = unit ? [{ ...panel.lines[0], name: "" }] : panel.lines;
    readout.textContent = lines
      .map((line) => valueWords(line, cursor, unit))
      .filter(Boolean)
      .join(" · ");
  }
  byId("detail-cursor").textContent = cursor < 0 ? IDLE_CURSOR : secondWords(run, cursor);
}
