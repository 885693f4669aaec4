// What every part of the page uses. What needs no script (words, short tables, strips) is in the document already.
const data = JSON.parse(document.getElementById("page-data").textContent);
const byId = (id) => document.getElementById(id);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const reduced = window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function make(tag, facts = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(facts)) {
    if (name === "text") made.textContent = value;
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function button(text, label, action, className = "") {
  const made = make("button", { type: "button", text, className, "aria-label": label });
  made.addEventListener("click", action);
  return made;
}

const shortened = (text, most = 40) =>
  text.length <= most ? text : `${text.slice(0, most - 13)}…${text.slice(-12)}`;

// Saving -------------------------------------------------------------------------------------------------------

function save(name, text, type) {
  saveBlob(name, new Blob([text], { type }));
}

function saveBlob(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function withColours(text) {
  const style = getComputedStyle(document.documentElement);
  return text.replace(/var\((--[a-z0-9]+)\)/g, (_, variable) => style.getPropertyValue(variable).trim());
}
