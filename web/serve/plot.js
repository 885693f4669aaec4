// The course of a run under way: from zero, one point a second; what is not judged has a grey ground.
import { ceiling, number } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 52;

function drawing(name, attributes, words) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== undefined) made.textContent = words;
  return made;
}

export function plot(place, values, live, mean) {
  const width = place.clientWidth || 600;
  const height = place.clientHeight || 190;
  const bottom = height - 18;
  const top = ceiling(Math.max(...values.filter((value) => value !== null), mean || 0, 0));
  const last = values.length - 1;
  const x = (at) => LEFT + ((width - LEFT - 6) * at) / Math.max(last, 30);
  const y = (value) => bottom - ((bottom - 8) * value) / top;
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  for (const share of [0, 0.5, 1]) {
    const at = y(share * top);
    svg.append(drawing("line", { class: "grid-line", x1: LEFT, x2: width - 6, y1: at, y2: at }));
    svg.append(drawing("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, number(share * top, 3)));
  }
  const warm = live.is_window.indexOf(true);
  const end = warm < 0 ? last : warm;
  if (end > 0) svg.append(drawing("rect", { class: "warm", x: LEFT, y: 8, width: x(end) - LEFT, height: bottom - 8 }));
  const path = linePath(values, x, y);
  if (path) svg.append(drawing("path", { class: "line", d: path }));
  if (mean !== null && warm >= 0) {
    svg.append(drawing("line", { class: "mean", x1: x(warm), x2: x(last), y1: y(mean), y2: y(mean) }));
  }
  svg.append(drawing("text", { x: LEFT, y: height - 4 }, `${live.first} s`));
  if (last > 0)
    svg.append(drawing("text", { x: x(last), y: height - 4, "text-anchor": "end" }, `${live.first + last} s`));
  place.replaceChildren(svg);
}

// A missing second interrupts the line.
export function linePath(values, x, y) {
  let path = "";
  let pen = "M";
  values.forEach((value, at) => {
    if (value !== null) path += `${pen}${x(at).toFixed(1)},${y(value).toFixed(1)}`;
    pen = value === null ? "M" : "L";
  });
  return path;
}
