// Tools of a figure: save it as SVG or PNG, link to it.
function addTools(figure, name, viewOf) {
  const bar = make("span", { className: "save" });
  for (const kind of ["SVG", "PNG"]) {
    bar.append(button(kind, `Save this chart as ${kind}`, async () => saveChart(figure, name, await viewOf(), kind)));
  }
  const link = make("a", { text: "link", href: `#${figure.id || ""}`, "aria-label": "Link to this chart as it is" });
  if (figure.id) bar.append(link);
  figure.querySelector("figcaption").append(bar);
}

async function saveChart(figure, name, view, kind) {
  const title = figure.querySelector("figcaption .title").textContent;
  const svg = titled(withColours(await view.toSVG()), title);
  if (kind === "SVG") return save(`${name}.svg`, svg, "image/svg+xml");
  const image = new Image();
  image.onload = () => {
    const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saveBlob(`${name}.png`, blob));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

// A saved chart says what it is, of which study, and under which filter; on the page's own ground.
function titled(text, title) {
  const inner = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const [width, height] = ["width", "height"].map((side) => Number(inner.getAttribute(side)));
  const style = getComputedStyle(document.documentElement);
  const ns = "http://www.w3.org/2000/svg";
  const outer = document.createElementNS(ns, "svg");
  const put = (parent, tag, facts, words) => {
    const made = document.createElementNS(ns, tag);
    Object.entries(facts).forEach(([key, value]) => made.setAttribute(key, value));
    if (words) made.textContent = words;
    return parent.appendChild(made);
  };
  const size = { width: width + 24, height: height + 66 };
  outer.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  Object.entries(size).forEach(([side, value]) => outer.setAttribute(side, value));
  const ink = { "font-family": "system-ui, sans-serif", fill: style.getPropertyValue("--ink").trim() };
  const quiet = { ...ink, fill: style.getPropertyValue("--quiet").trim() };
  put(outer, "rect", { ...size, fill: style.getPropertyValue("--paper").trim() });
  put(outer, "text", { x: 12, y: 24, "font-size": 14, "font-weight": 600, ...ink }, shortened(title, 90));
  inner.setAttribute("x", 12);
  inner.setAttribute("y", 34);
  outer.append(document.importNode(inner, true));
  put(outer, "text", { x: 12, y: size.height - 12, "font-size": 10, ...quiet }, shortened(sourceWords(), 120));
  return new XMLSerializer().serializeToString(outer);
}

const sourceWords = () => [data.name, ...chosenWords()].join(" · ");
