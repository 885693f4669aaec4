// Text for people and files; no document is needed here.
import { counted } from "../counted.js";

export const shortened = (text, most = 40) =>
  text.length <= most ? text : `${text.slice(0, most - 13)}…${text.slice(-12)}`;

export const fileName = (text, most = 40) => text.replace(/[^A-Za-z0-9]+/g, "-").slice(0, most);

// Quotes around every field; a leading = + - @ that is no number would run as a formula in a spreadsheet.
export function csvField(text) {
  const trimmed = text.trim();
  const isFormula = /^[=+\-@]/.test(trimmed) && Number.isNaN(Number(trimmed));
  return `"${(isFormula ? `'${trimmed}` : trimmed).replaceAll('"', '""')}"`;
}

export const csvText = (rows) => rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");

// What a point of a chart says; empty where its row has no value.
export function pointWords({ title, target, memory, concurrency, connections = concurrency, shown, median }) {
  const value = shown ?? (median === undefined ? "" : `median ${median.toLocaleString("en")} TPS`);
  if (!value) return "";
  const at = connections && counted(connections, "connection");
  const where = [memory, at].filter(Boolean).join(", ");
  return `${title ?? target}${where && `, ${where}`}: ${value}`;
}
