import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { unpacked } from "../report/pack.js";
import { csvField, csvText, fileName, pointWords, shortened } from "../report/words.js";

test("a field that would run as a formula is text, a number stays one", () => {
  assert.equal(csvField("=1+1"), `"'=1+1"`);
  assert.equal(csvField("@x"), `"'@x"`);
  assert.equal(csvField(" -1.5 "), '"-1.5"');
  assert.equal(csvField('say "so"'), '"say ""so"""');
});

test("rows of a CSV end as spreadsheets expect", () => {
  assert.equal(
    csvText([
      ["a", "b"],
      ["1", ""],
    ]),
    '"a","b"\r\n"1",""\r\n',
  );
});

test("a long name keeps both its ends", () => {
  const short = shortened(`a${"-".repeat(100)}z`);
  assert.equal(short.length, 40);
  assert.ok(short.startsWith("a") && short.endsWith("z"));
  assert.equal(shortened("x".repeat(40)), "x".repeat(40));
});

test("a file's name has no character that a file system may refuse", () => {
  assert.match(fileName('../p95: "all" / \\ ?'), /^[A-Za-z0-9-]+$/);
});

test("packed text comes back whole", async () => {
  const text = "ä < & ".repeat(2000);
  assert.equal(await unpacked(deflateSync(text).toString("base64")), text);
});

test("a point says its target, its place and its value; a row without a value says nothing", () => {
  const level = { target: "mysql:9.7", title: "MySQL 9.7", concurrency: 1, shown: "310 ± 4 TPS" };
  assert.equal(pointWords(level), "MySQL 9.7, 1 connection: 310 ± 4 TPS");
  const box = { target: "mysql:9.7", memory: "64 MiB", connections: 1024, median: 1200 };
  assert.equal(pointWords(box), "mysql:9.7, 64 MiB, 1,024 connections: median 1,200 TPS");
  assert.equal(pointWords({ target: "mysql:9.7", concurrency: 4 }), "");
});
