// A place to draw: a canvas that follows the width of its holder, the colour scheme and the clock.

import { colours, onScheme } from "./dom.js";
import { stillPainter } from "./still.js";

/**
 * @param {HTMLElement} holder where the canvas stands
 * @param {object} scene
 * @param {(width: number) => number} scene.height the canvas' height for a width
 * @param {(painter, width: number, height: number, colours) => void} scene.draw paints the present state
 * @param {(seconds: number) => void} scene.advance moves the state on, while playing
 * @param {string} scene.label what the drawing shows, for those who do not see it
 */
export function createStage(holder, { height, draw, advance, label }) {
  let sketch = null; // p5's instance, once it has arrived
  let starting = null;
  let playing = false;
  let visible = true;
  let removed = false;
  let palette = colours();
  const still = document.createElement("canvas");
  describe(still);
  holder.append(still);

  function describe(canvas) {
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", label);
  }

  const size = () => {
    const width = Math.max(holder.clientWidth, 240);
    return [width, height(width)];
  };

  function paint(painter) {
    painter.clear();
    painter.textFont(getComputedStyle(holder).fontFamily);
    draw(painter, ...size(), palette);
  }

  function drawStill() {
    const [width, tall] = size();
    const density = Math.min(devicePixelRatio, 2);
    still.width = width * density;
    still.height = tall * density;
    still.style.width = `${width}px`;
    still.style.height = `${tall}px`;
    const painter = stillPainter(still);
    painter.drawingContext.scale(density, density);
    paint(painter);
  }

  function redraw() {
    if (removed) return;
    if (!sketch) drawStill();
    else if (!(playing && visible)) sketch.redraw();
  }

  function follow() {
    if (!sketch) return;
    if (playing && visible) sketch.loop();
    else sketch.noLoop();
  }

  /** Fetches p5 and lets it take over; a page that cannot get it keeps the still picture. */
  function start() {
    starting ??= import("./vendor.js").then(({ loadP5 }) => loadP5()).then((P5) => {
      if (removed) return;
      return new Promise((resolve) => {
        new P5((p) => {
          p.setup = () => {
            const [width, tall] = size();
            p.pixelDensity(Math.min(devicePixelRatio, 2));
            const canvas = p.createCanvas(width, tall).elt;
            describe(canvas);
            still.remove();
            sketch = p;
            follow();
            resolve();
          };
          p.draw = () => {
            if (playing && visible) advance(Math.min(p.deltaTime, 100) / 1000);
            paint(p);
          };
        }, holder);
      });
    });
    return starting;
  }

  const resized = new ResizeObserver(() => {
    if (sketch) {
      const [width, tall] = size();
      if (sketch.width !== width || sketch.height !== tall) sketch.resizeCanvas(width, tall);
    }
    redraw();
  });
  resized.observe(holder);
  const seen = new IntersectionObserver(([entry]) => {
    visible = entry.isIntersecting;
    follow();
  });
  seen.observe(holder);
  const stopScheme = onScheme(() => {
    palette = colours();
    redraw();
  });

  return {
    start,
    redraw,
    size,
    /** Runs the clock, or stops it. */
    play(on) {
      playing = on;
      follow();
      if (!on) redraw();
    },
    get playing() {
      return playing;
    },
    remove() {
      removed = true;
      resized.disconnect();
      seen.disconnect();
      stopScheme();
      sketch?.remove();
    },
  };
}
