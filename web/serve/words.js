// Objects of studies as words for people; no document is needed here.
import { counted } from "../counted.js";

export const STATE_WORDS = {
  reading: "being read",
  running: "running",
  finished: "finished",
  interrupted: "interrupted; the same command goes on",
  refused: "refused by the audit of its servers",
  imported: "imported",
  unreadable: "can't be read",
};

export const number = (value, digits) => value.toLocaleString("en", { maximumSignificantDigits: digits });

export const rate = (value) => (value === null || value === undefined ? "–" : number(value, value >= 1000 ? 4 : 3));

export const moment = (ms) => (ms ? `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC` : "");

export function runsWords(study) {
  const failed = study.statuses.failed ? `, ${study.statuses.failed} failed` : "";
  const suspect = study.statuses.suspect ? `, ${study.statuses.suspect} suspect` : "";
  return `${study.runs_done} of ${counted(study.runs_total, "run")}${failed}${suspect}`;
}

export function runWords(live, total) {
  const connections = counted(live.connections, "connection");
  const cell = `${live.target}, ${live.memory}, ${connections}, ${live.workload}, ${live.route}`;
  return `Run ${live.number} of ${total}: ${cell}, repeat ${live.repeat}`;
}

export function phaseWords(live) {
  if (!live.second) return live.phase;
  const count = live.seconds_count ? ` of ${live.is_at_most ? "at most " : ""}${live.seconds_count}` : "";
  return `${live.phase}, ${live.second}${count} s`;
}

export function remainingWords(seconds, hasOpenEnd = false) {
  if (hasOpenEnd) return "The time that is left is not known: the results decide whether further runs follow.";
  if (seconds === null || seconds === undefined) return "The time that is left is known after the first run.";
  const minutes = Math.round(seconds / 60);
  if (minutes < 2) return "About a minute left, at the pace so far.";
  const words = minutes < 100 ? `${minutes} min` : `${number(seconds / 3600, 2)} h`;
  return `About ${words} left, at the pace so far.`;
}

function noiseWords(share) {
  return share < 1 ? ` ± ${number(100 * share, 2)} % (noise of this run alone)` : " (too noisy for an interval)";
}

export function levelWords(live) {
  if (live.verdict) return `Grey: not judged. Warm-up: ${live.verdict}.`;
  if (live.mean === null) return `Grey: not judged. ${live.window_s} s of the window so far.`;
  const noise = live.half_width === null || !(live.mean > 0) ? "" : noiseWords(live.half_width / live.mean);
  return `Grey: not judged. Window so far: ${rate(live.mean)} TPS${noise} over ${live.window_s} s.`;
}

// What a search looks at: what the list says of a study, and not how an object holds it.
const SEARCHED = ["label", "state", "name", "question", "targets", "workloads", "headline", "sentences", "problem"];

function searchedText(study) {
  const times = [study.began_ms, study.ended_ms].map(moment);
  const states = [STATE_WORDS[study.state], ...Object.keys(study.statuses ?? {})];
  return [...SEARCHED.map((name) => study[name]), ...states, ...times].flat().join("\n").toLowerCase();
}

// Running ones first, then the newest; every word of the search must stand somewhere in a study.
export function listedStudies(studies, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (study) => (study.state === "running" ? 0 : 1);
  return studies
    .filter((study) => words.every((word) => searchedText(study).includes(word)))
    .sort((a, b) => rank(a) - rank(b) || b.began_ms - a.began_ms);
}

// The next of 1, 1.5, 2, 3, 5, 7.5 times a power of ten.
export function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 5, 7.5, 10].find((step) => step * power >= value) * power;
}
