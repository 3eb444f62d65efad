(() => {
  "use strict";
  const panel = document.getElementById("filter");
  if (!panel) return;
  const field = (name) => document.getElementById("filter-" + name);
  const items = [...document.querySelectorAll("#items details.item")];
  const dossiers = [...document.querySelectorAll("#items .dossier")];
  const told = field("count");
  const none = field("none");
  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) {
      const question = item.closest(".dossier").querySelector("h3").textContent;
      texts.set(item, (question + " " + item.textContent).toLowerCase());
    }
    return texts.get(item);
  };
  const apply = () => {
    const words = field("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const axis = field("axis").value;
    const family = field("family").value;
    const outcome = field("outcome").value;
    const differs = field("differs").checked;
    let shown = 0;
    for (const item of items) {
      const dossier = item.closest(".dossier").dataset;
      const fits =
        (!axis || dossier.axis === axis) &&
        (!family || dossier.family === family) &&
        (!outcome || item.dataset.outcomes.split(" ").includes(outcome)) &&
        (!differs || "differs" in item.dataset) &&
        words.every((word) => text(item).includes(word));
      item.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const dossier of dossiers) {
      dossier.hidden = ![...dossier.querySelectorAll("details.item")].some((item) => !item.hidden);
    }
    told.textContent = shown === items.length ? "All " + items.length + " items" : shown + " of " + items.length + " items";
    none.hidden = shown > 0;
  };
  let waiting = 0;
  panel.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  field("clear").addEventListener("click", () => {
    for (const name of ["text", "axis", "family", "outcome"]) field(name).value = "";
    field("differs").checked = false;
    apply();
    field("text").focus();
  });
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.matches("details.item")) target.open = true;
  };
  addEventListener("hashchange", open);
  panel.hidden = false;
  apply();
  open();
})();
