// The list of studies.
import { byId, element, setText } from "./dom.js";
import { follow } from "./follow.js";
import { counted } from "../counted.js";
import { listedStudies, moment, runsWords, STATE_WORDS } from "./words.js";

let listed = null;
let drawn = "";

export function startList() {
  byId("find").addEventListener("input", () => listed && showList(listed));
  follow("/studies.json", showList, () => 2000);
}

function showList(found) {
  listed = found;
  setText("folder", `${found.folder}, dbdyno ${found.dbdyno_version}`);
  setText("title", counted(found.studies.length, "study", "studies"));
  const running = found.studies.filter((study) => study.state === "running").length;
  document.title = running ? `(${running} running) Studies` : "Studies";
  byId("note").hidden = found.studies.length > 0;
  setText("note", "No results folder is here yet; dbdyno run writes one.");
  const studies = listedStudies(found.studies, byId("find").value);
  const now = JSON.stringify(studies);
  if (now === drawn) return;
  drawn = now;
  byId("studies").replaceChildren(...studies.map(card));
}

function card(study) {
  const link = element("a", "", study.label);
  link.href = `/studies/${study.key}/`;
  const state = element("span", "state", STATE_WORDS[study.state] || study.state);
  const isOver = study.ended_ms && study.state !== "running";
  const isRead = study.state !== "reading";
  const when = moment(study.began_ms) + (isOver ? ` to ${moment(study.ended_ms)}` : "");
  const meta = element("p", "meta", state, isRead && !study.problem ? `, ${runsWords(study)}, ${when}` : "");
  const made = element("article", `study ${study.state}`, element("h2", "", link), meta);
  if (study.problem) made.append(element("p", "", study.problem));
  if (study.question) made.append(element("p", "", study.question));
  const finding = study.headline || study.sentences[0];
  if (finding) made.append(element("p", "", element("strong", "", finding)));
  if (study.targets.length) {
    made.append(element("p", "meta", `${study.targets.join(", ")} · ${study.workloads.join(", ")}`));
  }
  return made;
}
