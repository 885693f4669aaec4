// The address after # holds the view: filter, place, opened tables, run and second. Links restore it, and going back
// undoes one choice at a time.
import { all, byId, scrollBehaviour } from "./dom.js";
import { applyFilter } from "./filter_bar.js";
import { cursorSecond, openRunId, restoreRun } from "./run.js";
import { filter, listen } from "./view.js";
import { fileName } from "./words.js";

const REMEMBER_MS = 300;
const openAtFirst = new Set(all("main details[open]"));
let place = "";
let pending = 0;

export function buildAddress() {
  nameDetails();
  listen("step", () => remember(true));
  listen("rest", () => remember(false));
  listen("drift", rememberSoon);
  window.addEventListener("popstate", (event) => restoreView(Boolean(event.state)));
  document.addEventListener("click", followLink);
  document.addEventListener("toggle", (event) => event.target.dataset?.key && rememberSoon(), true);
}

function viewAddress() {
  const params = new URLSearchParams();
  filter.toParams(params);
  if (openRunId()) params.set("run", openRunId());
  if (cursorSecond() >= 0) params.set("second", String(cursorSecond()));
  for (const details of all("main details[data-key][open]")) {
    if (!openAtFirst.has(details)) params.append("open", details.dataset.key);
  }
  if (!params.size) return `#${place}`;
  if (place) params.set("at", place);
  return `#${params}`;
}

// A step that going back should undo is a new entry; what changes by the way (cursor, opened tables) is not.
function remember(isStep) {
  const address = viewAddress();
  if (address === (location.hash || "#")) return;
  history[isStep ? "pushState" : "replaceState"]({ view: true }, "", address);
}

function rememberSoon() {
  clearTimeout(pending);
  pending = setTimeout(() => remember(false), REMEMBER_MS);
}

function readAddress() {
  const text = location.hash.slice(1);
  if (!text.includes("=")) return { params: new URLSearchParams(), at: decoded(text) };
  const params = new URLSearchParams(text);
  return { params, at: params.get("at") || "" };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function restoreView(isTravel) {
  const { params, at } = readAddress();
  if (filter.fromParams(params)) applyFilter();
  const open = params.getAll("open");
  for (const details of all("main details[data-key]")) if (open.includes(details.dataset.key)) details.open = true;
  const second = Number.parseInt(params.get("second") ?? "-1", 10);
  restoreRun(params.get("run"), Number.isNaN(second) ? -1 : second);
  place = at;
  if (isTravel) return;
  const goal = at ? byId(at) : openRunId() ? byId("detail") : null;
  if (goal) reveal(goal).scrollIntoView();
}

function followLink(event) {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const goal = byId(link.getAttribute("href").slice(1));
  if (!goal) return;
  event.preventDefault();
  place = goal.id;
  remember(true);
  reveal(goal).scrollIntoView({ behavior: scrollBehaviour() });
}

function reveal(goal) {
  for (let part = goal.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  return goal;
}

// What can be opened is called by its table, else by its words.
function nameDetails() {
  const used = new Set();
  for (const details of all("main details:not([data-key])")) {
    const table = details.querySelector("table[data-csv]");
    const words = details.querySelector("summary").textContent.toLowerCase();
    const name = fileName(table ? table.dataset.csv : words);
    let key = name;
    for (let number = 2; used.has(key); number += 1) key = `${name}.${number}`;
    used.add(key);
    details.dataset.key = key;
  }
}

export async function copyLink(pressed) {
  history.replaceState({ view: true }, "", viewAddress());
  const words = pressed.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    pressed.textContent = "Copied";
  } catch {
    pressed.textContent = "See address";
  }
  setTimeout(() => {
    pressed.textContent = words;
  }, 1500);
}
