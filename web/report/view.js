// What is shown: the page's data, the filter on them, and who hears of a change.
import { embeddedJson } from "./dom.js";
import { Filter } from "./filter.js";

export const data = embeddedJson("page-data");
export const filter = new Filter(data.facets);

// "filter": the filter has changed. "step": a choice that going back should undo. "drift": what changes by the way.
const events = new EventTarget();
export const announce = (name) => events.dispatchEvent(new Event(name));
export const listen = (name, action) => events.addEventListener(name, action);
