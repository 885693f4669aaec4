"use strict";
// The page's own behaviour: charts drawn when they come near, one run's seconds on demand, CSV, theme, print.
// What needs no script (words, tables, strips) is in the document already.
(() => {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const byId = (id) => document.getElementById(id);
  const reduced = window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  // Charts -----------------------------------------------------------------------------------------------------

  const embedOptions = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { theme: "custom" } };
  const views = new Map();

  async function draw(canvas) {
    const name = canvas.dataset.chart;
    if (views.has(name)) return;
    views.set(name, null);
    const { view } = await window.vegaEmbed(canvas, data.specs[name], embedOptions);
    views.set(name, view);
    quietForReaders(canvas);
    canvas.style.minHeight = "";
    addSaveButtons(canvas.closest("figure"), name, view);
  }

  // The figure's own label says what is drawn; thousands of marks would only be noise.
  function quietForReaders(canvas) {
    canvas.querySelectorAll("svg").forEach((svg) => svg.setAttribute("aria-hidden", "true"));
  }

  function addSaveButtons(figure, name, view) {
    const bar = document.createElement("span");
    bar.className = "save";
    for (const kind of ["SVG", "PNG"]) {
      bar.append(button(kind, `Save this chart as ${kind}`, () => saveChart(name, view, kind)));
    }
    figure.querySelector("figcaption").append(bar);
  }

  async function saveChart(name, view, kind) {
    const svg = withColours(await view.toSVG());
    if (kind === "SVG") return save(`${name}.svg`, svg, "image/svg+xml");
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * image.width;
      canvas.height = 2 * image.height;
      const context = canvas.getContext("2d");
      context.fillStyle = getComputedStyle(document.body).backgroundColor;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => saveBlob(`${name}.png`, blob));
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  }

  function withColours(text) {
    const style = getComputedStyle(document.documentElement);
    return text.replace(/var\((--[a-z0-9]+)\)/g, (_, variable) => style.getPropertyValue(variable).trim());
  }

  const waiting = new Set(document.querySelectorAll("[data-chart]"));
  const near = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => begin(entry.target)),
    { rootMargin: "500px" },
  );
  function begin(canvas) {
    near.unobserve(canvas);
    waiting.delete(canvas);
    draw(canvas);
  }
  waiting.forEach((canvas) => near.observe(canvas));

  // What nobody scrolled to is drawn in idle moments, so that print and search in page find everything.
  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 200));
  function drawRest() {
    const [next] = waiting;
    if (!next) return;
    begin(next);
    idle(drawRest);
  }
  // Opened to be printed, the page draws at once: a browser without a window may have no idle moments.
  const isPrinted = window.location.search === "?print";
  window.addEventListener("load", () => (isPrinted ? waiting.forEach(begin) : idle(drawRest)));

  // Saving -----------------------------------------------------------------------------------------------------

  function button(text, label, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  }

  function save(name, text, type) {
    saveBlob(name, new Blob([text], { type }));
  }

  function saveBlob(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // Quotes around every field; a leading = + - @ that is no number would run as a formula in a spreadsheet.
  function field(cell) {
    const whole = cell.querySelector("[title]");
    let text = (whole ? whole.title : cell.textContent).trim();
    if (/^[=+\-@]/.test(text) && Number.isNaN(Number(text))) text = "'" + text;
    return '"' + text.replaceAll('"', '""') + '"';
  }

  document.querySelectorAll("table[data-csv]").forEach((table) => {
    const rows = () => [...table.rows].map((row) => [...row.cells].map(field).join(","));
    const action = () => save(`${table.dataset.csv.replaceAll("/", "-")}.csv`, rows().join("\r\n") + "\r\n", "text/csv");
    table.caption.append(button("CSV", "Save this table as CSV", action));
  });

  // Theme ------------------------------------------------------------------------------------------------------

  const root = document.documentElement;
  byId("theme").addEventListener("click", () => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });

  // Print: everything that is folded is opened, and closed again afterwards -------------------------------------

  let opened = [];
  window.addEventListener("beforeprint", () => {
    waiting.forEach(begin);
    opened = [...document.querySelectorAll("details.data:not([open])")];
    opened.forEach((details) => (details.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));

  // The seconds of one run -------------------------------------------------------------------------------------

  const runs = data.runs;
  if (!runs.length) return;
  const detail = byId("detail");
  const choose = byId("detail-run");
  const panelsPlace = byId("detail-panels");
  let shown = -1;
  let panels = [];
  let cursor = -1;

  runs.forEach((run, index) => choose.append(new Option(`${index + 1}. ${run.title}`, run.id)));
  choose.addEventListener("change", () => go(choose.value));
  byId("detail-before").addEventListener("click", () => go(runs[Math.max(shown - 1, 0)].id));
  byId("detail-after").addEventListener("click", () => go(runs[Math.min(shown + 1, runs.length - 1)].id));
  document.querySelectorAll("button[data-run]").forEach((made) => {
    made.addEventListener("click", () => {
      go(made.dataset.run);
      detail.scrollIntoView({ behavior: reduced ? "auto" : "smooth", block: "start" });
      byId("detail-run").focus({ preventScroll: true });
    });
  });

  // The address keeps the open run, so that a link restores the view.
  function go(id) {
    history.replaceState(null, "", "#run=" + encodeURIComponent(id));
    open(id);
  }
  function fromAddress(scroll) {
    const match = /^#run=(.+)$/.exec(location.hash);
    if (!match) return;
    open(decodeURIComponent(match[1]));
    if (scroll && shown >= 0) detail.scrollIntoView();
  }
  window.addEventListener("hashchange", () => fromAddress(true));

  async function open(id) {
    const index = runs.findIndex((run) => run.id === id);
    if (index < 0 || index === shown) return;
    shown = index;
    const run = runs[index];
    detail.hidden = false;
    choose.value = id;
    byId("detail-title").textContent = run.title;
    byId("detail-facts").textContent = run.facts + (run.thinned ? "; thinned, least and greatest values kept" : "");
    document.querySelectorAll("button[data-run]").forEach((made) => {
      made.setAttribute("aria-pressed", String(made.dataset.run === id));
    });
    panels.forEach((panel) => panel.view.finalize());
    panels = [];
    panelsPlace.replaceChildren();
    offerMore(run);
    for (const panel of run.panels.filter((panel) => panel.key !== "other")) await addPanel(run, panel);
    cursor = null;
    setCursor(-1);
  }

  function offerMore(run) {
    const more = byId("detail-more");
    const others = run.panels.filter((panel) => panel.key === "other");
    more.replaceChildren(new Option(others.length ? `${others.length} more` : "none", ""));
    others.forEach((panel, index) => more.append(new Option(panel.title, String(index))));
    more.onchange = () => {
      if (more.value !== "") addPanel(run, others[Number(more.value)]);
      more.value = "";
    };
  }

  async function addPanel(run, panel) {
    const figure = document.createElement("figure");
    figure.className = "panel seconds";
    const caption = document.createElement("figcaption");
    const only = panel.lines.length === 1 ? panel.lines[0].name : "";
    caption.textContent = only && !panel.key && only !== panel.title ? `${panel.title}: ${only}` : panel.title;
    const canvas = document.createElement("div");
    canvas.className = "chart";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${panel.title}, ${panel.unit}: ${panel.lines.map(inWords).join("; ")}`);
    figure.append(caption, canvas);
    panelsPlace.append(figure);
    const { view } = await window.vegaEmbed(canvas, filled(run, panel), embedOptions);
    if (runs[shown] !== run) return view.finalize();
    quietForReaders(canvas);
    panels.push({ view, panel });
    view.addEventListener("mousemove", (event) => setCursor(secondUnder(view, canvas, event)));
    view.addEventListener("mouseout", () => setCursor(-1));
  }

  function inWords(line) {
    return `${line.name} from ${Math.min(...line.v)} to ${Math.max(...line.v)}`;
  }

  function filled(run, panel) {
    const usable = (value) => !panel.log || value > 0;
    const spec = structuredClone(panel.log ? data.seconds.log : data.seconds.linear);
    const rows = panel.lines.flatMap((line) =>
      line.s.map((second, at) => ({ second, value: line.v[at], series: line.name })).filter((row) => usable(row.value)),
    );
    spec.datasets = { ...spec.datasets, rows, phases: run.phases };
    const first = run.phases.length ? run.phases[0].from : 0;
    const last = run.phases.length ? run.phases[run.phases.length - 1].to : 1;
    for (const layer of spec.layer) {
      const { x, y, color, strokeDash } = layer.encoding;
      if (x && x.scale) x.scale.domain = [first, last];
      if (y && y.axis) y.axis.title = panel.unit;
      if (y && y.scale && !panel.log) y.scale.domain = [0, 1.08 * Math.max(...rows.map((row) => row.value)) || 1];
      if (color && panel.lines.length === 1) color.legend = strokeDash.legend = null;
    }
    return spec;
  }

  // One cursor over all panels -----------------------------------------------------------------------------------

  function secondUnder(view, canvas, event) {
    const box = canvas.querySelector("svg").getBoundingClientRect();
    const x = event.clientX - box.left - view.padding().left - view.origin()[0];
    return Math.round(view.scale("x").invert(x));
  }

  function setCursor(second) {
    if (second === cursor) return;
    const phases = runs[shown].phases;
    const last = phases.length ? phases[phases.length - 1].to : 0;
    cursor = second >= 0 && second <= last ? second : -1;
    panels.forEach(({ view }) => view.signal("cursor", cursor).runAsync());
    byId("detail-cursor").textContent = cursor < 0 ? "Move over a chart, or use the arrow keys, to read a second." : atCursor();
  }

  function atCursor() {
    const phase = runs[shown].phases.find((span) => cursor >= span.from && cursor <= span.to);
    const words = panels.slice(0, 2).flatMap(({ panel }) =>
      panel.lines.map((line) => {
        const at = line.s.indexOf(cursor);
        return at < 0 ? "" : `${line.name} ${line.v[at].toLocaleString("en")} ${panel.unit}`;
      }),
    );
    return `Second ${cursor} (${phase ? phase.phase : "outside"}): ${words.filter(Boolean).join(", ")}`;
  }

  panelsPlace.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    setCursor(Math.max(cursor + step, 0));
  });

  fromAddress(true);
})();
