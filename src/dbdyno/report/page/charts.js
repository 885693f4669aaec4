// One chart: its definition with the rows within the filter, and the drawing of it.
const embedOptions = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { theme: "custom" } };
const embedded = { ...embedOptions, config: data.config };
const views = new Map();
const specs = new Map();

async function specOf(name) {
  const stored = specs.get(name) ?? data.specs[name];
  const spec = typeof stored === "string" ? JSON.parse(await unpacked(stored)) : stored;
  specs.set(name, spec);
  return spec;
}

// The definition with the rows within the filter; null where none is left.
function filteredSpec(whole) {
  const spec = { ...whole, datasets: {} };
  for (const [key, rows] of Object.entries(whole.datasets)) {
    spec.datasets[key] = rows.length && "label_y" in rows[0] ? rows : rows.filter(rowShown);
  }
  const { labels, row_px } = whole.usermeta || {};
  if (labels) placeLabels(spec, labels);
  if (row_px) spec.height = row_px * new Set(Object.values(spec.datasets).flat().map((row) => row.name)).size;
  return Object.values(spec.datasets).some((rows) => rows.length) ? spec : null;
}

// Names at the ends of lines, a line of text apart, for the targets that are left.
function placeLabels(spec, { field, low, high, height, log, x }) {
  const key = Object.keys(spec.datasets).find((name) => spec.datasets[name].some((row) => "label_y" in row));
  if (!key) return;
  const names = new Map(spec.datasets[key].map((row) => [row.target, row.label]));
  const last = new Map();
  const points = Object.entries(spec.datasets).flatMap(([name, rows]) => (name === key ? [] : rows.filter((row) => !row.curve)));
  for (const row of points.filter((row) => field in row && x in row)) {
    if (!last.has(row.target) || last.get(row.target)[x] < row[x]) last.set(row.target, row);
  }
  const rows = [...last.values()].map((row) => {
    const share = log ? Math.log(Math.max(row[field], low) / low) / Math.log(high / low) : (row[field] - low) / (high - low);
    return { row, at: share * height };
  });
  const step = 13;
  rows.sort((a, b) => a.at - b.at);
  rows.forEach((each, index) => index && (each.at = Math.max(each.at, rows[index - 1].at + step)));
  let ceiling = height;
  for (const each of [...rows].reverse()) {
    each.at = Math.min(each.at, ceiling);
    ceiling = each.at - step;
  }
  const right = Math.max(...rows.map(({ row }) => row[x]));
  spec.datasets[key] = rows.map(({ row, at }) => {
    const share = at / height;
    const label_y = log ? low * (high / low) ** share : low + share * (high - low);
    return { ...row, [x]: right, label: names.get(row.target) ?? shortened(row.target, 22), label_y };
  });
}

// Where two draw the same, what began later stays.
const turns = new Map();

async function draw(canvas) {
  const name = canvas.dataset.chart;
  const turn = (turns.get(name) ?? 0) + 1;
  turns.set(name, turn);
  const spec = filteredSpec(await specOf(name));
  if (turns.get(name) !== turn) return;
  views.get(name)?.finalize();
  views.delete(name);
  canvas.closest("figure").classList.toggle("empty", !spec);
  if (!spec) return canvas.replaceChildren();
  const { view } = await window.vegaEmbed(canvas, spec, embedded);
  if (turns.get(name) !== turn) return view.finalize();
  views.set(name, view);
  quietForReaders(canvas);
  canvas.style.minHeight = "";
  view.addEventListener("click", (_, item) => item && item.datum && openCell(canvas, item.datum));
}

// The figure's own label says what is drawn; thousands of marks would only be noise.
function quietForReaders(canvas) {
  all("svg", canvas).forEach((svg) => svg.setAttribute("aria-hidden", "true"));
}
