// Elements and their text. What comes from a file goes in as text, never as markup.
export const byId = (id) => document.getElementById(id);

export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

export function setText(id, words) {
  if (byId(id).textContent !== words) byId(id).textContent = words;
}
