// When charts are drawn: what is in view first, then the next nearest in idle moments, one at a time, so that readers,
// print and search in page find everything. Nothing is drawn while the page is scrolled, so that scrolling stays smooth;
// only where somebody scrolls on and on past a place that is still blank, it is filled.
const waiting = new Set();
const drawing = new Set();
const STILL_MS = 120;
const PATIENCE_MS = 600;
let scrolledAt = -STILL_MS;
let drawnAt = 0;
let working = false;
let wake = () => {};
window.addEventListener("scroll", () => ((scrolledAt = performance.now()), wake()), { passive: true });

const nextFrame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

// Or the next scroll, which may bring another chart into view.
const idleMoment = () =>
  new Promise((done) => {
    wake = done;
    if (window.requestIdleCallback) requestIdleCallback(done, { timeout: 1000 });
    else setTimeout(done, 50);
  });

// All charts anew, in the room that they take now.
function awaitCharts() {
  const canvases = all("[data-chart]");
  const heights = canvases.map((canvas) => (canvas.firstElementChild ? canvas.offsetHeight : 0));
  canvases.forEach((canvas, index) => heights[index] && (canvas.style.minHeight = `${heights[index]}px`));
  canvases.forEach((canvas) => waiting.add(canvas));
  drawAhead();
}

async function drawAhead() {
  if (working) return;
  working = true;
  for (let next = nearest(); next; next = nearest()) {
    if (next.away > 0) await idleMoment();
    if (mayDraw(next)) await begin(next.canvas).catch(reportError);
    else await new Promise((done) => setTimeout(done, STILL_MS / 2));
    await nextFrame();
  }
  working = false;
}

function mayDraw({ away }) {
  const now = performance.now();
  return now - scrolledAt > STILL_MS || (away === 0 && now - drawnAt > PATIENCE_MS);
}

// Of those that are waiting and not hidden; null where all are drawn.
function nearest() {
  let found = null;
  for (const canvas of waiting) {
    if (!canvas.offsetParent) continue;
    const box = canvas.getBoundingClientRect();
    const away = Math.max(box.top - innerHeight, -box.bottom, 0);
    if (!found || away < found.away) found = { canvas, away };
  }
  return found;
}

async function begin(canvas) {
  waiting.delete(canvas);
  drawing.add(canvas);
  try {
    await draw(canvas);
  } finally {
    drawing.delete(canvas);
    drawnAt = performance.now();
  }
}

// At once, also what is under way: print does not wait for anything that takes a turn of the event loop.
function drawAll() {
  const visible = [...waiting, ...drawing].filter((canvas) => canvas.offsetParent);
  return Promise.all(visible.map(begin));
}

// Definitions are unpacked soon after the page is there, so that none has to be when it is printed.
async function unpackCharts() {
  for (const name of Object.keys(data.specs)) await specOf(name);
  document.body.dataset.charts = "unpacked";
}
