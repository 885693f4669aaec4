import assert from "node:assert/strict";
import { test } from "node:test";
import { enlarged, fits, nearby, shownFrames } from "../report/flame_view.js";

const frame = (name, depth, x, width) => ({ element: name, depth, x, width });
const root = frame("root", 0, 0, 80);
const f = frame("f", 1, 0, 40);
const g = frame("g", 1, 40, 40);
const h = frame("h", 2, 40, 10);
const k = frame("k", 2, 50, 30);
const ALL = [root, f, g, h, k];
const places = (of) => Object.fromEntries(enlarged(ALL, of).map(({ element, place }) => [element, place]));

test("an enlarged frame and its callers fill the width, and what it calls keeps its share", () => {
  const found = places(g);
  assert.deepEqual(found.root, { x: 0, width: 100 });
  assert.deepEqual(found.g, { x: 0, width: 100 });
  assert.deepEqual(found.k, { x: 25, width: 75 });
  assert.equal(found.f, null);
});

test("enlarging the root gives every frame its own place again", () => {
  for (const one of ALL) assert.deepEqual(places(root)[one.element], { x: one.x, width: one.width });
});

test("arrows lead to the widest callee, to the caller and to neighbours, and stop at the edge", () => {
  assert.equal(nearby(ALL, g, "inner"), k);
  assert.equal(nearby(ALL, k, "outer"), g);
  assert.equal(nearby(ALL, f, "right"), g);
  assert.equal(nearby(ALL, f, "left"), f);
  assert.equal(nearby(ALL, k, "inner"), k);
});

test("in an enlarged frame arrows lead to no frame that is not shown", () => {
  const shown = shownFrames(ALL, g);
  assert.equal(nearby(shown, g, "left"), g);
  assert.equal(nearby(shown, k, "left"), h);
  assert.equal(nearby(shown, g, "outer"), root);
  assert.equal(nearby(shownFrames(ALL, root), g, "left"), f);
});

test("a label is shown where some letters fit", () => {
  assert.equal(fits(10), false);
  assert.equal(fits(100), true);
});
