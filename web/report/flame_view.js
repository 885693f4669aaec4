// Where the frames of a flame graph stand, in percent of its width. Nothing here knows the document.
const SLACK = 0.002;
const LEAST_LABEL_PX = 34;

export const fits = (widthPx) => widthPx >= LEAST_LABEL_PX;

const inside = (inner, outer) => inner.x >= outer.x - SLACK && inner.x + inner.width <= outer.x + outer.width + SLACK;

// Each frame with its place when one of them is as wide as the graph: what it calls grows with it, what called it fills
// the width, all others have none.
export function enlarged(frames, frame) {
  return frames.map((one) => ({ element: one.element, place: placed(one, frame) }));
}

// Those that have a place then: keys lead to no other, which could not have the focus.
export const shownFrames = (frames, frame) => frames.filter((one) => placed(one, frame));

function placed(one, frame) {
  if (frame.depth === 0) return { x: one.x, width: one.width };
  if (one.depth < frame.depth) return inside(frame, one) ? { x: 0, width: 100 } : null;
  if (!inside(one, frame)) return null;
  return { x: (100 * (one.x - frame.x)) / frame.width, width: (100 * one.width) / frame.width };
}

// The next frame in a direction: the widest that this one calls, its caller, or its neighbour at the same depth.
export function nearby(frames, frame, direction) {
  const at = (depth) => frames.filter((one) => one.depth === depth);
  if (direction === "outer") return at(frame.depth - 1).find((one) => inside(frame, one)) ?? frame;
  if (direction === "inner") {
    const called = at(frame.depth + 1).filter((one) => inside(one, frame));
    return called.sort((a, b) => b.width - a.width)[0] ?? frame;
  }
  const row = at(frame.depth).sort((a, b) => a.x - b.x);
  return row[row.indexOf(frame) + (direction === "left" ? -1 : 1)] ?? frame;
}
