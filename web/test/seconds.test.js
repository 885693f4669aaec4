import assert from "node:assert/strict";
import test from "node:test";
import { indexAt, panelSpec, secondsOf, secondWords, unfolded, valueWords } from "../report/seconds.js";

const LINE = unfolded({ n: "TPS", s: 2, v: [10, 20, 5], d: [1, 3], g: [2] });
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

test("values that end at a decimal place are what JSON of them would be", () => {
  assert.deepEqual(unfolded({ n: "x", s: 0, v: [3, 1225], p: 2 }).v, [0.03, 12.25]);
  assert.deepEqual(unfolded({ n: "x", s: 0, v: [7, -9], p: -3 }).v, [7000, -9000]);
  for (let place = 1; place <= 22; place += 1)
    assert.equal(unfolded({ n: "x", s: 0, v: [1235], p: place }).v[0], Number(`1235e-${place}`));
});

test("a cursor reads the last kept second at or before it", () => {
  assert.deepEqual(
    [1, 2, 3, 5, 6, 99].map((second) => indexAt(LINE, second)),
    [-1, 0, 1, 1, 2, 2],
  );
  assert.equal(valueWords(LINE, 1, "s"), "");
  assert.equal(valueWords(LINE, 3, "1/s"), "TPS 20 1/s");
});

test("a second without a value has none, and the line a gap there", () => {
  assert.deepEqual(
    [4, 5, 6, 7].map((second) => valueWords(LINE, second, "1/s")),
    ["", "", "TPS 5 1/s", ""],
  );
  const { rows } = panelSpec(template(), RUN, RUN.panels[0]).datasets;
  assert.deepEqual(
    rows.map((row) => [row.second, row.value]),
    [
      [2, 10],
      [3, 20],
      [4.5, null],
      [5.5, 5],
      [6.5, 5],
    ],
  );
});

test("a reading stands for as many seconds as there are between readings", () => {
  const line = unfolded({ n: "dirty", s: 0, v: [1, 2, 3], d: [10, 90], u: 10, g: [2] });
  assert.deepEqual(
    [9, 10, 19, 20, 100, 109, 110].map((second) => valueWords(line, second, "")),
    ["dirty 1", "dirty 2", "dirty 2", "", "dirty 3", "dirty 3", ""],
  );
});

test("a thinned line names the second that its value is of", () => {
  const line = unfolded({ n: "TPS", s: 0, v: [10, 20], d: [5], t: true });
  assert.equal(valueWords(line, 0, ""), "TPS 10");
  assert.equal(valueWords(line, 4, "1/s"), "TPS 10 1/s (at second 0)");
  assert.equal(valueWords(line, 9, ""), "TPS 20 (at second 5)");
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

test("on a log scale zeros interrupt the line, and waves belong to throughput alone", () => {
  const lines = [unfolded({ n: "a", s: 0, v: [1, 0, 2] })];
  const spec = panelSpec(template(), RUN, { title: "p95", unit: "ms", key: "p95", log: true, lines });
  assert.deepEqual(
    spec.datasets.rows.map((row) => row.value),
    [1, null, 2],
  );
  assert.deepEqual(spec.datasets.waves, []);
});

test("the template is left as it was", () => {
  const own = template();
  panelSpec(own, RUN, RUN.panels[0]);
  assert.deepEqual(own, template());
});
