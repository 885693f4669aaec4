"use strict";
// The page of a history: charts drawn when they come near, tables saved as CSV, light and dark, print.
(() => {
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { theme: "custom" } };
  const waiting = new Set(document.querySelectorAll("[data-chart]"));
  const near = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)),
    { rootMargin: "500px" },
  );

  async function draw(canvas) {
    if (!waiting.delete(canvas)) return;
    near.unobserve(canvas);
    await window.vegaEmbed(canvas, data.specs[canvas.dataset.chart], options);
    canvas.querySelectorAll("svg").forEach((svg) => svg.setAttribute("aria-hidden", "true"));
    canvas.style.minHeight = "";
  }

  waiting.forEach((canvas) => near.observe(canvas));
  window.addEventListener("beforeprint", () => {
    [...waiting].forEach(draw);
    document.querySelectorAll("details.data").forEach((details) => (details.open = true));
  });

  // Quotes around every field; a leading = + - @ that is no number would run as a formula in a spreadsheet.
  function field(cell) {
    const whole = cell.querySelector("[title]");
    let text = (whole ? whole.title : cell.textContent).trim();
    if (/^[=+\-@]/.test(text) && Number.isNaN(Number(text))) text = "'" + text;
    return '"' + text.replaceAll('"', '""') + '"';
  }

  document.querySelectorAll("table[data-csv]").forEach((table) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = "CSV";
    made.setAttribute("aria-label", "Save this table as CSV");
    made.addEventListener("click", () => {
      const rows = [...table.rows].map((row) => [...row.cells].map(field).join(","));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([rows.join("\r\n") + "\r\n"], { type: "text/csv" }));
      link.download = `${table.dataset.csv}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
    table.caption.append(made);
  });

  const root = document.documentElement;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
})();
