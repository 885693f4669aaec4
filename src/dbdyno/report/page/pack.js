// What would make the page too long is packed: runs, long tables, charts of many points.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

// Runs stand behind the script, so that the page is seen before all of them are read.
const isRead = new Promise((done) => document.addEventListener("DOMContentLoaded", done));
let packedRuns = null;
async function unpackedRun(id) {
  await isRead;
  packedRuns ??= JSON.parse(byId("runs-data").textContent);
  return JSON.parse(await unpacked(packedRuns[id]));
}

// The markup of rows comes from the same escaping as the rest of the document; the page's policy runs no script in it.
async function unpackRows(table) {
  const body = table.tBodies[0];
  if (!body || !body.dataset.packed) return;
  const packed = body.dataset.packed;
  delete body.dataset.packed;
  body.innerHTML = await unpacked(packed);
  filterTable(table);
}

const unpackAll = (within) => Promise.all(all("table[data-csv]", within).map(unpackRows));
