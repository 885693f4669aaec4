// Reads an object again and again: not while nobody looks, and slower while the server does not answer.
import { byId, setText } from "./dom.js";

async function read(address) {
  const reply = await fetch(address, { cache: "no-store" });
  if (!reply.ok) throw new Error(`${reply.status}: ${(await reply.text()).trim()}`);
  return reply.json();
}

export function follow(address, show, pause) {
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
    setTimeout(once, failed ? Math.min(1000 * 2 ** failed, 15000) : pause());
  }
  document.addEventListener("visibilitychange", () => document.hidden || read(address).then(show, () => {}));
  once();
}
