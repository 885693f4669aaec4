// One study: what runs now, the answer so far, and its cells.
import { showCells } from "./cells.js";
import { byId, element, setText } from "./dom.js";
import { follow } from "./follow.js";
import { plot } from "./plot.js";
import { levelWords, moment, phaseWords, rate, remainingWords, runsWords, runWords, STATE_WORDS } from "./words.js";

const RUNNING_MS = 1000;
const IDLE_MS = 5000;
let state = "running";

export function startStudy() {
  const address = `${location.pathname.replace(/\/$/, "")}.json`;
  follow(address, showStudy, () => (state === "running" ? RUNNING_MS : IDLE_MS));
}

function showStudy(study) {
  state = study.state;
  document.title = `${study.label}: ${STATE_WORDS[study.state]}`;
  setText("label", study.label);
  setText("title", study.question || study.name);
  byId("note").hidden = !study.problem;
  setText("note", study.problem || "");
  setText(
    "facts",
    [STATE_WORDS[study.state], runsWords(study), moment(study.began_ms), study.targets.join(", ")].join(" · "),
  );
  showLive(study);
  showAnswer(study);
  byId("report-line").hidden = study.runs_done === 0;
  byId("report").href = `/studies/${study.key}/report`;
  const note = "of what is there; making it takes processor time of this machine";
  setText("report-note", study.state === "running" ? note : "with everything behind it");
  showCells(study.cells);
}

function showAnswer(study) {
  setText("found-title", study.state === "running" ? "Answer so far" : "Answer");
  const sentences = study.sentences.length ? study.sentences : ["Nothing can be said before the first run is stored."];
  const headline = study.headline ? [element("p", "", element("strong", "", study.headline))] : [];
  byId("answer").replaceChildren(...headline, ...sentences.filter(Boolean).map((words) => element("p", "", words)));
}

function showLive(study) {
  const live = study.live;
  byId("live").hidden = study.state !== "running";
  if (study.state !== "running") return;
  byId("live-bar").max = Math.max(study.runs_total, 1);
  byId("live-bar").value = study.runs_done;
  const isDriven = live && !live.doing;
  byId("live-figures").hidden = !isDriven;
  for (const id of ["live-tps", "live-p95", "live-words"]) {
    (byId(id).closest("figure") || byId(id)).hidden = !isDriven || live.tps.length === 0;
  }
  setText("live-left", remainingWords(study.left_s, study.has_open_end));
  showBenches(study.benches, study.runs_total);
  if (!isDriven) return setText("live-run", live ? live.doing : "Getting ready");
  setText("live-run", `${live.bench ? `${live.bench}: ` : ""}${runWords(live, study.runs_total)}`);
  showFigures(live);
  if (!live.tps.length) return;
  plot(byId("live-tps"), live.tps, live, live.mean);
  plot(byId("live-p95"), live.p95_ms, live, null);
  setText("live-words", levelWords(live));
}

function showBenches(benches, total) {
  byId("live-benches-region").hidden = benches.length === 0;
  const row = (kind, [tps, ...words]) =>
    element("tr", "", ...words.map((text) => element(kind, "", text)), element(kind, "n", tps));
  const rows = benches.map((live) => {
    if (live.doing) return row("td", ["–", live.bench, live.doing, ""]);
    return row("td", [live.second ? rate(live.tps.at(-1)) : "–", live.bench, runWords(live, total), phaseWords(live)]);
  });
  const head = element("thead", "", row("th", ["TPS", "bench", "now", "phase"]));
  byId("live-benches").replaceChildren(head, element("tbody", "", ...rows));
}

function showFigures(live) {
  const rows = [
    ["phase", phaseWords(live)],
    ["transactions per second", live.second ? rate(live.tps.at(-1)) : "–"],
    ["statements per second", rate(live.qps)],
    ["p95, ms", live.second ? rate(live.p95_ms.at(-1)) : "–"],
    ["errors", live.errors.toLocaleString("en")],
    ["client used", live.client_use_share === null ? "–" : `${Math.round(100 * live.client_use_share)} %`],
  ];
  const made = rows.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value)));
  byId("live-figures").replaceChildren(...made);
}
