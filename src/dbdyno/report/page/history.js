// Made by web/build.js from web/report/history.js; edit there.
(() => {
  // report/dom.js
  var byId = (id) => document.getElementById(id);
  var all = (selector, within = document) => [...within.querySelectorAll(selector)];
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
  var embeddedJson = (id) => JSON.parse(byId(id).textContent);
  function buildThemeSwitch() {
    const root = document.documentElement;
    byId("theme").addEventListener("click", () => {
      const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
      const now = root.dataset.theme || (dark ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
    });
  }

  // report/pack.js
  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  // report/words.js
  function csvField(text) {
    const trimmed = text.trim();
    const isFormula = /^[=+\-@]/.test(trimmed) && Number.isNaN(Number(trimmed));
    return `"${(isFormula ? `'${trimmed}` : trimmed).replaceAll('"', '""')}"`;
  }
  var csvText = (rows) => rows.map((row) => `${row.map(csvField).join(",")}\r
`).join("");

  // report/save.js
  var saveText = (name, text, type) => saveBlob(name, new Blob([text], { type }));
  function saveBlob(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  }

  // report/tables.js
  var isPacked = (table) => Boolean(table.tBodies[0]?.dataset.packed);
  function buildTables(filterTable = () => {
  }) {
    for (const table of all("table[data-csv]")) {
      const saveTable = async () => {
        await unpackRows(table, filterTable);
        saveText(`${table.dataset.csv.replaceAll("/", "-")}.csv`, csvText(visibleCells(table)), "text/csv");
      };
      table.caption.append(button("CSV", "Save the rows shown as CSV", saveTable));
      if (isPacked(table) && !table.closest("details")) unpackRows(table, filterTable);
    }
    document.addEventListener("toggle", (event) => event.target.open && unpackTables(event.target, filterTable), true);
  }
  var unpackTables = (within, filterTable) => Promise.all(all("table[data-csv]", within).map((table) => unpackRows(table, filterTable)));
  async function unpackRows(table, filterTable) {
    if (!isPacked(table)) return;
    const body = table.tBodies[0];
    const { packed } = body.dataset;
    delete body.dataset.packed;
    body.innerHTML = await unpacked(packed);
    filterTable(table);
  }
  function visibleCells(table) {
    const rows = [...table.rows].filter((row) => !row.hidden);
    return rows.map((row) => [...row.cells].filter((cell) => !cell.hidden).map(wholeText));
  }
  var wholeText = (cell) => cell.querySelector("[title]")?.title ?? cell.textContent;

  // report/history.js
  var options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { theme: "custom" } };
  var { specs } = embeddedJson("page-data");
  var waiting = new Set(all("[data-chart]"));
  var near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
    },
    { rootMargin: "500px" }
  );
  async function draw(canvas) {
    if (!waiting.delete(canvas)) return;
    near.unobserve(canvas);
    await window.vegaEmbed(canvas, specs[canvas.dataset.chart], options);
    for (const svg of all("svg", canvas)) svg.setAttribute("aria-hidden", "true");
    canvas.style.minHeight = "";
  }
  for (const canvas of waiting) near.observe(canvas);
  window.addEventListener("beforeprint", () => {
    [...waiting].forEach(draw);
    for (const details of all("details.data")) details.open = true;
  });
  buildTables();
  buildThemeSwitch();
})();
