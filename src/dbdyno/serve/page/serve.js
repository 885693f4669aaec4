// Made by web/build.js from web/serve/serve.js; edit there.
(() => {
  // serve/dom.js
  var byId = (id) => document.getElementById(id);
  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }
  function setText(id, words) {
    if (byId(id).textContent !== words) byId(id).textContent = words;
  }

  // serve/follow.js
  async function read(address) {
    const reply = await fetch(address, { cache: "no-store" });
    if (!reply.ok) throw new Error(`${reply.status}: ${(await reply.text()).trim()}`);
    return reply.json();
  }
  function follow(address, show, pause) {
    let failed = 0;
    async function once() {
      if (!document.hidden) {
        try {
          show(await read(address));
          failed = 0;
        } catch (error) {
          failed += 1;
          setText("note", `No answer from dbdyno serve: ${error.message}. What is shown may be old.`);
          byId("note").hidden = false;
        }
      }
      setTimeout(once, failed ? Math.min(1e3 * 2 ** failed, 15e3) : pause());
    }
    document.addEventListener("visibilitychange", () => document.hidden || read(address).then(show, () => {
    }));
    once();
  }

  // counted.js
  var counted = (count, noun, nouns = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;

  // serve/words.js
  var STATE_WORDS = {
    reading: "being read",
    running: "running",
    finished: "finished",
    interrupted: "interrupted; the same command goes on",
    refused: "refused by the audit of its servers",
    imported: "imported",
    unreadable: "can't be read"
  };
  var number = (value, digits) => value.toLocaleString("en", { maximumSignificantDigits: digits });
  var rate = (value) => value === null || value === void 0 ? "–" : number(value, value >= 1e3 ? 4 : 3);
  var moment = (ms) => ms ? `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC` : "";
  function runsWords(study) {
    const failed = study.statuses.failed ? `, ${study.statuses.failed} failed` : "";
    const suspect = study.statuses.suspect ? `, ${study.statuses.suspect} suspect` : "";
    return `${study.runs_done} of ${counted(study.runs_total, "run")}${failed}${suspect}`;
  }
  function runWords(live, total) {
    const connections = counted(live.connections, "connection");
    const cell = `${live.target}, ${live.memory}, ${connections}, ${live.workload}, ${live.route}`;
    return `Run ${live.number} of ${total}: ${cell}, repeat ${live.repeat}`;
  }
  function phaseWords(live) {
    if (!live.second) return live.phase;
    const count = live.seconds_count ? ` of ${live.is_at_most ? "at most " : ""}${live.seconds_count}` : "";
    return `${live.phase}, ${live.second}${count} s`;
  }
  function remainingWords(seconds, hasOpenEnd = false) {
    if (hasOpenEnd) return "The time that is left is not known: the results decide whether further runs follow.";
    if (seconds === null || seconds === void 0) return "The time that is left is known after the first run.";
    const minutes = Math.round(seconds / 60);
    if (minutes < 2) return "About a minute left, at the pace so far.";
    const words = minutes < 100 ? `${minutes} min` : `${number(seconds / 3600, 2)} h`;
    return `About ${words} left, at the pace so far.`;
  }
  function noiseWords(share) {
    return share < 1 ? ` ± ${number(100 * share, 2)} % (noise of this run alone)` : " (too noisy for an interval)";
  }
  function levelWords(live) {
    if (live.verdict) return `Grey: not judged. Warm-up: ${live.verdict}.`;
    if (live.mean === null) return `Grey: not judged. ${live.window_s} s of the window so far.`;
    const noise = live.half_width === null || !(live.mean > 0) ? "" : noiseWords(live.half_width / live.mean);
    return `Grey: not judged. Window so far: ${rate(live.mean)} TPS${noise} over ${live.window_s} s.`;
  }
  var SEARCHED = ["label", "state", "name", "question", "targets", "workloads", "headline", "sentences", "problem"];
  function searchedText(study) {
    const times = [study.began_ms, study.ended_ms].map(moment);
    const states = [STATE_WORDS[study.state], ...Object.keys(study.statuses ?? {})];
    return [...SEARCHED.map((name) => study[name]), ...states, ...times].flat().join("\n").toLowerCase();
  }
  function listedStudies(studies, search) {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = (study) => study.state === "running" ? 0 : 1;
    return studies.filter((study) => words.every((word) => searchedText(study).includes(word))).sort((a, b) => rank(a) - rank(b) || b.began_ms - a.began_ms);
  }
  function ceiling(value) {
    if (!(value > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.5, 2, 3, 5, 7.5, 10].find((step) => step * power >= value) * power;
  }

  // serve/list.js
  var listed = null;
  var drawn = "";
  function startList() {
    byId("find").addEventListener("input", () => listed && showList(listed));
    follow("/studies.json", showList, () => 2e3);
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
    const state2 = element("span", "state", STATE_WORDS[study.state] || study.state);
    const isOver = study.ended_ms && study.state !== "running";
    const isRead = study.state !== "reading";
    const when = moment(study.began_ms) + (isOver ? ` to ${moment(study.ended_ms)}` : "");
    const meta = element("p", "meta", state2, isRead && !study.problem ? `, ${runsWords(study)}, ${when}` : "");
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

  // serve/cells.js
  var interval = (cell) => cell.low === null || cell.high === null ? "–" : `${rate(cell.low)} to ${rate(cell.high)}`;
  var level = (cell) => cell.is_settled ? rate(cell.tps) : `(${rate(cell.tps)})`;
  var COLUMNS = [
    { title: "target", of: (cell) => cell.target },
    { title: "workload", of: (cell) => cell.workload, isAxis: true },
    { title: "memory", of: (cell) => cell.memory, isAxis: true },
    {
      title: "connections",
      of: (cell) => String(cell.connections),
      isAxis: true,
      isNumber: true,
      words: (cell) => counted(cell.connections, "connection")
    },
    { title: "route", of: (cell) => cell.route, isAxis: true },
    { title: "TPS", of: level, isNumber: true },
    { title: "95 % interval", of: interval, isNumber: true },
    { title: "runs", of: (cell) => String(cell.runs), isNumber: true },
    { title: "states", of: (cell) => cell.statuses.join(", ") }
  ];
  function splitColumns(cells) {
    const isSame = ({ isAxis, of }) => isAxis && cells.length > 1 && new Set(cells.map(of)).size === 1;
    return { common: COLUMNS.filter(isSame), shown: COLUMNS.filter((column) => !isSame(column)) };
  }
  function commonWords(cells) {
    const { common } = splitColumns(cells);
    const same = common.length ? `All with ${common.map(({ of, words = of }) => words(cells[0])).join(", ")}.` : "";
    const unsettled = cells.some((cell) => !cell.is_settled) ? "In brackets: not settled." : "";
    return [same, unsettled].filter(Boolean).join(" ");
  }
  var drawn2 = "";
  function showCells(cells) {
    byId("cells-section").hidden = cells.length === 0;
    const now = JSON.stringify(cells);
    if (now === drawn2) return;
    drawn2 = now;
    const { shown } = splitColumns(cells);
    setText("cells-common", commonWords(cells));
    const style = (column) => column.isNumber ? "n" : "";
    const head = element("tr", "", ...shown.map((column) => element("th", style(column), column.title)));
    const rows = cells.map(
      (cell) => element("tr", "", ...shown.map((column) => element("td", style(column), column.of(cell))))
    );
    byId("cells").replaceChildren(element("thead", "", head), element("tbody", "", ...rows));
  }

  // serve/plot.js
  var SVG = "http://www.w3.org/2000/svg";
  var LEFT = 52;
  function drawing(name, attributes, words) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (words !== void 0) made.textContent = words;
    return made;
  }
  function plot(place, values, live, mean) {
    const width = place.clientWidth || 600;
    const height = place.clientHeight || 190;
    const bottom = height - 18;
    const top = ceiling(Math.max(...values.filter((value) => value !== null), mean || 0, 0));
    const last = values.length - 1;
    const x = (at) => LEFT + (width - LEFT - 6) * at / Math.max(last, 30);
    const y = (value) => bottom - (bottom - 8) * value / top;
    const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const share of [0, 0.5, 1]) {
      const at = y(share * top);
      svg.append(drawing("line", { class: "grid-line", x1: LEFT, x2: width - 6, y1: at, y2: at }));
      svg.append(drawing("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" }, number(share * top, 3)));
    }
    const warm = live.is_window.indexOf(true);
    const end = warm < 0 ? last : warm;
    if (end > 0) svg.append(drawing("rect", { class: "warm", x: LEFT, y: 8, width: x(end) - LEFT, height: bottom - 8 }));
    const path = linePath(values, x, y);
    if (path) svg.append(drawing("path", { class: "line", d: path }));
    if (mean !== null && warm >= 0) {
      svg.append(drawing("line", { class: "mean", x1: x(warm), x2: x(last), y1: y(mean), y2: y(mean) }));
    }
    svg.append(drawing("text", { x: LEFT, y: height - 4 }, `${live.first} s`));
    if (last > 0)
      svg.append(drawing("text", { x: x(last), y: height - 4, "text-anchor": "end" }, `${live.first + last} s`));
    place.replaceChildren(svg);
  }
  function linePath(values, x, y) {
    let path = "";
    let pen = "M";
    values.forEach((value, at) => {
      if (value !== null) path += `${pen}${x(at).toFixed(1)},${y(value).toFixed(1)}`;
      pen = value === null ? "M" : "L";
    });
    return path;
  }

  // serve/study.js
  var RUNNING_MS = 1e3;
  var IDLE_MS = 5e3;
  var state = "running";
  function startStudy() {
    const address = `${location.pathname.replace(/\/$/, "")}.json`;
    follow(address, showStudy, () => state === "running" ? RUNNING_MS : IDLE_MS);
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
      [STATE_WORDS[study.state], runsWords(study), moment(study.began_ms), study.targets.join(", ")].join(" · ")
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
    const row = (kind, [tps, ...words]) => element("tr", "", ...words.map((text) => element(kind, "", text)), element(kind, "n", tps));
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
      ["client used", live.client_use_share === null ? "–" : `${Math.round(100 * live.client_use_share)} %`]
    ];
    const made = rows.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value)));
    byId("live-figures").replaceChildren(...made);
  }

  // serve/serve.js
  if (document.body.dataset.page === "list") startList();
  else startStudy();
})();
