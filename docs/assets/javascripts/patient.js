// The theme waits for its reader.
//
// A page can be read as it comes. Material's script brings search, the switch of schemes, instant navigation
// and copy buttons: nothing of that is needed before a reader moves, types or scrolls, and on a slow device it
// holds up the first second. So this classic script, in the place of Material's bundle, fetches it at the first
// sign of a reader. What is clicked in the header or typed as a shortcut meanwhile is repeated once it is there.
//
// The index of search and its worker come once somebody searches (measured.site.search_on_demand, workers/waiting.js).
// An address that asks for something (?q=, ?h=, #place) is a sign, too.
//
// `theme` is dispatched on the document once Material is there; see shared/pages.js.

(() => {
  const SIGNS = ["pointerover", "pointerdown", "touchstart", "wheel", "scroll", "keydown", "focusin"];
  const SEARCH = ["/", "f", "s"];
  const SHORTCUTS = [...SEARCH, "p", "n", ",", "."];
  const CONTROLS = "[data-md-component=palette] label";
  const { bundle } = document.currentScript.dataset;
  const asked = new URLSearchParams(location.search);
  const searching = asked.has("q") || asked.has("h");

  function waitForTheme() {
    const held = [];
    let begun = false;
    const bring = () => {
      if (begun) return;
      begun = true;
      for (const sign of SIGNS) removeEventListener(sign, bring, true);
      const script = Object.assign(document.createElement("script"), { src: bundle });
      script.addEventListener("load", () => {
        globalThis.document$.next(document); // it waits for DOMContentLoaded, which was long ago
        document.dispatchEvent(new Event("theme"));
      });
      for (const end of ["load", "error"]) script.addEventListener(end, release);
      document.body.append(script);
    };
    const hold = (event) => {
      const repeat = repetition(event);
      if (!repeat) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      held.push(repeat);
      bring();
    };
    const release = () => {
      removeEventListener("click", hold, true);
      removeEventListener("keydown", hold, true);
      const field = document.activeElement;
      if (field?.matches("[data-md-component=search-query]")) {
        field.blur(); // Material opens search when the field gets the focus
        field.focus();
      }
      for (const repeat of held) repeat();
    };
    addEventListener("click", hold, true);
    addEventListener("keydown", hold, true);
    for (const sign of SIGNS) addEventListener(sign, bring, { capture: true, passive: true });
    if (searching || location.hash) bring();
  }

  function repetition(event) {
    const { target, key } = event;
    if (event.type === "click") return target.closest?.(CONTROLS) ? () => target.closest(CONTROLS).click() : null;
    const plain = !(event.metaKey || event.ctrlKey || event.altKey);
    const typing = target.closest?.("input, textarea, select, [contenteditable]");
    if (!plain || typing || !SHORTCUTS.includes(key)) return null;
    if (SEARCH.includes(key) && focused("[data-md-component=search-query]")) return () => {};
    return () => target.dispatchEvent(new KeyboardEvent("keydown", event));
  }

  // What is typed next must land in the field, before the script is there too; where it is hidden, it cannot.
  function focused(selector) {
    const field = document.querySelector(selector);
    field?.focus();
    return Boolean(field) && document.activeElement === field;
  }

  waitForTheme();
})();
