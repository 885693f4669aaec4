// Charts are drawn when they come near, from the rows within the filter, and drawn anew when it changes.
const embedOptions = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { theme: "custom" } };
const embedded = { ...embedOptions, config: data.config };
const views = new Map();
const specs = new Map();
const waiting = new Set();
let round = 0;

async function specOf(name) {
  if (!specs.has(name)) {
    const stored = data.specs[name];
    specs.set(name, typeof stored === "string" ? JSON.parse(await unpacked(stored)) : stored);
  }
  return specs.get(name);
}

// The definition with the rows within the filter; null where none is left.
async function filteredSpec(name) {
  const whole = await specOf(name);
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

async function draw(canvas) {
  const name = canvas.dataset.chart;
  const mine = round;
  const spec = await filteredSpec(name);
  if (mine !== round) return;
  if (views.has(name)) views.get(name).finalize();
  views.delete(name);
  canvas.closest("figure").classList.toggle("empty", !spec);
  if (!spec) return canvas.replaceChildren();
  const { view } = await window.vegaEmbed(canvas, spec, embedded);
  if (mine !== round) return view.finalize();
  views.set(name, view);
  quietForReaders(canvas);
  canvas.style.minHeight = "";
  view.addEventListener("click", (_, item) => item && item.datum && openCell(canvas, item.datum));
}

// The figure's own label says what is drawn; thousands of marks would only be noise.
function quietForReaders(canvas) {
  all("svg", canvas).forEach((svg) => svg.setAttribute("aria-hidden", "true"));
}

const near = new IntersectionObserver(
  (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => begin(entry.target)),
  { rootMargin: "400px" },
);

function begin(canvas) {
  near.unobserve(canvas);
  waiting.delete(canvas);
  return draw(canvas);
}

function awaitCharts() {
  round += 1;
  near.disconnect();
  all("[data-chart]").forEach((canvas) => {
    if (canvas.firstElementChild) canvas.style.minHeight = `${canvas.offsetHeight}px`;
    waiting.add(canvas);
    near.observe(canvas);
  });
  restWhenIdle();
}

// What nobody scrolled to is drawn in idle moments, one chart each, so that print and search in page find everything;
// not while somebody scrolls, and not where charts are many: those are drawn when they come near.
const MOST_IDLE = 60;
const idle = window.requestIdleCallback || ((work) => setTimeout(work, 200));
let scrolledAt = 0;
let resting = false;
window.addEventListener("scroll", () => (scrolledAt = performance.now()), { passive: true });

function restWhenIdle() {
  if (resting || Object.keys(data.specs).length > MOST_IDLE) return;
  resting = true;
  idle(drawRest);
}

async function drawRest() {
  const next = [...waiting].find((canvas) => canvas.offsetParent);
  resting = Boolean(next);
  if (!next) return;
  if (performance.now() - scrolledAt > 400) await begin(next);
  setTimeout(() => idle(drawRest), 30);
}

async function drawAll() {
  await Promise.all([...waiting].map(begin));
}

// Tools of a figure ----------------------------------------------------------------------------------------------

function addTools(figure, name, viewOf) {
  const bar = make("span", { className: "save" });
  for (const kind of ["SVG", "PNG"]) {
    bar.append(button(kind, `Save this chart as ${kind}`, async () => saveChart(figure, name, await viewOf(), kind)));
  }
  const link = make("a", { text: "link", href: `#${figure.id || ""}`, "aria-label": "Link to this chart as it is" });
  if (figure.id) bar.append(link);
  figure.querySelector("figcaption").append(bar);
}

async function saveChart(figure, name, view, kind) {
  const title = figure.querySelector("figcaption .title").textContent;
  const svg = titled(withColours(await view.toSVG()), title);
  if (kind === "SVG") return save(`${name}.svg`, svg, "image/svg+xml");
  const image = new Image();
  image.onload = () => {
    const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saveBlob(`${name}.png`, blob));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

// A saved chart says what it is, of which study, and under which filter; on the page's own ground.
function titled(text, title) {
  const inner = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const [width, height] = ["width", "height"].map((side) => Number(inner.getAttribute(side)));
  const style = getComputedStyle(document.documentElement);
  const ns = "http://www.w3.org/2000/svg";
  const outer = document.createElementNS(ns, "svg");
  const put = (parent, tag, facts, words) => {
    const made = document.createElementNS(ns, tag);
    Object.entries(facts).forEach(([key, value]) => made.setAttribute(key, value));
    if (words) made.textContent = words;
    return parent.appendChild(made);
  };
  const size = { width: width + 24, height: height + 66 };
  outer.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  Object.entries(size).forEach(([side, value]) => outer.setAttribute(side, value));
  const ink = { "font-family": "system-ui, sans-serif", fill: style.getPropertyValue("--ink").trim() };
  const quiet = { ...ink, fill: style.getPropertyValue("--quiet").trim() };
  put(outer, "rect", { ...size, fill: style.getPropertyValue("--paper").trim() });
  put(outer, "text", { x: 12, y: 24, "font-size": 14, "font-weight": 600, ...ink }, shortened(title, 90));
  inner.setAttribute("x", 12);
  inner.setAttribute("y", 34);
  outer.append(document.importNode(inner, true));
  put(outer, "text", { x: 12, y: size.height - 12, "font-size": 10, ...quiet }, shortened(sourceWords(), 120));
  return new XMLSerializer().serializeToString(outer);
}

function sourceWords() {
  const filter = [...chosen].map(([name, values]) => `${TITLES[name].toLowerCase()}: ${[...values].join(", ")}`);
  return [data.name, ...filter].join(" · ");
}
