// Both pages of dbdyno serve begin here.
import { startList } from "./list.js";
import { startStudy } from "./study.js";

if (document.body.dataset.page === "list") startList();
else startStudy();
