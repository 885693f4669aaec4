import assert from "node:assert/strict";
import test from "node:test";
import { indexAt, panelSpec, secondsOf, secondWords, unfolded, valueWords } from "../report/seconds.js";

const LINE = unfolded({ n: "TPS", s: 2, v: [10, 20, 5], d: [1, 3] });
const RUN = {
  phases: [
    { phase: "warm-up", from: -0.5, to: 2.5 },
    { phase: "window", from: 2.5, to: 6.5 },
  ],
  marks: { stalls: [[5.5, 6.5]], changes: [4], waves: [[3, 5]] },
  panels: [{ title: "Throughput", unit: "TPS", key: "tps", lines: [LINE] }],
};
const template = () => ({
  datasets: {},
  layer: [{ encoding: { x: { scale: {} }, y: { scale: {}, axis: {} }, color: {}, strokeDash: {} } }],
});

test("steps of a thinned line become seconds", () => {
  assert.deepEqual(LINE.s, [2, 3, 6]);
  assert.deepEqual(unfolded({ n: "x", s: 0, v: [1, 2, 3] }).s, [0, 1, 2]);
});

test("a cursor reads the last kept second at or before it", () => {
  assert.deepEqual(
    [1, 2, 3, 5, 6, 99].map((second) => indexAt(LINE, second)),
    [-1, 0, 1, 1, 2, 2],
  );
  assert.equal(valueWords(LINE, 1, "s"), "");
  assert.equal(valueWords(LINE, 4, "1/s"), "TPS 20 1/s");
});

test("a second names its phase and whether it stalled", () => {
  assert.match(secondWords(RUN, 6), /^Second 6 \(window, stalled\): TPS 5/);
  assert.match(secondWords(RUN, 99), /^Second 99 \(outside\)/);
});

test("a panel spans the run and begins at zero", () => {
  const spec = panelSpec(template(), RUN, RUN.panels[0]);
  const { x, y, color } = spec.layer[0].encoding;
  assert.deepEqual(x.scale.domain, secondsOf(RUN));
  assert.equal(y.scale.domain[0], 0);
  assert.ok(y.scale.domain[1] > 20);
  assert.equal(color.legend, null);
  assert.deepEqual(spec.datasets.waves, [{ from: 3, to: 5 }]);
});

test("on a log scale zeros are left out, and waves belong to throughput alone", () => {
  const lines = [unfolded({ n: "a", s: 0, v: [0, 1, 2] })];
  const spec = panelSpec(template(), RUN, { title: "p95", unit: "ms", key: "p95", log: true, lines });
  assert.deepEqual(
    spec.datasets.rows.map((row) => row.value),
    [1, 2],
  );
  assert.deepEqual(spec.datasets.waves, []);
});

test("the template is left as it was", () => {
  const own = template();
  panelSpec(own, RUN, RUN.panels[0]);
  assert.deepEqual(own, template());
});
