"use strict";
// Both pages: read an object every second or so and put it in. Whatever comes from a file goes in as text, never as markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const STATES = {
    running: "running",
    finished: "finished",
    interrupted: "interrupted; the same command goes on",
    refused: "refused by the audit of its servers",
    imported: "imported",
    unreadable: "can't be read",
  };
  const number = (value, digits) => value.toLocaleString("en", { maximumSignificantDigits: digits });
  const rate = (value) => (value === null || value === undefined ? "–" : number(value, value >= 1000 ? 4 : 3));
  const moment = (ms) => (ms ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "");
  const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function text(id, words) {
    if (byId(id).textContent !== words) byId(id).textContent = words;
  }

  async function read(address) {
    const reply = await fetch(address, { cache: "no-store" });
    if (!reply.ok) throw new Error(`${reply.status}: ${(await reply.text()).trim()}`);
    return reply.json();
  }

  // Ask again and again, not while nobody looks, and slower while the server does not answer.
  function follow(address, show, pause) {
    let failed = 0;
    async function once() {
      if (!document.hidden) {
        try {
          show(await read(address));
          failed = 0;
        } catch (error) {
          failed += 1;
          text("note", `No answer from dbdyno serve: ${error.message}. What is shown may be old.`);
          byId("note").hidden = false;
        }
      }
      setTimeout(once, failed ? Math.min(1000 * 2 ** failed, 15000) : pause());
    }
    document.addEventListener("visibilitychange", () => document.hidden || read(address).then(show, () => {}));
    once();
  }

  function runsWords(study) {
    const failed = study.statuses.failed ? `, ${study.statuses.failed} failed` : "";
    const suspect = study.statuses.suspect ? `, ${study.statuses.suspect} suspect` : "";
    return `${study.runs_done} of ${counted(study.runs_total, "run")}${failed}${suspect}`;
  }

  // The list ---------------------------------------------------------------------------------------------------

  let listed = null;
  let drawn = "";

  function showList(found) {
    listed = found;
    text("folder", `${found.folder}, dbdyno ${found.dbdyno_version}`);
    const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const rank = { running: 0 };
    const studies = found.studies
      .filter((study) => words.every((word) => JSON.stringify(study).toLowerCase().includes(word)))
      .sort((a, b) => (rank[a.state] ?? 1) - (rank[b.state] ?? 1) || b.began_ms - a.began_ms);
    const running = found.studies.filter((study) => study.state === "running").length;
    text("title", counted(found.studies.length, "study").replace("studys", "studies"));
    document.title = running ? `(${running} running) Studies` : "Studies";
    byId("note").hidden = found.studies.length > 0;
    text("note", "No results folder is here yet; dbdyno run writes one.");
    const now = JSON.stringify(studies);
    if (now === drawn) return;
    drawn = now;
    byId("studies").replaceChildren(...studies.map(card));
  }

  function card(study) {
    const link = element("a", "", study.label);
    link.href = `/studies/${study.key}/`;
    const state = element("span", "state", STATES[study.state] || study.state);
    const over = study.ended_ms && study.state !== "running";
    const when = moment(study.began_ms) + (over ? ` to ${moment(study.ended_ms)}` : "");
    const meta = element("p", "meta", state, study.problem ? "" : `, ${runsWords(study)}, ${when}`);
    const made = element("article", `study ${study.state}`, element("h2", "", link), meta);
    if (study.problem) made.append(element("p", "", study.problem));
    if (study.question) made.append(element("p", "", study.question));
    const finding = study.headline || study.sentences[0];
    if (finding) made.append(element("p", "", element("strong", "", finding)));
    if (study.targets.length) made.append(element("p", "meta", `${study.targets.join(", ")} · ${study.workloads.join(", ")}`));
    return made;
  }

  // One study --------------------------------------------------------------------------------------------------

  let state = "running";

  function showStudy(study) {
    state = study.state;
    document.title = `${study.label}: ${STATES[study.state]}`;
    text("label", study.label);
    text("title", study.question || study.name);
    byId("note").hidden = !study.problem;
    text("note", study.problem || "");
    text("facts", [STATES[study.state], runsWords(study), moment(study.began_ms), study.targets.join(", ")].join(" · "));
    showLive(study);
    text("found-title", study.state === "running" ? "Answer so far" : "Answer");
    const sentences = study.sentences.length ? study.sentences : ["Nothing can be said before the first run is stored."];
    const paragraphs = [study.headline, ...sentences].filter(Boolean).map((words, at) => {
      return element("p", "", study.headline && at === 0 ? element("strong", "", words) : words);
    });
    byId("answer").replaceChildren(...paragraphs);
    byId("report-line").hidden = study.runs_done === 0;
    byId("report").href = `/studies/${study.key}/report`;
    const busy = "of what is there; making it takes processor time of this machine";
    text("report-note", study.state === "running" ? busy : "with everything behind it");
    showCells(study);
  }

  function showLive(study) {
    const live = study.live;
    byId("live").hidden = study.state !== "running";
    if (study.state !== "running") return;
    byId("live-bar").max = Math.max(study.runs_total, 1);
    byId("live-bar").value = study.runs_done;
    const driven = live && !live.doing;
    byId("live-figures").hidden = !driven;
    for (const id of ["live-tps", "live-p95", "live-words"]) {
      (byId(id).closest("figure") || byId(id)).hidden = !driven || live.tps.length === 0;
    }
    text("live-left", leftWords(study.left_s));
    if (!driven) {
      text("live-run", live ? live.doing : "Getting ready");
      return;
    }
    const connections = counted(live.connections, "connection");
    text(
      "live-run",
      `Run ${live.number} of ${study.runs_total}: ${live.target}, ${live.memory}, ${connections}, ${live.workload}, ${live.route}, repeat ${live.repeat}`,
    );
    const count = live.seconds_count ? ` of ${live.is_at_most ? "at most " : ""}${live.seconds_count}` : "";
    figures([
      ["phase", live.phase + (live.second ? `, ${live.second}${count} s` : "")],
      ["transactions per second", live.second ? rate(live.tps[live.tps.length - 1]) : "–"],
      ["statements per second", rate(live.qps)],
      ["p95, ms", live.second ? rate(live.p95_ms[live.p95_ms.length - 1]) : "–"],
      ["errors", live.errors.toLocaleString("en")],
      ["client used", live.client_use_share === null ? "–" : `${Math.round(100 * live.client_use_share)} %`],
    ]);
    if (!live.tps.length) return;
    plot(byId("live-tps"), live.tps, live, live.mean);
    plot(byId("live-p95"), live.p95_ms, live, null);
    text("live-words", levelWords(live));
  }

  function leftWords(left) {
    if (left === null || left === undefined) return "How long the rest takes is known after the first run.";
    const minutes = Math.round(left / 60);
    if (minutes < 2) return "About a minute left, if runs take what they took so far.";
    const words = minutes < 100 ? `${minutes} min` : `${number(left / 3600, 2)} h`;
    return `About ${words} left, if runs take what they took so far.`;
  }

  function levelWords(live) {
    if (live.verdict) return `Grey: not judged. Warm-up: ${live.verdict}.`;
    if (live.mean === null) return `Grey: not judged. ${live.window_s} s of the window so far.`;
    const noise = live.half_width === null ? "" : ` ± ${number((100 * live.half_width) / live.mean, 2)} % (noise of this run alone)`;
    return `Grey: not judged. Window so far: ${rate(live.mean)} TPS${noise} over ${live.window_s} s.`;
  }

  function figures(rows) {
    const made = rows.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value)));
    byId("live-figures").replaceChildren(...made);
  }

  const SVG = "http://www.w3.org/2000/svg";
  function drawing(name, attributes, words) {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (words !== undefined) made.textContent = words;
    return made;
  }

  // From zero, one point a second; what is not judged has a grey ground.
  function plot(place, values, live, mean) {
    const width = place.clientWidth || 600;
    const height = place.clientHeight || 190;
    const left = 52;
    const bottom = height - 18;
    const known = values.filter((value) => value !== null);
    const top = ceiling(Math.max(...known, mean || 0, 0));
    const x = (at) => left + ((width - left - 6) * at) / Math.max(values.length - 1, 30);
    const y = (value) => bottom - ((bottom - 8) * value) / top;
    const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const share of [0, 0.5, 1]) {
      const at = y(share * top);
      svg.append(drawing("line", { class: "grid-line", x1: left, x2: width - 6, y1: at, y2: at }));
      svg.append(drawing("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, number(share * top, 3)));
    }
    const warm = live.is_window.indexOf(true);
    const end = warm < 0 ? values.length - 1 : warm;
    if (end > 0) svg.append(drawing("rect", { class: "warm", x: left, y: 8, width: x(end) - left, height: bottom - 8 }));
    let path = "";
    let pen = "M";
    values.forEach((value, at) => {
      if (value === null) return void (pen = "M");
      path += `${pen}${x(at).toFixed(1)},${y(value).toFixed(1)}`;
      pen = "L";
    });
    if (path) svg.append(drawing("path", { class: "line", d: path }));
    if (mean !== null && warm >= 0) {
      svg.append(drawing("line", { class: "mean", x1: x(warm), x2: x(values.length - 1), y1: y(mean), y2: y(mean) }));
    }
    svg.append(drawing("text", { x: left, y: height - 4 }, `${live.first} s`));
    if (values.length > 1) {
      const last = live.first + values.length - 1;
      svg.append(drawing("text", { x: x(values.length - 1), y: height - 4, "text-anchor": "end" }, `${last} s`));
    }
    place.replaceChildren(svg);
  }

  // The next of 1, 2, 5 times a power of ten.
  function ceiling(value) {
    if (!(value > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.5, 2, 3, 5, 7.5, 10].find((step) => step * power >= value) * power;
  }

  let cellsDrawn = "";
  function showCells(study) {
    byId("cells-section").hidden = study.cells.length === 0;
    const now = JSON.stringify(study.cells);
    if (now === cellsDrawn) return;
    cellsDrawn = now;
    const titles = ["target", "workload", "memory", "connections", "route", "TPS", "95 % interval", "runs", "states"];
    const names = [null, "workload", "memory", "connections", "route"];
    // What is the same in all cells is told once, above, so that a phone shows the throughput.
    const isSame = (at) => study.cells.length > 1 && names[at] && new Set(study.cells.map((cell) => cell[names[at]])).size === 1;
    const shown = titles.map((_, at) => at).filter((at) => !isSame(at));
    const first = study.cells[0];
    const said = { connections: counted(first?.connections ?? 0, "connection") };
    const common = names.filter((name, at) => name && isSame(at)).map((name) => said[name] || first[name]);
    text("cells-common", common.length ? `All with ${common.join(", ")}.` : "");
    const style = (at) => (at === 3 || (at > 4 && at < 8) ? "n" : "");
    const head = element("tr", "", ...shown.map((at) => element("th", style(at), titles[at])));
    const rows = study.cells.map((cell) => {
      const interval = cell.low === null || cell.high === null ? "–" : `${rate(cell.low)} to ${rate(cell.high)}`;
      const values = [cell.target, cell.workload, cell.memory, String(cell.connections), cell.route, rate(cell.tps)];
      const columns = [...values, interval, String(cell.runs), cell.statuses.join(", ")];
      return element("tr", "", ...shown.map((at) => element("td", style(at), columns[at])));
    });
    byId("cells").replaceChildren(element("thead", "", head), element("tbody", "", ...rows));
  }

  if (document.body.dataset.page === "list") {
    byId("find").addEventListener("input", () => listed && showList(listed));
    follow("/studies.json", showList, () => 2000);
  } else {
    follow(location.pathname.replace(/\/$/, "") + ".json", showStudy, () => (state === "running" ? 1000 : 5000));
  }
})();
