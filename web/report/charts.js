// One chart: its definition with the rows within the filter, and the drawing of it.
import { all } from "./dom.js";
import { fitted } from "./filter.js";
import { unpacked } from "./pack.js";
import { data, filter } from "./view.js";

export const embedOptions = {
  renderer: "svg",
  actions: false,
  ast: true,
  defaultStyle: false,
  tooltip: { theme: "custom" },
};
const configured = { ...embedOptions, config: data.config };
const views = new Map();
const specs = new Map();

export const viewOf = (name) => views.get(name);

async function specOf(name) {
  const stored = specs.get(name) ?? data.specs[name];
  const spec = typeof stored === "string" ? JSON.parse(await unpacked(stored)) : stored;
  specs.set(name, spec);
  return spec;
}

// Definitions are unpacked soon after the page is there, so that none has to be when it is printed.
export async function unpackCharts() {
  for (const name of Object.keys(data.specs)) await specOf(name);
  document.body.dataset.charts = "unpacked";
}

// Where two draw the same, what began later stays.
const turns = new Map();

export async function draw(canvas, onClick) {
  const name = canvas.dataset.chart;
  const turn = (turns.get(name) ?? 0) + 1;
  turns.set(name, turn);
  const spec = filter.narrowed(await specOf(name));
  if (turns.get(name) !== turn) return;
  views.get(name)?.finalize();
  views.delete(name);
  const figure = canvas.closest("figure");
  figure.classList.toggle("empty", !spec);
  if (!spec) return canvas.replaceChildren();
  const drawn = fitted(spec, canvas.clientWidth);
  figure.classList.toggle("narrow", drawn !== spec);
  const { view } = await window.vegaEmbed(canvas, drawn, configured);
  if (turns.get(name) !== turn) return view.finalize();
  views.set(name, view);
  hideFromReaders(canvas);
  canvas.style.minHeight = "";
  view.addEventListener("click", (_, item) => item?.datum && !isAcrossPlaces(item) && onClick(canvas, item.datum));
}

// A line or band over the connections is one item; its datum is that of its first place, wherever it is clicked.
const isAcrossPlaces = ({ mark, datum }) => ["line", "area"].includes(mark.marktype) && "concurrency" in datum;

// The figure's own label says what is drawn; to a screen reader, thousands of marks would only be noise.
export function hideFromReaders(canvas) {
  for (const svg of all("svg", canvas)) svg.setAttribute("aria-hidden", "true");
}
