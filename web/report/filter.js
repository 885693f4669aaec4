// The filter: what is chosen of each axis; nothing chosen means all of it. No document is needed here.
import { shortened } from "./words.js";

export const FACET_TITLES = {
  target: "Targets",
  workload: "Workload",
  memory: "Memory",
  connections: "Connections",
  route: "Route",
};

export class Filter {
  #chosen = new Map();
  #off = new Set();

  constructor(facets) {
    this.facets = facets.filter((facet) => facet.values.length > 1);
  }

  get isActive() {
    return this.#chosen.size > 0;
  }

  get chosenCount() {
    return this.#chosen.size;
  }

  // 0 where all are shown.
  get connections() {
    return this.isNarrowed("connections") ? [...this.#chosen.get("connections")][0] : 0;
  }

  isNarrowed(name) {
    return this.#chosen.has(name);
  }

  isChosen(name, value) {
    return !this.#chosen.has(name) || this.#chosen.get(name).has(value);
  }

  choose(name, values) {
    const facet = this.facets.find((each) => each.name === name);
    const known = facet ? facet.values.filter((value) => values.includes(value)) : [];
    if (known.length && known.length < facet.values.length) this.#chosen.set(name, new Set(known));
    else this.#chosen.delete(name);
    this.#markOff();
  }

  clear() {
    this.#chosen.clear();
    this.#off.clear();
  }

  #markOff() {
    this.#off.clear();
    for (const facet of this.facets) {
      facet.values.forEach((value, index) => {
        if (!this.isChosen(facet.name, value)) this.#off.add(facet.letter + index);
      });
    }
  }

  // A token of several parts (t0+t2) is about all of them, and goes with the first that is off.
  isOff(tokens) {
    return this.#off.size > 0 && tokens.split(/[ +]/).some((token) => this.#off.has(token));
  }

  // Whether a row of a chart is within the filter. Rows with `at` are about chosen connections, 0 about each target's best.
  showsRow(row) {
    if ("at" in row ? row.at !== this.connections : "concurrency" in row && !this.#showsPoint(row)) return false;
    return ["target", "memory", "workload", "route"].every((name) => !(name in row) || this.isChosen(name, row[name]));
  }

  #showsPoint(row) {
    return !this.connections || (row.concurrency === this.connections && !row.curve);
  }

  // A chart's definition with the rows within the filter; null where none is left.
  narrowed(whole) {
    const datasets = Object.fromEntries(
      Object.entries(whole.datasets).map(([key, rows]) => [key, rows.filter((row) => this.showsRow(row))]),
    );
    const rows = Object.values(datasets).flat();
    if (!rows.length) return null;
    const rowPx = whole.usermeta?.row_px;
    return { ...whole, datasets, ...(rowPx && { height: rowPx * new Set(rows.map((row) => row.name)).size }) };
  }

  // What a value is called: targets as their vendors write them.
  titleOf(name, value) {
    const { values, titles } = this.facets.find((facet) => facet.name === name);
    return String(titles[values.indexOf(value)]);
  }

  words() {
    return [...this.#chosen].map(([name, values]) => {
      const shown = [...values].map((value) => shortened(this.titleOf(name, value)));
      return `${FACET_TITLES[name].toLowerCase()}: ${shown.join(", ")}`;
    });
  }

  // In the address each chosen value stands under its key.
  toParams(params) {
    for (const { name, values, keys } of this.facets.filter((facet) => this.isNarrowed(facet.name))) {
      values.forEach((value, index) => {
        if (this.isChosen(name, value)) params.append(name, keys[index]);
      });
    }
  }

  // Whether it is another choice than before.
  fromParams(params) {
    const before = this.#fingerprint();
    for (const { name, values, keys } of this.facets) {
      const wanted = params.getAll(name);
      this.choose(
        name,
        values.filter((_, index) => wanted.includes(keys[index])),
      );
    }
    return before !== this.#fingerprint();
  }

  #fingerprint() {
    return JSON.stringify([...this.#chosen].map(([name, values]) => [name, ...values]));
  }
}

// A narrow plot has no room for names at the ends of its lines: the key above it has them. Nor has it room for names
// next to its bars, or next to so many fields that their words would not fit: they stand above each, in higher rows.
const NARROW_PX = 480;
const NAME_PX = 16;
const CHARACTER_PX = 6.2;

export function fitted(spec, widthPx) {
  const { names_above: barRows, row_px: rowPx, field_px: fieldPx } = spec.usermeta ?? {};
  if (fieldPx) return widthOfFields(spec, widthPx) < fieldPx ? withNamesBetween(spec, rowPx, widthPx) : spec;
  if (widthPx >= NARROW_PX) return spec;
  if (barRows) return withNamesAbove(spec, barRows, widthPx);
  if (!spec.layer?.some((layer) => layer.name === "ends")) return spec;
  return { ...spec, layer: spec.layer.filter((layer) => layer.name !== "ends"), padding: 4 };
}

// What names to the left of a map leave for each of its fields.
function widthOfFields(spec, widthPx) {
  const rows = Object.values(spec.datasets).flat();
  const namesPx = CHARACTER_PX * Math.max(...rows.map((row) => row.name.length));
  return (widthPx - namesPx) / new Set(rows.map((row) => row.memory)).size;
}

function withNamesBetween(spec, rowPx, widthPx) {
  const stepPx = rowPx + NAME_PX;
  const fit = withNamesAbove(spec, spec.height / rowPx, widthPx, stepPx / 2);
  fit.height -= NAME_PX;
  for (const { encoding } of fit.layer) {
    encoding.y.scale = { ...encoding.y.scale, paddingInner: NAME_PX / stepPx + 0.04 };
    if (encoding.x.axis) encoding.x.axis = { ...encoding.x.axis, labelPadding: NAME_PX + 4 };
  }
  return fit;
}

function withNamesAbove(spec, rows, widthPx, offsetPx = NAME_PX) {
  const fit = structuredClone(spec);
  fit.height += NAME_PX * rows;
  const place = {
    labelAlign: "left",
    labelPadding: -4,
    labelOffset: -offsetPx,
    labelLimit: widthPx - 20,
    maxExtent: 0,
  };
  for (const { encoding } of fit.layer) if (encoding?.y?.axis) encoding.y.axis = { ...encoding.y.axis, ...place };
  return fit;
}
