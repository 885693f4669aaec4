// Made by web/build.js from web/report/study.js; edit there.
(() => {
  // report/dom.js
  var byId = (id) => document.getElementById(id);
  var all = (selector, within = document) => [...within.querySelectorAll(selector)];
  var scrollBehaviour = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  function make(tag, facts = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(facts)) {
      if (name === "text") made.textContent = value;
      else if (name in made && name !== "list") made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }
  function button(text, label, action, className = "") {
    const made = make("button", { type: "button", text, className, "aria-label": label });
    made.addEventListener("click", action);
    return made;
  }
  function nearestToView(elements) {
    let found = null;
    for (const element of elements) {
      if (!element.offsetParent) continue;
      const box = element.getBoundingClientRect();
      const away = Math.max(box.top - innerHeight, -box.bottom, 0);
      if (!found || away < found.away) found = { element, away };
    }
    return found;
  }
  var nextFrame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  var embeddedJson = (id) => JSON.parse(byId(id).textContent);
  function buildThemeSwitch() {
    const root = document.documentElement;
    byId("theme").addEventListener("click", () => {
      const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
      const now = root.dataset.theme || (dark ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
    });
  }

  // counted.js
  var counted = (count, noun, nouns = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;

  // report/words.js
  var shortened = (text, most = 40) => text.length <= most ? text : `${text.slice(0, most - 13)}…${text.slice(-12)}`;
  var fileName = (text, most = 40) => text.replace(/[^A-Za-z0-9]+/g, "-").slice(0, most);
  function csvField(text) {
    const trimmed = text.trim();
    const isFormula = /^[=+\-@]/.test(trimmed) && Number.isNaN(Number(trimmed));
    return `"${(isFormula ? `'${trimmed}` : trimmed).replaceAll('"', '""')}"`;
  }
  var csvText = (rows) => rows.map((row) => `${row.map(csvField).join(",")}\r
`).join("");
  function pointWords({ title, target, memory, concurrency, connections = concurrency, shown: shown2, median }) {
    const value = shown2 ?? (median === void 0 ? "" : `median ${median.toLocaleString("en")} TPS`);
    if (!value) return "";
    const at = connections && counted(connections, "connection");
    const where = [memory, at].filter(Boolean).join(", ");
    return `${title ?? target}${where && `, ${where}`}: ${value}`;
  }

  // report/filter.js
  var FACET_TITLES = {
    target: "Targets",
    workload: "Workload",
    memory: "Memory",
    connections: "Connections",
    route: "Route"
  };
  var Filter = class {
    #chosen = /* @__PURE__ */ new Map();
    #off = /* @__PURE__ */ new Set();
    constructor(facets) {
      this.facets = facets.filter((facet) => facet.values.length > 1);
    }
    get isActive() {
      return this.#chosen.size > 0;
    }
    get chosenCount() {
      return this.#chosen.size;
    }
    // 0 where all are shown.
    get connections() {
      return this.isNarrowed("connections") ? [...this.#chosen.get("connections")][0] : 0;
    }
    isNarrowed(name) {
      return this.#chosen.has(name);
    }
    isChosen(name, value) {
      return !this.#chosen.has(name) || this.#chosen.get(name).has(value);
    }
    choose(name, values) {
      const facet = this.facets.find((each) => each.name === name);
      const known = facet ? facet.values.filter((value) => values.includes(value)) : [];
      if (known.length && known.length < facet.values.length) this.#chosen.set(name, new Set(known));
      else this.#chosen.delete(name);
      this.#markOff();
    }
    clear() {
      this.#chosen.clear();
      this.#off.clear();
    }
    #markOff() {
      this.#off.clear();
      for (const facet of this.facets) {
        facet.values.forEach((value, index) => {
          if (!this.isChosen(facet.name, value)) this.#off.add(facet.letter + index);
        });
      }
    }
    // A token of several parts (t0+t2) is about all of them, and goes with the first that is off.
    isOff(tokens) {
      return this.#off.size > 0 && tokens.split(/[ +]/).some((token) => this.#off.has(token));
    }
    // Whether a row of a chart is within the filter. Rows with `at` are about chosen connections, 0 about each target's best.
    showsRow(row) {
      if ("at" in row ? row.at !== this.connections : "concurrency" in row && !this.#showsPoint(row)) return false;
      return ["target", "memory", "workload", "route"].every((name) => !(name in row) || this.isChosen(name, row[name]));
    }
    #showsPoint(row) {
      return !this.connections || row.concurrency === this.connections && !row.curve;
    }
    // A chart's definition with the rows within the filter; null where none is left.
    narrowed(whole) {
      const datasets = Object.fromEntries(
        Object.entries(whole.datasets).map(([key, rows2]) => [key, rows2.filter((row) => this.showsRow(row))])
      );
      const rows = Object.values(datasets).flat();
      if (!rows.length) return null;
      const rowPx = whole.usermeta?.row_px;
      return { ...whole, datasets, ...rowPx && { height: rowPx * new Set(rows.map((row) => row.name)).size } };
    }
    // What a value is called: targets as their vendors write them.
    titleOf(name, value) {
      const { values, titles } = this.facets.find((facet) => facet.name === name);
      return String(titles[values.indexOf(value)]);
    }
    words() {
      return [...this.#chosen].map(([name, values]) => {
        const shown2 = [...values].map((value) => shortened(this.titleOf(name, value)));
        return `${FACET_TITLES[name].toLowerCase()}: ${shown2.join(", ")}`;
      });
    }
    // In the address each chosen value stands under its key.
    toParams(params) {
      for (const { name, values, keys } of this.facets.filter((facet) => this.isNarrowed(facet.name))) {
        values.forEach((value, index) => {
          if (this.isChosen(name, value)) params.append(name, keys[index]);
        });
      }
    }
    // Whether it is another choice than before.
    fromParams(params) {
      const before = this.#fingerprint();
      for (const { name, values, keys } of this.facets) {
        const wanted = params.getAll(name);
        this.choose(
          name,
          values.filter((_, index) => wanted.includes(keys[index]))
        );
      }
      return before !== this.#fingerprint();
    }
    #fingerprint() {
      return JSON.stringify([...this.#chosen].map(([name, values]) => [name, ...values]));
    }
  };
  var NARROW_PX = 480;
  var NAME_PX = 16;
  var CHARACTER_PX = 6.2;
  function fitted(spec, widthPx) {
    const { names_above: barRows, row_px: rowPx, field_px: fieldPx } = spec.usermeta ?? {};
    if (fieldPx) return widthOfFields(spec, widthPx) < fieldPx ? withNamesBetween(spec, rowPx, widthPx) : spec;
    if (widthPx >= NARROW_PX) return spec;
    if (barRows) return withNamesAbove(spec, barRows, widthPx);
    if (!spec.layer?.some((layer) => layer.name === "ends")) return spec;
    return { ...spec, layer: spec.layer.filter((layer) => layer.name !== "ends"), padding: 4 };
  }
  function widthOfFields(spec, widthPx) {
    const rows = Object.values(spec.datasets).flat();
    const namesPx = CHARACTER_PX * Math.max(...rows.map((row) => row.name.length));
    return (widthPx - namesPx) / new Set(rows.map((row) => row.memory)).size;
  }
  function withNamesBetween(spec, rowPx, widthPx) {
    const stepPx = rowPx + NAME_PX;
    const fit = withNamesAbove(spec, spec.height / rowPx, widthPx, stepPx / 2);
    fit.height -= NAME_PX;
    for (const { encoding } of fit.layer) {
      encoding.y.scale = { ...encoding.y.scale, paddingInner: NAME_PX / stepPx + 0.04 };
      if (encoding.x.axis) encoding.x.axis = { ...encoding.x.axis, labelPadding: NAME_PX + 4 };
    }
    return fit;
  }
  function withNamesAbove(spec, rows, widthPx, offsetPx = NAME_PX) {
    const fit = structuredClone(spec);
    fit.height += NAME_PX * rows;
    const place2 = {
      labelAlign: "left",
      labelPadding: -4,
      labelOffset: -offsetPx,
      labelLimit: widthPx - 20,
      maxExtent: 0
    };
    for (const { encoding } of fit.layer) if (encoding?.y?.axis) encoding.y.axis = { ...encoding.y.axis, ...place2 };
    return fit;
  }

  // report/view.js
  var data = embeddedJson("page-data");
  var filter = new Filter(data.facets);
  var events = new EventTarget();
  var announce = (name) => events.dispatchEvent(new Event(name));
  var listen = (name, action) => events.addEventListener(name, action);

  // report/filter_bar.js
  function applyFilter() {
    for (const element of all("main [data-f]")) element.hidden = filter.isOff(element.dataset.f);
    all("table[data-cols]").forEach(filterColumns);
    showChoices();
    announce("filter");
  }
  function filterTable(table) {
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
  function buildFilterBar(copyLink2) {
    const place2 = byId("filters");
    if (!filter.facets.length) return byId("filter-toggle").remove();
    for (const facet of filter.facets) place2.append(facet.name === "connections" ? connectionsMenu(facet) : menu(facet));
    place2.append(make("span", { id: "filter-count", className: "quiet", role: "status" }));
    place2.append(button("Reset", "Show everything again", reset, "reset"));
    place2.append(button("Copy link", "Copy link to this view", (event) => copyLink2(event.currentTarget), "copy"));
    document.addEventListener("click", closeMenusBut);
    for (const name of all("button[data-target]")) name.addEventListener("click", () => toggleTarget(name));
    document.addEventListener("keydown", closeMenuOnEscape);
    byId("filter-toggle").addEventListener("click", () => {
      const isOpen = place2.classList.toggle("open");
      byId("filter-toggle").setAttribute("aria-expanded", String(isOpen));
    });
  }
  function closeMenusBut(event) {
    for (const menu2 of all("details.facet[open]")) if (!menu2.contains(event.target)) menu2.open = false;
  }
  function closeMenuOnEscape(event) {
    const menu2 = event.key === "Escape" && document.querySelector("details.facet[open]");
    if (!menu2) return;
    menu2.open = false;
    menu2.querySelector("summary").focus();
  }
  function menu(facet) {
    const title = FACET_TITLES[facet.name];
    const groups = [...new Set(facet.groups)];
    const bulk = make(
      "div",
      { className: "bulk" },
      button("all", `All: ${title}`, () => pick(facet, facet.values))
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
      only
    );
  }
  function toggleTarget(name) {
    const facet = filter.facets.find((each) => each.name === "target");
    const clicked = facet.values[Number(name.dataset.target)];
    const shown2 = facet.values.filter((value) => filter.isChosen("target", value));
    pick(facet, shown2.includes(clicked) ? shown2.filter((value) => value !== clicked) : [...shown2, clicked]);
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
  function showChoices() {
    for (const facet of filter.facets) {
      if (facet.name === "connections") showConnections(facet);
      else showMenu(facet);
    }
    if (!filter.facets.length) return;
    const left = data.runs.filter((run2) => !filter.isOff(run2.f)).length;
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
    const some = on.length === 1 ? shortened(filter.titleOf(facet.name, on[0]), 24) : `${on.length} of ${facet.values.length}`;
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

  // report/pack.js
  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  // report/charts.js
  var embedOptions = {
    renderer: "svg",
    actions: false,
    ast: true,
    defaultStyle: false,
    tooltip: { theme: "custom" }
  };
  var configured = { ...embedOptions, config: data.config };
  var views = /* @__PURE__ */ new Map();
  var specs = /* @__PURE__ */ new Map();
  var viewOf = (name) => views.get(name);
  async function specOf(name) {
    const stored = specs.get(name) ?? data.specs[name];
    const spec = typeof stored === "string" ? JSON.parse(await unpacked(stored)) : stored;
    specs.set(name, spec);
    return spec;
  }
  async function unpackCharts() {
    for (const name of Object.keys(data.specs)) await specOf(name);
    document.body.dataset.charts = "unpacked";
  }
  var turns = /* @__PURE__ */ new Map();
  async function draw(canvas, onClick2) {
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
    view.addEventListener("click", (_, item) => item?.datum && !isAcrossPlaces(item) && onClick2(canvas, item.datum));
  }
  var isAcrossPlaces = ({ mark, datum }) => ["line", "area"].includes(mark.marktype) && "concurrency" in datum;
  function hideFromReaders(canvas) {
    for (const svg of all("svg", canvas)) svg.setAttribute("aria-hidden", "true");
  }

  // report/save.js
  var saveText = (name, text, type) => saveBlob(name, new Blob([text], { type }));
  function saveBlob(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }
  function addTools(figure, name, viewOf2, source) {
    const bar = make("span", { className: "save" });
    for (const kind of ["SVG", "PNG"]) {
      const saveAs = async () => saveChart(figure, name, await viewOf2(), kind, source());
      bar.append(button(kind, `Save this chart as ${kind}`, saveAs));
    }
    if (figure.id) {
      bar.append(
        make("a", { text: "link", href: `#${figure.id}`, "aria-label": "Link to this chart with the current filter" })
      );
    }
    figure.querySelector("figcaption").append(bar);
  }
  async function saveChart(figure, name, view, kind, source) {
    const title = figure.querySelector("figcaption .title").textContent;
    const svg = titled(withColours(await view.toSVG()), title, source);
    if (kind === "SVG") return saveText(`${name}.svg`, svg, "image/svg+xml");
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => saveBlob(`${name}.png`, blob));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  }
  function withColours(text) {
    const style = getComputedStyle(document.documentElement);
    return text.replace(/var\((--[a-z0-9]+)\)/g, (_, variable) => style.getPropertyValue(variable).trim());
  }
  function titled(text, title, source) {
    const inner = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const [width, height] = ["width", "height"].map((side) => Number(inner.getAttribute(side)));
    const style = getComputedStyle(document.documentElement);
    const ns = "http://www.w3.org/2000/svg";
    const outer = document.createElementNS(ns, "svg");
    const add = (tag, facts, words) => {
      const made = document.createElementNS(ns, tag);
      for (const [key, value] of Object.entries(facts)) made.setAttribute(key, value);
      if (words) made.textContent = words;
      outer.append(made);
    };
    const size = { width: width + 24, height: height + 66 };
    outer.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    for (const [side, value] of Object.entries(size)) outer.setAttribute(side, value);
    const ink = { "font-family": "system-ui, sans-serif", fill: style.getPropertyValue("--ink").trim() };
    const quiet = { ...ink, fill: style.getPropertyValue("--quiet").trim() };
    add("rect", { ...size, fill: style.getPropertyValue("--paper").trim() });
    add("text", { x: 12, y: 24, "font-size": 14, "font-weight": 600, ...ink }, shortened(title, 90));
    inner.setAttribute("x", 12);
    inner.setAttribute("y", 34);
    outer.append(document.importNode(inner, true));
    add("text", { x: 12, y: size.height - 12, "font-size": 10, ...quiet }, shortened(source, 120));
    return new XMLSerializer().serializeToString(outer);
  }

  // report/seconds.js
  function panelSpec(template, run2, panel) {
    const spec = structuredClone(template);
    const rows = panel.lines.flatMap((line) => rowsOf(line, panel.log));
    spec.datasets = { ...spec.datasets, rows, ...marksOf(run2, panel) };
    const highest = rows.reduce((most, row) => Math.max(most, row.value), 0);
    for (const layer of spec.layer) {
      const { x, y, color, strokeDash } = layer.encoding;
      if (x?.scale) x.scale.domain = secondsOf(run2);
      if (y?.axis) y.axis.title = panel.unit;
      if (y?.scale && !panel.log) y.scale.domain = [0, 1.08 * highest || 1];
      if (color && panel.lines.length === 1) color.legend = strokeDash.legend = null;
    }
    return spec;
  }
  function rowsOf({ name: series, s, v, gaps }, log) {
    return s.flatMap((second, at) => {
      const value = log && !(v[at] > 0) ? null : v[at];
      const isAlone = (!at || gaps.has(at)) && (at + 1 === s.length || gaps.has(at + 1));
      const seconds = isAlone ? [second - 0.5, second + 0.5] : [second];
      const points = seconds.map((each) => ({ second: each, value, series }));
      return at && gaps.has(at) ? [{ second: (s[at - 1] + second) / 2, value: null, series }, ...points] : points;
    });
  }
  function marksOf(run2, panel) {
    const spans = (pairs) => pairs.map(([from, to]) => ({ from, to }));
    return {
      phases: run2.phases,
      stalls: spans(run2.marks.stalls),
      changes: run2.marks.changes.map((second) => ({ second })),
      waves: panel.key === "tps" ? spans(run2.marks.waves) : []
    };
  }
  var secondsOf = (run2) => run2.phases.length ? [run2.phases[0].from, run2.phases.at(-1).to] : [0, 1];
  function unfolded(line) {
    const seconds = [line.s];
    for (let at = 1; at < line.v.length; at += 1) seconds.push(seconds[at - 1] + (line.d ? line.d[at - 1] : 1));
    const scale = Number(`1e${Math.abs(line.p ?? 0)}`);
    const v = line.p > 0 ? line.v.map((value) => value / scale) : line.p < 0 ? line.v.map((value) => value * scale) : line.v;
    return { name: line.n, s: seconds, v, step: line.u ?? 1, gaps: new Set(line.g), isThinned: Boolean(line.t) };
  }
  function rangeWords(line) {
    const [low, high] = [Math.min, Math.max].map((end) => line.v.reduce((a, b) => end(a, b)));
    return `${line.name} from ${low} to ${high}`;
  }
  function indexAt(line, second) {
    let [low, high] = [0, line.s.length];
    while (low < high) {
      const middle = low + high >> 1;
      if (line.s[middle] <= second) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  function valueWords(line, second, unit) {
    const at = indexAt(line, second);
    if (at < 0) return "";
    const isCovered = second - line.s[at] < line.step;
    const isLastBefore = at + 1 === line.s.length || line.gaps.has(at + 1);
    if (!isCovered && isLastBefore && !line.isThinned) return "";
    const value = line.v[at].toLocaleString("en", { maximumSignificantDigits: 4 });
    const when = line.isThinned && !isCovered ? ` (at second ${line.s[at]})` : "";
    return `${line.name} ${value}${unit ? ` ${unit}` : ""}${when}`.trim();
  }
  function secondWords(run2, second) {
    const phase = run2.phases.find((span) => second >= span.from && second <= span.to);
    const isStalled = run2.marks.stalls.some(([from, to]) => second >= from && second <= to);
    const words = run2.panels.slice(0, 2).flatMap((panel) => panel.lines.map((line) => valueWords(line, second, panel.unit))).filter(Boolean);
    const where = `${phase ? phase.phase : "outside"}${isStalled ? ", stalled" : ""}`;
    return `Second ${second} (${where}): ${words.join(", ") || "no value"}`;
  }

  // report/run.js
  var runs = data.runs;
  var KEY_STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
  var IDLE_CURSOR = "Move over a chart, or use the arrow keys, to read a second.";
  var shown = -1;
  var run = null;
  var panels = [];
  var cursor = -1;
  var sourceWords = () => [data.name, ...filter.words()].join(" · ");
  var openRunId = () => runs[shown]?.id ?? "";
  var cursorSecond = () => shown >= 0 ? cursor : -1;
  function buildRuns() {
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
  var scrollToRun = () => byId("detail").scrollIntoView({ behavior: scrollBehaviour(), block: "start" });
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
  function openCell(canvas, datum) {
    const found = datum.run ? runs.find((each) => each.id === datum.run) : runOfCell(canvas, datum);
    if (!found) return;
    show(found.id);
    scrollToRun();
  }
  function runOfCell(canvas, { target, memory, concurrency, connections = concurrency }) {
    if (target === void 0 || connections === void 0) return void 0;
    const wanted = { target, memory, connections };
    const tokens = (canvas.closest("figure").dataset.f || "").split(" ").filter(Boolean);
    for (const { name, letter, values } of data.facets.filter((facet) => wanted[facet.name] !== void 0)) {
      tokens.push(letter + values.indexOf(wanted[name]));
    }
    return runs.find((each) => {
      const own = new Set(each.f.split(" "));
      return tokens.every((token) => own.has(token));
    });
  }
  function restoreRun(id, second) {
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
  var isRead = new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  var packedRuns = null;
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
    byId("detail-title").title = runs[index].title.slice(0, 2e3);
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
    for (const panel of run.panels.filter((panel2) => panel2.key !== "other")) await addPanel(read, panel);
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
    const readout2 = make("span", { className: "readout" });
    const caption = make("figcaption", {}, make("span", { className: "title", text: title }), readout2);
    const words = `${panel.title}, ${panel.unit}: ${panel.lines.map(rangeWords).join("; ")}`.slice(0, 4e3);
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
    panels.push({ view, panel, canvas, rule, readout: readout2 });
    canvas.addEventListener("pointermove", (event) => setCursor(secondUnder(view, canvas, event)));
    canvas.addEventListener("pointerleave", () => announce("rest"));
  }
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
    for (const { view, panel, rule, readout: readout2 } of panels) {
      rule.hidden = cursor < 0;
      if (cursor < 0) continue;
      rule.style.left = `${view.padding().left + view.origin()[0] + view.scale("x")(cursor)}px`;
      const unit = panel.lines.length === 1 ? panel.unit : "";
      const lines = unit ? [{ ...panel.lines[0], name: "" }] : panel.lines;
      readout2.textContent = lines.map((line) => valueWords(line, cursor, unit)).filter(Boolean).join(" · ");
    }
    byId("detail-cursor").textContent = cursor < 0 ? IDLE_CURSOR : secondWords(run, cursor);
  }

  // report/address.js
  var REMEMBER_MS = 300;
  var openAtFirst = new Set(all("main details[open]"));
  var place = "";
  var pending = 0;
  function buildAddress() {
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
  function restoreView(isTravel) {
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
  function nameDetails() {
    const used = /* @__PURE__ */ new Set();
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
  async function copyLink(pressed) {
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

  // report/flame_view.js
  var SLACK = 2e-3;
  var LEAST_LABEL_PX = 34;
  var fits = (widthPx) => widthPx >= LEAST_LABEL_PX;
  var inside = (inner, outer) => inner.x >= outer.x - SLACK && inner.x + inner.width <= outer.x + outer.width + SLACK;
  function enlarged(frames, frame) {
    return frames.map((one) => ({ element: one.element, place: placed(one, frame) }));
  }
  var shownFrames = (frames, frame) => frames.filter((one) => placed(one, frame));
  function placed(one, frame) {
    if (frame.depth === 0) return { x: one.x, width: one.width };
    if (one.depth < frame.depth) return inside(frame, one) ? { x: 0, width: 100 } : null;
    if (!inside(one, frame)) return null;
    return { x: 100 * (one.x - frame.x) / frame.width, width: 100 * one.width / frame.width };
  }
  function nearby(frames, frame, direction) {
    const at = (depth) => frames.filter((one) => one.depth === depth);
    if (direction === "outer") return at(frame.depth - 1).find((one) => inside(frame, one)) ?? frame;
    if (direction === "inner") {
      const called = at(frame.depth + 1).filter((one) => inside(one, frame));
      return called.sort((a, b) => b.width - a.width)[0] ?? frame;
    }
    const row = at(frame.depth).sort((a, b) => a.x - b.x);
    return row[row.indexOf(frame) + (direction === "left" ? -1 : 1)] ?? frame;
  }

  // report/flame.js
  var DIRECTIONS = { ArrowDown: "inner", ArrowUp: "outer", ArrowLeft: "left", ArrowRight: "right" };
  function buildFlames() {
    for (const figure of all(".flame-figure")) buildFlame(figure);
  }
  function buildFlame(figure) {
    const svg = figure.querySelector("svg.flame");
    const words = figure.querySelector(".flame-words");
    const frames = all("svg.fr", svg).map(readFrame);
    const byElement = new Map(frames.map((frame) => [frame.element, frame]));
    const hint = words.textContent;
    let current = frames[0];
    let whole = frames[0];
    const frameOf = (event) => byElement.get(event.target.closest("svg.fr"));
    const showLabels = () => {
      const widthPx = svg.getBoundingClientRect().width;
      if (!widthPx) return;
      for (const { element } of frames) {
        element.classList.toggle("narrow", !fits(widthPx * parseFloat(element.getAttribute("width")) / 100));
      }
    };
    const zoom = (frame) => {
      whole = frame;
      for (const { element, place: place2 } of enlarged(frames, frame)) show2(element, place2);
      showLabels();
      back.hidden = frame === frames[0];
    };
    const read = (frame) => words.textContent = frame ? frame.words : hint;
    const moveTo = (frame) => {
      current.element.setAttribute("tabindex", -1);
      current = frame;
      current.element.setAttribute("tabindex", 0);
      current.element.focus();
    };
    const back = button("whole", "Show the whole graph", () => zoom(frames[0]));
    back.hidden = true;
    figure.querySelector(".save").prepend(back);
    svg.addEventListener("pointerover", (event) => frameOf(event) && read(frameOf(event)));
    svg.addEventListener("pointerleave", () => read(null));
    svg.addEventListener("focusin", (event) => read(frameOf(event)));
    svg.addEventListener("click", (event) => frameOf(event) && (moveTo(frameOf(event)), zoom(current)));
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") zoom(current);
      else if (event.key === "Escape") zoom(frames[0]);
      else if (DIRECTIONS[event.key]) moveTo(nearby(shownFrames(frames, whole), current, DIRECTIONS[event.key]));
      else return;
      event.preventDefault();
    });
    new ResizeObserver(showLabels).observe(svg);
  }
  function readFrame(element) {
    const [x, width] = ["x", "width"].map((name) => parseFloat(element.getAttribute(name)));
    return { element, x, width, depth: Number(element.dataset.d), words: element.querySelector("title").textContent };
  }
  function show2(element, place2) {
    element.style.display = place2 ? "" : "none";
    if (!place2) return;
    element.setAttribute("x", `${place2.x}%`);
    element.setAttribute("width", `${place2.width}%`);
  }

  // report/points.js
  var TOLERANCE_PX = 2;
  var STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  var MARKS = "svg .mark-symbol path, svg .mark-rect path";
  function buildPoints(canvas, onOpen) {
    let at = -1;
    canvas.addEventListener("keydown", (event) => {
      const points = pointsOf(canvas);
      if (!points.length) return;
      if (event.key === "Enter" && points[at]) return onOpen(canvas, points[at].datum);
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      at = at < 0 ? 0 : isMap(points) ? neighbour(points, at, event.key) : (at + step + points.length) % points.length;
      show3(canvas, points[at]);
    });
    canvas.addEventListener("blur", () => {
      at = -1;
      show3(canvas, null);
    });
  }
  function pointsOf(canvas) {
    const found = /* @__PURE__ */ new Map();
    for (const mark of all(MARKS, canvas)) {
      const datum = mark.__data__?.datum;
      const words = datum?.target === void 0 || mark.closest(".ends") ? "" : pointWords(datum);
      if (words && !found.has(words)) found.set(words, { mark, datum, words });
    }
    const points = [...found.values()];
    return isMap(points) ? points.sort(byPosition) : points.sort((one, other) => placeOf(one.datum) - placeOf(other.datum));
  }
  var isMap = (points) => points.every(({ mark }) => mark.closest(".mark-rect"));
  function byPosition(one, other) {
    const [here, there] = [one.mark.getBoundingClientRect(), other.mark.getBoundingClientRect()];
    return Math.abs(here.y - there.y) > TOLERANCE_PX ? here.y - there.y : here.x - there.x;
  }
  function neighbour(points, at, key) {
    const [along, across] = key === "ArrowRight" || key === "ArrowLeft" ? ["x", "y"] : ["y", "x"];
    const boxes = points.map(({ mark }) => mark.getBoundingClientRect());
    const distances = boxes.map((box) => STEPS[key] * (box[along] - boxes[at][along]));
    return distances.reduce((nearest, distance, index) => {
      const isBeyond = distance > TOLERANCE_PX && Math.abs(boxes[index][across] - boxes[at][across]) <= TOLERANCE_PX;
      return isBeyond && (nearest === at || distance < distances[nearest]) ? index : nearest;
    }, at);
  }
  var placeOf = ({ concurrency, connections = concurrency }) => connections ?? 0;
  function show3(canvas, point) {
    for (const mark of all(".pointed", canvas)) mark.classList.remove("pointed");
    point?.mark.classList.add("pointed");
    readout(canvas).textContent = point?.words ?? "";
  }
  function readout(canvas) {
    const caption = canvas.closest("figure").querySelector("figcaption");
    const found = caption.querySelector(".readout");
    if (found) return found;
    const made = make("span", { className: "readout", role: "status" });
    caption.append(made);
    return made;
  }

  // report/schedule.js
  var STILL_MS = 120;
  var BLANK_MS = 600;
  var waiting = /* @__PURE__ */ new Set();
  var drawing = /* @__PURE__ */ new Set();
  var scrolledAt = -STILL_MS;
  var drawnAt = 0;
  var isWorking = false;
  var wake = () => {
  };
  var onClick = () => {
  };
  function buildSchedule(openCell2) {
    onClick = openCell2;
    window.addEventListener("scroll", noteScroll, { passive: true });
    document.addEventListener("toggle", drawAhead, true);
  }
  function noteScroll() {
    scrolledAt = performance.now();
    wake();
  }
  var idleMoment = () => new Promise((done) => {
    wake = done;
    if (window.requestIdleCallback) requestIdleCallback(done, { timeout: 1e3 });
    else setTimeout(done, 50);
  });
  function awaitCharts() {
    const canvases = all("[data-chart]");
    const heights = canvases.map((canvas) => canvas.firstElementChild ? canvas.offsetHeight : 0);
    canvases.forEach((canvas, index) => {
      if (heights[index]) canvas.style.minHeight = `${heights[index]}px`;
      waiting.add(canvas);
    });
    drawAhead();
  }
  async function drawAhead() {
    if (isWorking) return;
    isWorking = true;
    for (let next = nearestToView(waiting); next; next = nearestToView(waiting)) {
      if (next.away > 0) await idleMoment();
      if (mayDraw(next)) await begin(next.element).catch(reportError);
      else await new Promise((done) => setTimeout(done, STILL_MS / 2));
      await nextFrame();
    }
    isWorking = false;
  }
  function mayDraw({ away, element }) {
    const now = performance.now();
    const isBlankInView = away === 0 && !element.firstElementChild;
    return now - scrolledAt > STILL_MS || isBlankInView && now - drawnAt > BLANK_MS;
  }
  async function begin(canvas) {
    waiting.delete(canvas);
    drawing.add(canvas);
    try {
      await draw(canvas, onClick);
    } finally {
      drawing.delete(canvas);
      drawnAt = performance.now();
    }
  }
  async function currentView(canvas) {
    const name = canvas.dataset.chart;
    if (!viewOf(name) || waiting.has(canvas) || drawing.has(canvas)) await begin(canvas);
    return viewOf(name);
  }
  function drawAll() {
    return Promise.all([...waiting, ...drawing].filter((canvas) => canvas.offsetParent).map(begin));
  }

  // report/stills.js
  var AHEAD_PX = 4e3;
  var near = /* @__PURE__ */ new Set();
  var isWorking2 = false;
  function buildStills() {
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) near.add(target);
          else near.delete(target);
        }
        showStills();
      },
      { rootMargin: `${AHEAD_PX}px 0px` }
    );
    for (const canvas of all("[data-still]")) observer.observe(canvas);
  }
  async function showStills() {
    if (isWorking2) return;
    isWorking2 = true;
    for (let next = nearestToView(near); next; next = nearestToView(near)) {
      near.delete(next.element);
      await showStill(next.element);
      await nextFrame();
    }
    isWorking2 = false;
  }
  async function showStill(canvas) {
    const packed = canvas.dataset.still;
    delete canvas.dataset.still;
    if (!packed) return;
    const markup = await unpacked(packed);
    if (!canvas.firstElementChild && !filter.isActive) canvas.innerHTML = markup;
  }

  // report/tables.js
  var isPacked = (table) => Boolean(table.tBodies[0]?.dataset.packed);
  function buildTables(filterTable2 = () => {
  }) {
    for (const table of all("table[data-csv]")) {
      const saveTable = async () => {
        await unpackRows(table, filterTable2);
        saveText(`${table.dataset.csv.replaceAll("/", "-")}.csv`, csvText(visibleCells(table)), "text/csv");
      };
      table.caption.append(button("CSV", "Save the rows shown as CSV", saveTable));
      if (isPacked(table) && !table.closest("details")) unpackRows(table, filterTable2);
    }
    document.addEventListener("toggle", (event) => event.target.open && unpackTables(event.target, filterTable2), true);
  }
  var unpackTables = (within, filterTable2) => Promise.all(all("table[data-csv]", within).map((table) => unpackRows(table, filterTable2)));
  async function unpackRows(table, filterTable2) {
    if (!isPacked(table)) return;
    const body = table.tBodies[0];
    const { packed } = body.dataset;
    delete body.dataset.packed;
    body.innerHTML = await unpacked(packed);
    filterTable2(table);
  }
  function visibleCells(table) {
    const rows = [...table.rows].filter((row) => !row.hidden);
    return rows.map((row) => [...row.cells].filter((cell) => !cell.hidden).map(wholeText));
  }
  var wholeText = (cell) => cell.querySelector("[title]")?.title ?? cell.textContent;

  // report/study.js
  var opened = [];
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
  if (window.location.search === "?print") {
    window.addEventListener("load", () => (prepareForPrint(), unpackTables(document, filterTable)));
  }
})();
