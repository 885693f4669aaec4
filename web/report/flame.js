// Flame graphs are in the document already, in shares of the width. Here they are read by pointer and keys, and enlarged.
import { all, button } from "./dom.js";
import { enlarged, fits, nearby, shownFrames } from "./flame_view.js";

const DIRECTIONS = { ArrowDown: "inner", ArrowUp: "outer", ArrowLeft: "left", ArrowRight: "right" };

export function buildFlames() {
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
      element.classList.toggle("narrow", !fits((widthPx * parseFloat(element.getAttribute("width"))) / 100));
    }
  };
  const zoom = (frame) => {
    whole = frame;
    for (const { element, place } of enlarged(frames, frame)) show(element, place);
    showLabels();
    back.hidden = frame === frames[0];
  };
  const read = (frame) => (words.textContent = frame ? frame.words : hint);
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

function show(element, place) {
  element.style.display = place ? "" : "none";
  if (!place) return;
  element.setAttribute("x", `${place.x}%`);
  element.setAttribute("width", `${place.width}%`);
}
