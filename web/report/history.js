// The page of a history: charts drawn when they come near, tables saved as CSV, light and dark, print.
import { all, buildThemeSwitch, embeddedJson } from "./dom.js";
import { buildTables } from "./tables.js";

const options = { renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { theme: "custom" } };
const { specs } = embeddedJson("page-data");
const waiting = new Set(all("[data-chart]"));
const near = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  },
  { rootMargin: "500px" },
);

async function draw(canvas) {
  if (!waiting.delete(canvas)) return;
  near.unobserve(canvas);
  await window.vegaEmbed(canvas, specs[canvas.dataset.chart], options);
  for (const svg of all("svg", canvas)) svg.setAttribute("aria-hidden", "true");
  canvas.style.minHeight = "";
}

for (const canvas of waiting) near.observe(canvas);
window.addEventListener("beforeprint", () => {
  [...waiting].forEach(draw);
  for (const details of all("details.data")) details.open = true;
});
buildTables();
buildThemeSwitch();
