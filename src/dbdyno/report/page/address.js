// The address after # holds the view: filter, place, opened tables, run and second. Links restore it, and going back
// undoes one choice at a time.
let place = "";
const openAtFirst = new Set(all("main details[open]"));

function viewAddress() {
  const parts = new URLSearchParams();
  for (const facet of facets) {
    if (!chosen.has(facet.name)) continue;
    facet.values.forEach((value, index) => isChosen(facet.name, value) && parts.append(facet.name, facet.keys[index]));
  }
  if (shown >= 0) parts.set("run", runs[shown].id);
  if (shown >= 0 && cursor >= 0) parts.set("second", String(cursor));
  all("main details[data-key][open]").forEach((each) => openAtFirst.has(each) || parts.append("open", each.dataset.key));
  if (![...parts].length) return place ? `#${place}` : "#";
  if (place) parts.set("at", place);
  return `#${parts}`;
}

// A step that going back should undo is a new entry; what changes by the way (cursor, opened tables) is not.
function remember(isStep) {
  const address = viewAddress();
  if (address === (location.hash || "#")) return;
  history[isStep ? "pushState" : "replaceState"]({ view: true }, "", address);
}

let pending = 0;
function rememberSoon() {
  clearTimeout(pending);
  pending = setTimeout(() => remember(false), 300);
}

function readAddress() {
  const text = location.hash.slice(1);
  if (!text.includes("=")) return { parts: new URLSearchParams(), at: decoded(text) };
  const parts = new URLSearchParams(text);
  return { parts, at: parts.get("at") || "" };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function restoreView(isTravel) {
  const { parts, at } = readAddress();
  const before = [...chosen].map(([name, values]) => [name, ...values].join()).join(";");
  for (const facet of facets) {
    const keys = parts.getAll(facet.name);
    choose(facet.name, facet.values.filter((_, index) => keys.includes(facet.keys[index])));
  }
  const after = [...chosen].map(([name, values]) => [name, ...values].join()).join(";");
  if (before !== after) applyFilter();
  const open = parts.getAll("open");
  all("main details[data-key]").forEach((details) => open.includes(details.dataset.key) && (details.open = true));
  const second = Number.parseInt(parts.get("second") ?? "-1", 10);
  cursor = Number.isNaN(second) ? -1 : second;
  if (!parts.has("run")) closeRun();
  else if (runs[shown]?.id === parts.get("run")) placeCursor();
  else openRun(parts.get("run"));
  place = at;
  if (isTravel) return;
  const goal = at ? byId(at) : shown >= 0 ? byId("detail") : null;
  if (goal) goal.scrollIntoView();
}

function buildAddress() {
  nameDetails();
  window.addEventListener("popstate", (event) => restoreView(Boolean(event.state)));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const goal = byId(link.getAttribute("href").slice(1));
    if (!goal) return;
    event.preventDefault();
    place = goal.id;
    remember(true);
    goal.scrollIntoView({ behavior: reduced ? "auto" : "smooth" });
  });
  document.addEventListener("toggle", (event) => event.target.dataset?.key && rememberSoon(), true);
}

// What can be opened is called by its table, else by its words.
function nameDetails() {
  const used = new Set();
  for (const details of all("main details:not([data-key])")) {
    const table = details.querySelector("table[data-csv]");
    const words = details.querySelector("summary").textContent.toLowerCase();
    const name = (table ? table.dataset.csv : words).replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40);
    let key = name;
    for (let number = 2; used.has(key); number += 1) key = `${name}.${number}`;
    used.add(key);
    details.dataset.key = key;
  }
}

async function copyLink(pressed) {
  history.replaceState({ view: true }, "", viewAddress());
  const words = pressed.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    pressed.textContent = "Copied";
  } catch {
    pressed.textContent = "See address";
  }
  setTimeout(() => (pressed.textContent = words), 1500);
}
