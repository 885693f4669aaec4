// One run, second by second: panels on one time axis, what was judged marked in each, one cursor over all.
function filled(run, panel) {
  const usable = (value) => !panel.log || value > 0;
  const spec = structuredClone(panel.log ? data.seconds.log : data.seconds.linear);
  const rows = panel.lines.flatMap((line) =>
    line.s.map((second, at) => ({ second, value: line.v[at], series: line.name })).filter((row) => usable(row.value)),
  );
  const spans = (pairs) => pairs.map(([from, to]) => ({ from, to }));
  const { stalls, changes, waves } = run.marks;
  const marks = {
    phases: run.phases,
    stalls: spans(stalls),
    changes: changes.map((second) => ({ second })),
    waves: panel.key === "tps" ? spans(waves) : [],
  };
  spec.datasets = { ...spec.datasets, rows, ...marks };
  const [first, last] = ends(run);
  const highest = rows.reduce((most, row) => Math.max(most, row.value), 0);
  for (const layer of spec.layer) {
    const { x, y, color, strokeDash } = layer.encoding;
    if (x && x.scale) x.scale.domain = [first, last];
    if (y && y.axis) y.axis.title = panel.unit;
    if (y && y.scale && !panel.log) y.scale.domain = [0, 1.08 * highest || 1];
    if (color && panel.lines.length === 1) color.legend = strokeDash.legend = null;
  }
  return spec;
}

const ends = (run) => (run.phases.length ? [run.phases[0].from, run.phases[run.phases.length - 1].to] : [0, 1]);

// Steps from second to second stand for the seconds; without steps each is one.
function unfolded(line) {
  const seconds = [line.s];
  for (let at = 1; at < line.v.length; at += 1) seconds.push(seconds[at - 1] + (line.d ? line.d[at - 1] : 1));
  return { name: line.n, s: seconds, v: line.v };
}

function inWords(line) {
  const [low, high] = [Math.min, Math.max].map((end) => line.v.reduce((a, b) => end(a, b)));
  return `${line.name} from ${low} to ${high}`;
}

// The index of the last kept second at or before this one; -1 before the first.
function indexAt(line, second) {
  let [low, high] = [0, line.s.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.s[middle] <= second) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function valueWords(line, second, unit) {
  const at = indexAt(line, second);
  if (at < 0) return "";
  const value = line.v[at].toLocaleString("en", { maximumSignificantDigits: 4 });
  return `${line.name} ${value}${unit ? ` ${unit}` : ""}`.trim();
}
