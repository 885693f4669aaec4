// Saving: files out of the page, and a figure's tools to save it as SVG or PNG or to link to it.
import { button, make } from "./dom.js";
import { shortened } from "./words.js";

export const saveText = (name, text, type) => saveBlob(name, new Blob([text], { type }));

function saveBlob(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// `source` says of which study a saved chart is, and under which filter.
export function addTools(figure, name, viewOf, source) {
  const bar = make("span", { className: "save" });
  for (const kind of ["SVG", "PNG"]) {
    const saveAs = async () => saveChart(figure, name, await viewOf(), kind, source());
    bar.append(button(kind, `Save this chart as ${kind}`, saveAs));
  }
  if (figure.id) {
    bar.append(
      make("a", { text: "link", href: `#${figure.id}`, "aria-label": "Link to this chart with the current filter" }),
    );
  }
  figure.querySelector("figcaption").append(bar);
}

async function saveChart(figure, name, view, kind, source) {
  const title = figure.querySelector("figcaption .title").textContent;
  const svg = titled(withColours(await view.toSVG()), title, source);
  if (kind === "SVG") return saveText(`${name}.svg`, svg, "image/svg+xml");
  const image = new Image();
  image.onload = () => {
    const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saveBlob(`${name}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

function withColours(text) {
  const style = getComputedStyle(document.documentElement);
  return text.replace(/var\((--[a-z0-9]+)\)/g, (_, variable) => style.getPropertyValue(variable).trim());
}

// A saved chart carries its title and its source, on the page's own ground.
function titled(text, title, source) {
  const inner = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const [width, height] = ["width", "height"].map((side) => Number(inner.getAttribute(side)));
  const style = getComputedStyle(document.documentElement);
  const ns = "http://www.w3.org/2000/svg";
  const outer = document.createElementNS(ns, "svg");
  const add = (tag, facts, words) => {
    const made = document.createElementNS(ns, tag);
    for (const [key, value] of Object.entries(facts)) made.setAttribute(key, value);
    if (words) made.textContent = words;
    outer.append(made);
  };
  const size = { width: width + 24, height: height + 66 };
  outer.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  for (const [side, value] of Object.entries(size)) outer.setAttribute(side, value);
  const ink = { "font-family": "system-ui, sans-serif", fill: style.getPropertyValue("--ink").trim() };
  const quiet = { ...ink, fill: style.getPropertyValue("--quiet").trim() };
  add("rect", { ...size, fill: style.getPropertyValue("--paper").trim() });
  add("text", { x: 12, y: 24, "font-size": 14, "font-weight": 600, ...ink }, shortened(title, 90));
  inner.setAttribute("x", 12);
  inner.setAttribute("y", 34);
  outer.append(document.importNode(inner, true));
  add("text", { x: 12, y: size.height - 12, "font-size": 10, ...quiet }, shortened(source, 120));
  return new XMLSerializer().serializeToString(outer);
}
