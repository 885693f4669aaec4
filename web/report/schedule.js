// When charts are drawn: what is in view first, then the next nearest in idle moments, one at a time, so that readers,
// print and search in page find everything. Nothing is drawn while the page is scrolled, so that scrolling stays smooth;
// only where somebody scrolls on and on past a place that is blank, because it has no still, it is filled.
import { draw, viewOf } from "./charts.js";
import { all, nearestToView, nextFrame } from "./dom.js";

const STILL_MS = 120;
const BLANK_MS = 600;
const waiting = new Set();
const drawing = new Set();
let scrolledAt = -STILL_MS;
let drawnAt = 0;
let isWorking = false;
let wake = () => {};
let onClick = () => {};

export function buildSchedule(openCell) {
  onClick = openCell;
  window.addEventListener("scroll", noteScroll, { passive: true });
  document.addEventListener("toggle", drawAhead, true);
}

function noteScroll() {
  scrolledAt = performance.now();
  wake();
}

// Or the next scroll, which may bring another chart into view.
const idleMoment = () =>
  new Promise((done) => {
    wake = done;
    if (window.requestIdleCallback) requestIdleCallback(done, { timeout: 1000 });
    else setTimeout(done, 50);
  });

// All charts anew, in the space that they take now.
export function awaitCharts() {
  const canvases = all("[data-chart]");
  const heights = canvases.map((canvas) => (canvas.firstElementChild ? canvas.offsetHeight : 0));
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
  return now - scrolledAt > STILL_MS || (isBlankInView && now - drawnAt > BLANK_MS);
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

// The drawing as the filter has it now; one that waits for its turn shows what the filter left before.
export async function currentView(canvas) {
  const name = canvas.dataset.chart;
  if (!viewOf(name) || waiting.has(canvas) || drawing.has(canvas)) await begin(canvas);
  return viewOf(name);
}

// At once, also what is under way: print does not wait for anything that takes a turn of the event loop.
export function drawAll() {
  return Promise.all([...waiting, ...drawing].filter((canvas) => canvas.offsetParent).map(begin));
}
