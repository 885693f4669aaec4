// Bundles the scripts of pages into one file each, where the Python package reads them. With --check it compares only,
// and ends with 1 where a bundle is not what its sources make. Users need no Node: the bundles are kept beside them.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const PACKAGE = join(HERE, "..", "src", "dbdyno");
const BUNDLES = [
  ["report/study.js", "report/page/study.js"],
  ["report/history.js", "report/page/history.js"],
  ["serve/serve.js", "serve/page/serve.js"],
];

async function bundled(entry) {
  const made = await build({
    entryPoints: [entry],
    absWorkingDir: HERE,
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    banner: { js: `// Made by web/build.js from web/${entry}; edit there.` },
  });
  return made.outputFiles[0].text;
}

let staleCount = 0;
for (const [entry, place] of BUNDLES) {
  const path = join(PACKAGE, place);
  const text = await bundled(entry);
  if (text === (await readFile(path, "utf8").catch(() => ""))) continue;
  staleCount += 1;
  if (!process.argv.includes("--check")) await writeFile(path, text);
  console.log(`${process.argv.includes("--check") ? "stale" : "written"}: ${relative(join(HERE, ".."), path)}`);
}
if (process.argv.includes("--check") && staleCount) {
  console.error("run: cd web && npm run build");
  process.exitCode = 1;
}
