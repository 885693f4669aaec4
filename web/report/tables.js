// Tables can be saved as CSV, as they are filtered; long ones are unpacked when they are opened.
import { all, button } from "./dom.js";
import { unpacked } from "./pack.js";
import { saveText } from "./save.js";
import { csvText } from "./words.js";

const isPacked = (table) => Boolean(table.tBodies[0]?.dataset.packed);

// `filterTable` hides what the filter leaves out of rows that have just come.
export function buildTables(filterTable = () => {}) {
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

export const unpackTables = (within, filterTable) =>
  Promise.all(all("table[data-csv]", within).map((table) => unpackRows(table, filterTable)));

// The markup of rows comes from the same escaping as the rest of the document; the page's policy runs no script in it.
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

// A shortened name has the whole of it as its title.
const wholeText = (cell) => cell.querySelector("[title]")?.title ?? cell.textContent;
