// One run, second by second: what its panels draw, and what a cursor reads off them. No document is needed here.

// The definition of a panel: the template with its rows, its marks and its scales.
export function panelSpec(template, run, panel) {
  const spec = structuredClone(template);
  const rows = panel.lines.flatMap((line) => rowsOf(line, panel.log));
  spec.datasets = { ...spec.datasets, rows, ...marksOf(run, panel) };
  const highest = rows.reduce((most, row) => Math.max(most, row.value), 0);
  for (const layer of spec.layer) {
    const { x, y, color, strokeDash } = layer.encoding;
    if (x?.scale) x.scale.domain = secondsOf(run);
    if (y?.axis) y.axis.title = panel.unit;
    if (y?.scale && !panel.log) y.scale.domain = [0, 1.08 * highest || 1];
    if (color && panel.lines.length === 1) color.legend = strokeDash.legend = null;
  }
  return spec;
}

// A gap interrupts the line, and so does a zero on a log scale. A point between two gaps is as wide as its second.
function rowsOf({ name: series, s, v, gaps }, log) {
  return s.flatMap((second, at) => {
    const value = log && !(v[at] > 0) ? null : v[at];
    const isAlone = (!at || gaps.has(at)) && (at + 1 === s.length || gaps.has(at + 1));
    const seconds = isAlone ? [second - 0.5, second + 0.5] : [second];
    const points = seconds.map((each) => ({ second: each, value, series }));
    return at && gaps.has(at) ? [{ second: (s[at - 1] + second) / 2, value: null, series }, ...points] : points;
  });
}

function marksOf(run, panel) {
  const spans = (pairs) => pairs.map(([from, to]) => ({ from, to }));
  return {
    phases: run.phases,
    stalls: spans(run.marks.stalls),
    changes: run.marks.changes.map((second) => ({ second })),
    waves: panel.key === "tps" ? spans(run.marks.waves) : [],
  };
}

// The first and the last second of a run.
export const secondsOf = (run) => (run.phases.length ? [run.phases[0].from, run.phases.at(-1).to] : [0, 1]);

// Steps from second to second stand for the seconds; without steps each is one. A value is of `step` seconds; `gaps` are
// the indices of points that come after seconds without a value. Values are whole numbers that end at decimal place `p`.
export function unfolded(line) {
  const seconds = [line.s];
  for (let at = 1; at < line.v.length; at += 1) seconds.push(seconds[at - 1] + (line.d ? line.d[at - 1] : 1));
  const scale = Number(`1e${Math.abs(line.p ?? 0)}`);
  const v =
    line.p > 0 ? line.v.map((value) => value / scale) : line.p < 0 ? line.v.map((value) => value * scale) : line.v;
  return { name: line.n, s: seconds, v, step: line.u ?? 1, gaps: new Set(line.g), isThinned: Boolean(line.t) };
}

export function rangeWords(line) {
  const [low, high] = [Math.min, Math.max].map((end) => line.v.reduce((a, b) => end(a, b)));
  return `${line.name} from ${low} to ${high}`;
}

// The index of the last kept second at or before this one; -1 before the first.
export function indexAt(line, second) {
  let [low, high] = [0, line.s.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.s[middle] <= second) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Empty where the second has no value; of a thinned line the last kept value, with its second.
export function valueWords(line, second, unit) {
  const at = indexAt(line, second);
  if (at < 0) return "";
  const isCovered = second - line.s[at] < line.step;
  const isLastBefore = at + 1 === line.s.length || line.gaps.has(at + 1);
  if (!isCovered && isLastBefore && !line.isThinned) return "";
  const value = line.v[at].toLocaleString("en", { maximumSignificantDigits: 4 });
  const when = line.isThinned && !isCovered ? ` (at second ${line.s[at]})` : "";
  return `${line.name} ${value}${unit ? ` ${unit}` : ""}${when}`.trim();
}

export function secondWords(run, second) {
  const phase = run.phases.find((span) => second >= span.from && second <= span.to);
  const isStalled = run.marks.stalls.some(([from, to]) => second >= from && second <= to);
  const words = run.panels
    .slice(0, 2)
    .flatMap((panel) => panel.lines.map((line) => valueWords(line, second, panel.unit)))
    .filter(Boolean);
  const where = `${phase ? phase.phase : "outside"}${isStalled ? ", stalled" : ""}`;
  return `Second ${second} (${where}): ${words.join(", ") || "no value"}`;
}
