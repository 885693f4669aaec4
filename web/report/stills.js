// Stills: drawings that came with the page, shown until the real ones are drawn. Where they are packed, they are unpacked
// before they come into view, the nearest first and one a frame; that takes a hundredth of what drawing takes.
import { all, nearestToView, nextFrame } from "./dom.js";
import { unpacked } from "./pack.js";
import { filter } from "./view.js";

const AHEAD_PX = 4000;
const near = new Set();
let isWorking = false;

export function buildStills() {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) near.add(target);
        else near.delete(target);
      }
      showStills();
    },
    { rootMargin: `${AHEAD_PX}px 0px` },
  );
  for (const canvas of all("[data-still]")) observer.observe(canvas);
}

async function showStills() {
  if (isWorking) return;
  isWorking = true;
  for (let next = nearestToView(near); next; next = nearestToView(near)) {
    near.delete(next.element);
    await showStill(next.element);
    await nextFrame();
  }
  isWorking = false;
}

// A still knows nothing of a filter.
async function showStill(canvas) {
  const packed = canvas.dataset.still;
  delete canvas.dataset.still;
  if (!packed) return;
  const markup = await unpacked(packed);
  if (!canvas.firstElementChild && !filter.isActive) canvas.innerHTML = markup;
}
