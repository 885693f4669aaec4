// Points of a chart by keyboard: arrow keys go from one to the next and read it, Enter opens the run behind it. In a map
// of cells they go to the neighbour on their side.
import { all, make } from "./dom.js";
import { pointWords } from "./words.js";

const TOLERANCE_PX = 2;
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const MARKS = "svg .mark-symbol path, svg .mark-rect path";

export function buildPoints(canvas, onOpen) {
  let at = -1;
  canvas.addEventListener("keydown", (event) => {
    const points = pointsOf(canvas);
    if (!points.length) return;
    if (event.key === "Enter" && points[at]) return onOpen(canvas, points[at].datum);
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    at = at < 0 ? 0 : isMap(points) ? neighbour(points, at, event.key) : (at + step + points.length) % points.length;
    show(canvas, points[at]);
  });
  canvas.addEventListener("blur", () => {
    at = -1;
    show(canvas, null);
  });
}

// One for each target at each place, in the order of the places, of a map row by row; Vega keeps a mark's row at its
// element.
function pointsOf(canvas) {
  const found = new Map();
  for (const mark of all(MARKS, canvas)) {
    const datum = mark.__data__?.datum;
    const words = datum?.target === undefined || mark.closest(".ends") ? "" : pointWords(datum);
    if (words && !found.has(words)) found.set(words, { mark, datum, words });
  }
  const points = [...found.values()];
  return isMap(points)
    ? points.sort(byPosition)
    : points.sort((one, other) => placeOf(one.datum) - placeOf(other.datum));
}

const isMap = (points) => points.every(({ mark }) => mark.closest(".mark-rect"));

function byPosition(one, other) {
  const [here, there] = [one.mark.getBoundingClientRect(), other.mark.getBoundingClientRect()];
  return Math.abs(here.y - there.y) > TOLERANCE_PX ? here.y - there.y : here.x - there.x;
}

// The nearest cell of the same row or column on the side of an arrow key; the same cell at the edge of the map.
function neighbour(points, at, key) {
  const [along, across] = key === "ArrowRight" || key === "ArrowLeft" ? ["x", "y"] : ["y", "x"];
  const boxes = points.map(({ mark }) => mark.getBoundingClientRect());
  const distances = boxes.map((box) => STEPS[key] * (box[along] - boxes[at][along]));
  return distances.reduce((nearest, distance, index) => {
    const isBeyond = distance > TOLERANCE_PX && Math.abs(boxes[index][across] - boxes[at][across]) <= TOLERANCE_PX;
    return isBeyond && (nearest === at || distance < distances[nearest]) ? index : nearest;
  }, at);
}

const placeOf = ({ concurrency, connections = concurrency }) => connections ?? 0;

function show(canvas, point) {
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
