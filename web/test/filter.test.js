import assert from "node:assert/strict";
import test from "node:test";
import { Filter, fitted } from "../report/filter.js";

const FACETS = [
  {
    name: "target",
    letter: "t",
    values: ["a", "b", "c"],
    titles: ["A", "B", "C"],
    keys: ["a", "b", "c"],
    groups: ["x", "x", "y"],
  },
  {
    name: "memory",
    letter: "m",
    values: ["64 MiB", "1 GiB"],
    titles: ["64 MiB", "1 GiB"],
    keys: ["64MiB", "1GiB"],
    groups: ["", ""],
  },
  { name: "connections", letter: "c", values: [1, 16], titles: [1, 16], keys: ["1", "16"], groups: ["", ""] },
  { name: "route", letter: "r", values: ["socket"], titles: ["socket"], keys: ["socket"], groups: [""] },
];

function filtered(choices) {
  const filter = new Filter(FACETS);
  for (const [name, values] of Object.entries(choices)) filter.choose(name, values);
  return filter;
}

test("an axis with one value is no choice", () => {
  assert.deepEqual(
    new Filter(FACETS).facets.map((facet) => facet.name),
    ["target", "memory", "connections"],
  );
});

test("choosing everything, nothing or something unknown is no choice", () => {
  for (const values of [[], ["a", "b", "c"], ["d"]]) assert.equal(filtered({ target: values }).isActive, false);
});

test("a token of several parts goes with the first that is off", () => {
  const filter = filtered({ target: ["a", "c"] });
  assert.equal(filter.isOff("t0+t2 m1"), false);
  assert.equal(filter.isOff("t0+t1"), true);
  assert.equal(filter.isOff("m0 t1"), true);
});

test("rows about each target's best are shown until connections are chosen", () => {
  assert.equal(filtered({}).showsRow({ at: 0, target: "a" }), true);
  assert.equal(filtered({}).showsRow({ at: 16, target: "a" }), false);
  assert.equal(filtered({ connections: [16] }).showsRow({ at: 16, target: "a" }), true);
});

test("a law's curve is left out where one number of connections is chosen", () => {
  const filter = filtered({ connections: [16] });
  assert.equal(filter.showsRow({ concurrency: 16, target: "a" }), true);
  assert.equal(filter.showsRow({ concurrency: 16, target: "a", curve: true }), false);
});

test("a definition keeps the rows within the filter, and its height follows them", () => {
  const rows = ["a", "b", "c"].map((target) => ({ target, name: target }));
  const whole = { datasets: { d: rows }, usermeta: { row_px: 20 }, height: 60 };
  const spec = filtered({ target: ["b"] }).narrowed(whole);
  assert.deepEqual(spec.datasets.d, [rows[1]]);
  assert.equal(spec.height, 20);
  assert.equal(whole.datasets.d.length, 3);
});

test("a definition without a row within the filter is none", () => {
  assert.equal(filtered({ target: ["a"] }).narrowed({ datasets: { d: [{ target: "b" }] } }), null);
});

test("a choice survives its way through the address", () => {
  const params = new URLSearchParams();
  filtered({ target: ["a", "c"], connections: [16] }).toParams(params);
  assert.equal(String(params), "target=a&target=c&connections=16");
  const restored = new Filter(FACETS);
  assert.equal(restored.fromParams(params), true);
  assert.equal(restored.fromParams(params), false);
  assert.deepEqual([restored.isChosen("target", "b"), restored.connections], [false, 16]);
});

test("long names are shortened where the choice is told", () => {
  const facet = {
    name: "target",
    letter: "t",
    values: ["x".repeat(90), "b"],
    titles: ["x".repeat(90), "b"],
    keys: ["x", "b"],
    groups: ["", ""],
  };
  const filter = new Filter([facet]);
  filter.choose("target", [facet.values[0]]);
  assert.ok(filter.words()[0].length < 60);
});

test("a chosen target is told as its vendor writes it, and linked by its id", () => {
  const filter = filtered({ target: ["b"] });
  assert.match(filter.words()[0], /: B$/);
  const params = new URLSearchParams();
  filter.toParams(params);
  assert.equal(String(params), "target=b");
});

test("names at the ends of lines are left out of narrow plots, nothing else is", () => {
  const whole = { height: 250, layer: [{ mark: "line" }, { name: "ends", layer: [] }] };
  assert.equal(fitted(whole, 557), whole);
  assert.deepEqual(fitted(whole, 333), { height: 250, layer: [{ mark: "line" }], padding: 4 });
  const other = { mark: "bar" };
  assert.equal(fitted(other, 333), other);
});

test("names of rows stand above their bars in narrow plots, in higher rows", () => {
  const layer = [{ mark: "bar", encoding: { y: { axis: { ticks: false } } } }, { mark: "tick" }];
  const whole = { height: 52, usermeta: { names_above: 2 }, layer };
  assert.equal(fitted(whole, 557), whole);
  const narrow = fitted(whole, 333);
  assert.equal(narrow.height, 52 + 2 * 16);
  assert.equal(narrow.layer[0].encoding.y.axis.labelAlign, "left");
  assert.equal(narrow.layer[0].encoding.y.axis.labelLimit, 313);
  assert.equal(whole.layer[0].encoding.y.axis.labelAlign, undefined);
});

test("names stand above the fields of a map where they would leave the fields too little", () => {
  const encoding = { x: { axis: { labelPadding: 6 } }, y: { axis: { ticks: false }, scale: { paddingInner: 0.06 } } };
  const datasets = { a: ["2 GiB", "12 GiB", "32 GiB"].flatMap((memory) => [{ memory, name: "x".repeat(24) }]) };
  const usermeta = { row_px: 38, field_px: 62 };
  const whole = { height: 2 * 38, usermeta, datasets, layer: [{ mark: "rect", encoding }] };
  assert.equal(fitted(whole, 349), whole);
  const narrow = fitted(whole, 333);
  assert.equal(narrow.height, 2 * 38 + 16);
  assert.equal(narrow.layer[0].encoding.y.axis.labelOffset, -27);
  assert.equal(narrow.layer[0].encoding.x.axis.labelPadding, 20);
  const fewer = { ...whole, datasets: { a: datasets.a.slice(0, 2) } };
  assert.equal(fitted(fewer, 333), fewer);
});
