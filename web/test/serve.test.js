import assert from "node:assert/strict";
import test from "node:test";
import { counted } from "../counted.js";
import { commonWords, splitColumns } from "../serve/cells.js";
import { linePath } from "../serve/plot.js";
import { ceiling, levelWords, listedStudies, moment, phaseWords, rate, remainingWords } from "../serve/words.js";

const cell = (facts) => ({
  target: "a",
  workload: "w",
  memory: "1 GiB",
  connections: 16,
  route: "socket",
  tps: 1,
  low: null,
  high: null,
  runs: 1,
  statuses: ["good"],
  is_settled: true,
  ...facts,
});

test("a scale ends at the next round figure", () => {
  assert.deepEqual([0, -1, Number.NaN, 1, 1.2, 4999, 7501].map(ceiling), [1, 1, 1, 1, 1.5, 5000, 10000]);
});

test("nouns follow their count", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, "study", "studies")),
    ["0 studies", "1 study", "2 studies"],
  );
  assert.equal(counted(1500, "run"), "1,500 runs");
});

test("a rate that is not known is a dash", () => {
  assert.deepEqual([null, undefined, 0, 12.345, 12345.6].map(rate), ["–", "–", "0", "12.3", "12,350"]);
});

test("a moment is told in UTC", () => {
  assert.equal(moment(Date.UTC(2026, 0, 2, 3, 4, 5)), "2026-01-02 03:04 UTC");
  assert.equal(moment(0), "");
});

test("what is left is told in minutes, then hours", () => {
  assert.match(remainingWords(600), /\b10 min\b/);
  assert.match(remainingWords(36000), /\b10 h\b/);
  assert.doesNotMatch(remainingWords(null), /\d/);
});

test("in further rounds what is left is not promised for after the first run", () => {
  assert.match(remainingWords(null, false), /after the first run/);
  assert.doesNotMatch(remainingWords(null, true), /first run/);
});

test("a phase tells its second and how many there will be", () => {
  assert.equal(phaseWords({ phase: "window", second: 3, seconds_count: 12 }), "window, 3 of 12 s");
  assert.equal(
    phaseWords({ phase: "warm-up", second: 3, seconds_count: 60, is_at_most: true }),
    "warm-up, 3 of at most 60 s",
  );
  assert.equal(phaseWords({ phase: "connect", second: 0 }), "connect");
});

test("a level without noise claims none", () => {
  const live = { verdict: "", mean: 1000, half_width: null, window_s: 2 };
  assert.doesNotMatch(levelWords(live), /±/);
  assert.match(levelWords({ ...live, half_width: 10 }), /1,000 TPS ± 1 %/);
  assert.match(levelWords({ ...live, half_width: 1530 }), /1,000 TPS \(too noisy for an interval\)/);
  assert.doesNotMatch(levelWords({ ...live, mean: 0, half_width: 0 }), /±|NaN/);
});

test("running studies come first, then the newest", () => {
  const studies = [
    { label: "old", state: "finished", began_ms: 1 },
    { label: "new", state: "finished", began_ms: 3 },
    { label: "now", state: "running", began_ms: 2 },
  ];
  assert.deepEqual(
    listedStudies(studies, "").map((study) => study.label),
    ["now", "new", "old"],
  );
  assert.deepEqual(
    listedStudies(studies, "finished OLD").map((study) => study.label),
    ["old"],
  );
});

test("a search finds what a study says, not how it is stored", () => {
  const study = { label: "a", state: "finished", runs_total: 4, statuses: { failed: 1 }, targets: ["mysql:9.7"] };
  const told = { ...study, began_ms: Date.UTC(2026, 0, 2), question: 'is "q" \\ x?' };
  const isFound = (search) => listedStudies([told], search).length === 1;
  for (const search of ["targets", "runs", "_ms", "statuses"]) assert.ok(!isFound(search), search);
  for (const search of ["mysql:9.7 a", '"q"', "\\ x?", "2026-01-02", "FAILED"]) assert.ok(isFound(search), search);
});

test("a column that is the same in all cells stands above the table", () => {
  const cells = [cell({}), cell({ target: "b", memory: "2 GiB" })];
  const titles = splitColumns(cells).shown.map((column) => column.title);
  assert.deepEqual(titles.slice(0, 3), ["target", "memory", "TPS"]);
  assert.equal(commonWords(cells), "All with w, 16 connections, socket.");
  assert.equal(commonWords([cell({})]), "");
});

test("a level that has not settled stands in brackets, and the table says so", () => {
  const cells = [cell({ tps: 120 }), cell({ tps: 130, is_settled: false })];
  const tps = splitColumns(cells).shown.find((column) => column.title === "TPS");
  assert.deepEqual(cells.map(tps.of), ["120", "(130)"]);
  assert.match(commonWords(cells), /^All with .*\. In brackets: not settled\.$/);
});

test("a missing second interrupts the line", () => {
  const same = (value) => value;
  assert.equal(linePath([1, null, 2, 3], same, same), "M0.0,1.0M2.0,2.0L3.0,3.0");
});
