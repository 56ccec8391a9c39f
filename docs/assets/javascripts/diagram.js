// Diagrams: mermaid's text, drawn.
//
// Markup:  <pre class="diagram"><code>flowchart LR
//            accDescr: what it shows, in a sentence
//            …</code></pre>
//
// Without scripts the text itself is shown. Drawn, it moves into a closed <details> under the drawing.
// The site forbids inline styles, so mermaid's style sheet is adopted and its style attributes are set
// one by one; both are the drawing's own. Colours come from the --figure-* properties; a change of
// scheme draws again.

import { colours, html, onScheme, uniqueId } from "./shared/dom.js";
import { loadMermaid } from "./shared/vendor.js";

// Below this width in pixels a diagram that runs to the right runs downward instead, to stay legible.
const NARROW = 560;

/** Mermaid's theme in the site's colours. */
export function theme({ ink, muted, grid, surface, accent }, font) {
  return {
    background: surface,
    primaryColor: surface,
    primaryTextColor: ink,
    primaryBorderColor: accent,
    secondaryColor: surface,
    secondaryTextColor: ink,
    secondaryBorderColor: muted,
    tertiaryColor: surface,
    tertiaryTextColor: ink,
    tertiaryBorderColor: grid,
    lineColor: muted,
    textColor: ink,
    mainBkg: surface,
    nodeBorder: accent,
    clusterBkg: surface,
    clusterBorder: grid,
    edgeLabelBackground: surface,
    titleColor: ink,
    dropShadow: "none",
    fontFamily: font,
    fontSize: "15px",
  };
}

export async function mount(source) {
  const wide = source.textContent;
  const narrow = wide.replace(/^(\s*(?:flowchart|graph)\s+)(?:LR|RL)/, "$1TB");
  const mermaid = await loadMermaid();
  const figure = html("div", { className: "diagram-drawing", role: "img" });
  figure.setAttribute("aria-label", description(wide));
  const details = html("details", { className: "diagram-source" }, html("summary", {}, "The diagram as text"));
  let sheet = null;

  async function draw() {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "loose", // the text is this site's own; strict would parse it with inline styles
      theme: "base",
      htmlLabels: false,
      flowchart: { htmlLabels: false, useMaxWidth: true, curve: "basis" },
      themeVariables: theme(colours(), getComputedStyle(document.body).fontFamily),
    });
    const id = uniqueId("diagram");
    const styles = allowStyles();
    try {
      const { svg } = await mermaid.render(id, figure.clientWidth < NARROW ? narrow : wide);
      figure.replaceChildren(elementOf(svg));
    } finally {
      styles.release();
    }
    drop(sheet);
    sheet = styles.sheet;
  }

  source.before(figure);
  try {
    await draw();
  } catch (error) {
    figure.remove(); // the text stays
    throw error;
  }
  figure.after(details);
  details.append(source);
  let queue = Promise.resolve();
  const stop = onScheme(() => {
    queue = queue.then(draw).catch((error) => console.error(error));
  });
  return () => {
    stop();
    drop(sheet);
  };
}

/** What the diagram says of itself (accTitle, accDescr), for those who do not see it. */
export function description(text) {
  const said = ["accTitle", "accDescr"].map((key) => text.match(new RegExp(`^\\s*${key}\\s*:\\s*(.+)$`, "m"))?.[1].trim());
  return said.filter(Boolean).join(". ") || "Diagram; its text is below.";
}

function drop(sheet) {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
}

/**
 * Lets mermaid style its drawing on a page that forbids inline styles: while it draws, style attributes
 * are set through the CSSOM, and a <style> element gives its text to an adopted sheet instead of standing
 * in the page.
 */
function allowStyles() {
  const { setAttribute } = Element.prototype;
  const { insertBefore, appendChild } = Node.prototype;
  const sheet = new CSSStyleSheet();
  let rules = "";
  const adopt = (style) => {
    rules += style.textContent;
    sheet.replaceSync(rules);
    style.remove();
  };
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style") this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
  const without = (insert) =>
    function (node, ...before) {
      if (node.localName === "style") return adopt(node) ?? node;
      node.querySelectorAll?.("style").forEach(adopt);
      return insert.call(this, node, ...before);
    };
  Node.prototype.insertBefore = without(insertBefore);
  Node.prototype.appendChild = without(appendChild);
  return {
    sheet,
    release() {
      Element.prototype.setAttribute = setAttribute;
      Node.prototype.insertBefore = insertBefore;
      Node.prototype.appendChild = appendChild;
    },
  };
}

/** Mermaid's text as an element of this document, its <style> left out and its style attributes kept. */
function elementOf(text) {
  const harmless = text.replace(/<style[^>]*>.*?<\/style>/gs, "").replaceAll(' style="', ' data-style="');
  const element = document.adoptNode(new DOMParser().parseFromString(harmless, "text/html").querySelector("svg"));
  for (const styled of [element, ...element.querySelectorAll("[data-style]")]) {
    styled.style.cssText = styled.dataset.style ?? "";
    delete styled.dataset.style;
  }
  return element;
}
