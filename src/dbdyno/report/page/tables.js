// Tables can be saved as CSV, as they are filtered; long ones are unpacked when they are opened.

// Quotes around every field; a leading = + - @ that is no number would run as a formula in a spreadsheet.
function field(cell) {
  const whole = cell.querySelector("[title]");
  let text = (whole ? whole.title : cell.textContent).trim();
  if (/^[=+\-@]/.test(text) && Number.isNaN(Number(text))) text = "'" + text;
  return '"' + text.replaceAll('"', '""') + '"';
}

async function saveTable(table) {
  await unpackRows(table);
  const rows = [...table.rows].filter((row) => !row.hidden);
  const lines = rows.map((row) => [...row.cells].filter((cell) => !cell.hidden).map(field).join(","));
  save(`${table.dataset.csv.replaceAll("/", "-")}.csv`, lines.join("\r\n") + "\r\n", "text/csv");
}

function buildTables() {
  for (const table of all("table[data-csv]")) {
    table.caption.append(button("CSV", "Save this table as CSV, as it is filtered", () => saveTable(table)));
    if (table.tBodies[0] && table.tBodies[0].dataset.packed && !table.closest("details")) unpackRows(table);
  }
  document.addEventListener("toggle", (event) => event.target.open && unpackAll(event.target), true);
}
