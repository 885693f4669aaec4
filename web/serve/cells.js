// The table of cells. What is the same in all of them stands once, above, so that a phone shows the throughput.
import { byId, element, setText } from "./dom.js";
import { counted } from "../counted.js";
import { rate } from "./words.js";

const interval = (cell) => (cell.low === null || cell.high === null ? "–" : `${rate(cell.low)} to ${rate(cell.high)}`);

const level = (cell) => (cell.is_settled ? rate(cell.tps) : `(${rate(cell.tps)})`);

const COLUMNS = [
  { title: "target", of: (cell) => cell.target },
  { title: "workload", of: (cell) => cell.workload, isAxis: true },
  { title: "memory", of: (cell) => cell.memory, isAxis: true },
  {
    title: "connections",
    of: (cell) => String(cell.connections),
    isAxis: true,
    isNumber: true,
    words: (cell) => counted(cell.connections, "connection"),
  },
  { title: "route", of: (cell) => cell.route, isAxis: true },
  { title: "TPS", of: level, isNumber: true },
  { title: "95 % interval", of: interval, isNumber: true },
  { title: "runs", of: (cell) => String(cell.runs), isNumber: true },
  { title: "states", of: (cell) => cell.statuses.join(", ") },
];

// Columns of which every cell has the same, and those that are shown.
export function splitColumns(cells) {
  const isSame = ({ isAxis, of }) => isAxis && cells.length > 1 && new Set(cells.map(of)).size === 1;
  return { common: COLUMNS.filter(isSame), shown: COLUMNS.filter((column) => !isSame(column)) };
}

export function commonWords(cells) {
  const { common } = splitColumns(cells);
  const same = common.length ? `All with ${common.map(({ of, words = of }) => words(cells[0])).join(", ")}.` : "";
  const unsettled = cells.some((cell) => !cell.is_settled) ? "In brackets: not settled." : "";
  return [same, unsettled].filter(Boolean).join(" ");
}

let drawn = "";

export function showCells(cells) {
  byId("cells-section").hidden = cells.length === 0;
  const now = JSON.stringify(cells);
  if (now === drawn) return;
  drawn = now;
  const { shown } = splitColumns(cells);
  setText("cells-common", commonWords(cells));
  const style = (column) => (column.isNumber ? "n" : "");
  const head = element("tr", "", ...shown.map((column) => element("th", style(column), column.title)));
  const rows = cells.map((cell) =>
    element("tr", "", ...shown.map((column) => element("td", style(column), column.of(cell)))),
  );
  byId("cells").replaceChildren(element("thead", "", head), element("tbody", "", ...rows));
}
