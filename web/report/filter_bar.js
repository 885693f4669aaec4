// The filter's bar, and what it hides.
import { all, button, byId, make } from "./dom.js";
import { FACET_TITLES } from "./filter.js";
import { announce, data, filter } from "./view.js";
import { shortened } from "./words.js";

export function applyFilter() {
  for (const element of all("main [data-f]")) element.hidden = filter.isOff(element.dataset.f);
  all("table[data-cols]").forEach(filterColumns);
  showChoices();
  announce("filter");
}

export function filterTable(table) {
  for (const row of all("tbody tr[data-f]", table)) row.hidden = filter.isOff(row.dataset.f);
  if (table.dataset.cols) filterColumns(table);
}

function filterColumns(table) {
  const hidden = table.dataset.cols.split(" ").map((token) => token !== "-" && filter.isOff(token));
  if (!table.dataset.narrowed && !hidden.includes(true)) return;
  table.dataset.narrowed = "1";
  for (const row of table.rows) {
    hidden.forEach((isHidden, at) => {
      if (row.cells[at]) row.cells[at].hidden = isHidden;
    });
  }
}

export function buildFilterBar(copyLink) {
  const place = byId("filters");
  if (!filter.facets.length) return byId("filter-toggle").remove();
  for (const facet of filter.facets) place.append(facet.name === "connections" ? connectionsMenu(facet) : menu(facet));
  place.append(make("span", { id: "filter-count", className: "quiet", role: "status" }));
  place.append(button("Reset", "Show everything again", reset, "reset"));
  place.append(button("Copy link", "Copy link to this view", (event) => copyLink(event.currentTarget), "copy"));
  document.addEventListener("click", closeMenusBut);
  for (const name of all("button[data-target]")) name.addEventListener("click", () => toggleTarget(name));
  document.addEventListener("keydown", closeMenuOnEscape);
  byId("filter-toggle").addEventListener("click", () => {
    const isOpen = place.classList.toggle("open");
    byId("filter-toggle").setAttribute("aria-expanded", String(isOpen));
  });
}

function closeMenusBut(event) {
  for (const menu of all("details.facet[open]")) if (!menu.contains(event.target)) menu.open = false;
}

function closeMenuOnEscape(event) {
  const menu = event.key === "Escape" && document.querySelector("details.facet[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

function menu(facet) {
  const title = FACET_TITLES[facet.name];
  const groups = [...new Set(facet.groups)];
  const bulk = make(
    "div",
    { className: "bulk" },
    button("all", `All: ${title}`, () => pick(facet, facet.values)),
  );
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
  const title = filter.titleOf(facet.name, value);
  const only = button("only", `Only ${title}`, (event) => (event.preventDefault(), pick(facet, [value])), "only");
  return make(
    "label",
    { title: title === value ? title.slice(0, 500) : `${title} (${value})`.slice(0, 500) },
    box,
    ...swatch,
    shortened(title),
    only,
  );
}

// A click on a name of the key hides the target, another shows it again; the last one stays.
function toggleTarget(name) {
  const facet = filter.facets.find((each) => each.name === "target");
  const clicked = facet.values[Number(name.dataset.target)];
  const shown = facet.values.filter((value) => filter.isChosen("target", value));
  pick(facet, shown.includes(clicked) ? shown.filter((value) => value !== clicked) : [...shown, clicked]);
}

function connectionsMenu(facet) {
  const select = make("select", { "aria-label": "Connections", id: "connections" });
  select.append(new Option("Connections: all", ""));
  facet.values.forEach((value, index) => {
    select.append(new Option(`Connections: ${value.toLocaleString("en")}`, index));
  });
  select.addEventListener("change", () => pick(facet, select.value === "" ? [] : [facet.values[Number(select.value)]]));
  return select;
}

function pick(facet, values) {
  filter.choose(facet.name, values);
  applyFilter();
  announce("step");
}

function reset() {
  filter.clear();
  applyFilter();
  announce("step");
}

export function showChoices() {
  for (const facet of filter.facets) {
    if (facet.name === "connections") showConnections(facet);
    else showMenu(facet);
  }
  if (!filter.facets.length) return;
  const left = data.runs.filter((run) => !filter.isOff(run.f)).length;
  const count = `${left.toLocaleString("en")} of ${data.runs.length.toLocaleString("en")} runs`;
  byId("filter-count").textContent = filter.isActive ? count : "";
  document.querySelector("#filters .reset").hidden = !filter.isActive;
  byId("filter-toggle").textContent = filter.isActive ? `Filter (${filter.chosenCount})` : "Filter";
  byId("filter-note").hidden = !filter.isActive;
  byId("filter-chosen").textContent = `${filter.words().join("; ")}.`;
}

function showConnections(facet) {
  const select = byId("connections");
  const isNarrowed = filter.isNarrowed(facet.name);
  select.value = isNarrowed ? String(facet.values.indexOf(filter.connections)) : "";
  select.classList.toggle("active", isNarrowed);
}

function showMenu(facet) {
  const details = document.querySelector(`details.facet[data-facet=${facet.name}]`);
  const on = facet.values.filter((value) => filter.isChosen(facet.name, value));
  const some =
    on.length === 1 ? shortened(filter.titleOf(facet.name, on[0]), 24) : `${on.length} of ${facet.values.length}`;
  const words = filter.isNarrowed(facet.name) ? some : "all";
  details.querySelector("summary").textContent = `${FACET_TITLES[facet.name]}: ${words}`;
  details.classList.toggle("active", filter.isNarrowed(facet.name));
  if (facet.name === "target") {
    for (const name of all("button[data-target]")) {
      name.setAttribute("aria-pressed", String(filter.isChosen("target", facet.values[Number(name.dataset.target)])));
    }
  }
  all("input", details).forEach((box, index) => {
    box.checked = filter.isChosen(facet.name, facet.values[index]);
  });
}
