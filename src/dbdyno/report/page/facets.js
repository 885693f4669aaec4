// The filter: what is chosen of each axis; nothing chosen means all of it.
const facets = data.facets.filter((facet) => facet.values.length > 1);
const chosen = new Map();
const off = new Set();
const TITLES = { target: "Targets", workload: "Workload", memory: "Memory", connections: "Connections", route: "Route" };
const changed = [];

const isChosen = (name, value) => !chosen.has(name) || chosen.get(name).has(value);
const chosenConnections = () => (chosen.has("connections") ? [...chosen.get("connections")][0] : 0);

function choose(name, values) {
  const facet = facets.find((each) => each.name === name);
  const known = facet ? facet.values.filter((value) => values.includes(value)) : [];
  if (known.length && known.length < facet.values.length) chosen.set(name, new Set(known));
  else chosen.delete(name);
}

function applyFilter() {
  off.clear();
  for (const facet of facets) {
    facet.values.forEach((value, index) => isChosen(facet.name, value) || off.add(facet.letter + index));
  }
  all("main [data-f]").forEach((element) => (element.hidden = isOff(element.dataset.f)));
  all("table[data-cols]").forEach(filterColumns);
  showChoices();
  changed.forEach((tell) => tell());
}

// A token of several parts (t0+t2) is about all of them, and goes with the first that is off.
const isOff = (tokens) => off.size > 0 && tokens.split(/[ +]/).some((token) => off.has(token));

function filterTable(table) {
  all("tbody tr[data-f]", table).forEach((row) => (row.hidden = isOff(row.dataset.f)));
  if (table.dataset.cols) filterColumns(table);
}

function filterColumns(table) {
  const hidden = table.dataset.cols.split(" ").map((token) => token !== "-" && isOff(token));
  if (!table.dataset.narrowed && !hidden.includes(true)) return;
  table.dataset.narrowed = "1";
  for (const row of table.rows) hidden.forEach((isHidden, at) => row.cells[at] && (row.cells[at].hidden = isHidden));
}

// Whether a row of a chart is within the filter. Rows with `at` are about chosen connections, 0 about each target's best.
function rowShown(row) {
  const connections = chosenConnections();
  if ("at" in row ? row.at !== connections : "concurrency" in row && !isShownPoint(row, connections)) return false;
  return ["target", "memory", "workload", "route"].every((name) => !(name in row) || isChosen(name, row[name]));
}

const isShownPoint = (row, connections) => !connections || (row.concurrency === connections && !row.curve);

// The bar -------------------------------------------------------------------------------------------------------

function buildFilters() {
  const place = byId("filters");
  if (!facets.length) return byId("filter-toggle").remove();
  for (const facet of facets) place.append(facet.name === "connections" ? connectionsMenu(facet) : menu(facet));
  place.append(make("span", { id: "filter-count", className: "quiet", role: "status" }));
  place.append(button("Reset", "Show everything again", () => (chosen.clear(), filterChanged()), "reset"));
  place.append(button("Copy link", "Copy a link to this view", (event) => copyLink(event.currentTarget), "copy"));
  document.addEventListener("click", (event) => {
    all("details.facet[open]").forEach((menu) => menu.contains(event.target) || (menu.open = false));
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.facet[open]");
    if (menu) (menu.open = false), menu.querySelector("summary").focus();
  });
  byId("filter-toggle").addEventListener("click", () => {
    const isOpen = place.classList.toggle("open");
    byId("filter-toggle").setAttribute("aria-expanded", String(isOpen));
  });
}

function menu(facet) {
  const groups = [...new Set(facet.groups)];
  const bulk = make("div", { className: "bulk" }, button("all", `All: ${TITLES[facet.name]}`, () => pick(facet, facet.values)));
  if (groups.length > 1) {
    for (const group of groups) {
      const members = facet.values.filter((_, index) => facet.groups[index] === group);
      bulk.append(button(shortened(group, 20), `Only ${group}`, () => pick(facet, members)));
    }
  }
  const options = facet.values.map((value, index) => option(facet, value, index));
  const panel = make("div", { className: "options" }, bulk, ...options);
  return make("details", { className: "facet", "data-facet": facet.name }, make("summary"), panel);
}

function option(facet, value, index) {
  const box = make("input", { type: "checkbox", value: String(index), checked: true });
  box.addEventListener("change", () => {
    const boxes = all("input", box.closest(".options"));
    const on = facet.values.filter((_, at) => boxes[at].checked);
    pick(facet, on.length ? on : [value]);
  });
  const swatch = facet.name === "target" ? [make("span", { className: "swatch", style: `--c:var(--t${index})` })] : [];
  const only = button("only", `Only ${value}`, (event) => (event.preventDefault(), pick(facet, [value])), "only");
  return make("label", { title: String(value).slice(0, 500) }, box, ...swatch, shortened(String(value)), only);
}

function connectionsMenu(facet) {
  const select = make("select", { "aria-label": "Connections", id: "connections" });
  select.append(new Option("Connections: all", ""));
  facet.values.forEach((value, index) => select.append(new Option(`Connections: ${value.toLocaleString("en")}`, index)));
  select.addEventListener("change", () => pick(facet, select.value === "" ? [] : [facet.values[Number(select.value)]]));
  return select;
}

function pick(facet, values) {
  choose(facet.name, values);
  filterChanged();
}

function filterChanged() {
  applyFilter();
  remember(true);
}

function showChoices() {
  for (const facet of facets) {
    const on = facet.values.filter((value) => isChosen(facet.name, value));
    if (facet.name === "connections") {
      byId("connections").value = chosen.has("connections") ? String(facet.values.indexOf(on[0])) : "";
      byId("connections").classList.toggle("active", chosen.has("connections"));
      continue;
    }
    const details = document.querySelector(`details.facet[data-facet=${facet.name}]`);
    const words = !chosen.has(facet.name) ? "all" : on.length === 1 ? shortened(String(on[0]), 24) : `${on.length} of ${facet.values.length}`;
    details.querySelector("summary").textContent = `${TITLES[facet.name]}: ${words}`;
    details.classList.toggle("active", chosen.has(facet.name));
    all("input", details).forEach((box, index) => (box.checked = isChosen(facet.name, facet.values[index])));
  }
  if (!facets.length) return;
  const left = data.runs.filter((run) => !isOff(run.f)).length;
  byId("filter-count").textContent = chosen.size ? `${left.toLocaleString("en")} of ${data.runs.length.toLocaleString("en")} runs` : "";
  document.querySelector("#filters .reset").hidden = !chosen.size;
  byId("filter-toggle").textContent = chosen.size ? `Filter (${chosen.size})` : "Filter";
  byId("filter-note").hidden = !chosen.size;
  byId("filter-chosen").textContent = `${chosenWords().join("; ")}.`;
}

const chosenWords = () =>
  [...chosen].map(([name, values]) => `${TITLES[name].toLowerCase()}: ${[...values].map((value) => shortened(String(value))).join(", ")}`);
