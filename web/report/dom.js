// What every part of a page uses of the document. Text goes in as text, never as markup.
export const byId = (id) => document.getElementById(id);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];

export const scrollBehaviour = () =>
  window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";

export function make(tag, facts = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (name === "text") made.textContent = value;
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(text, label, action, className = "") {
  const made = make("button", { type: "button", text, className, "aria-label": label });
  made.addEventListener("click", action);
  return made;
}

// The element nearest to what is in view, with how far away it is; null where all are hidden, or there is none.
export function nearestToView(elements) {
  let found = null;
  for (const element of elements) {
    if (!element.offsetParent) continue;
    const box = element.getBoundingClientRect();
    const away = Math.max(box.top - innerHeight, -box.bottom, 0);
    if (!found || away < found.away) found = { element, away };
  }
  return found;
}

export const nextFrame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

// The page's data stand in a script element of their own.
export const embeddedJson = (id) => JSON.parse(byId(id).textContent);

export function buildThemeSwitch() {
  const root = document.documentElement;
  byId("theme").addEventListener("click", () => {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
}
