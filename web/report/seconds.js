// One run, second by second: what its panels draw, and what a cursor reads off them. No document is needed here.

// The definition of a panel: the template with its rows, its marks and its scales.
export function panelSpec(template, run, panel) {
  const spec = structuredClone(template);
  const rows = panel.lines.flatMap((line) =>
    line.s
      .map((second, at) => ({ second, value: line.v[at], series: line.name }))
      .filter((row) => !panel.log || row.value > 0),
  );
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

// Steps from second to second stand for the seconds; without steps each is one.
export function unfolded(line) {
  const seconds = [line.s];
  for (let at = 1; at < line.v.length; at += 1) seconds.push(seconds[at - 1] + (line.d ? line.d[at - 1] : 1));
  return { name: line.n, s: seconds, v: line.v };
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

export function valueWords(line, second, unit) {
  const at = indexAt(line, second);
  if (at < 0) return "";
  const value = line.v[at].toLocaleString("en", { maximumSignificantDigits: 4 });
  return `${line.name} ${value}${unit ? ` ${unit}` : ""}`.trim();
}

export function secondWords(run, second) {
  const phase = run.phases.find((span) => second >= span.from && second <= span.to);
  const isStalled = run.marks.stalls.some(([from, to]) => second >= from && second <= to);
  const words = run.panels
    .slice(0, 2)
    .flatMap((panel) => panel.lines.map((line) => valueWords(line, second, panel.unit)));
  const where = `${phase ? phase.phase : "outside"}${isStalled ? ", stalled" : ""}`;
  return `Second ${second} (${where}): ${words.filter(Boolean).join(", ")}`;
}
