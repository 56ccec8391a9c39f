// A still picture through p5's names, on a plain canvas.
//
// Drawing code is written once, against the handful of p5 functions below. Until p5 has arrived (or if
// it never does) the same code draws through this painter, so that a reader sees the sketch at once and
// a page need not fetch p5 before somebody touches it.

const VERTICAL = { center: "middle", top: "top", bottom: "bottom", alphabetic: "alphabetic" };

export function stillPainter(canvas) {
  const c = canvas.getContext("2d");
  let filled = true;
  let stroked = true;
  let size = 14;
  let family = "sans-serif";
  const paint = () => {
    if (filled) c.fill();
    if (stroked) c.stroke();
  };
  const path = (trace) => {
    c.beginPath();
    trace();
    paint();
  };
  const setFont = () => (c.font = `${size}px ${family}`);
  return {
    drawingContext: c,
    clear: () => c.clearRect(0, 0, canvas.width, canvas.height),
    fill: (colour) => ((filled = true), (c.fillStyle = colour)),
    noFill: () => (filled = false),
    stroke: (colour) => ((stroked = true), (c.strokeStyle = colour)),
    noStroke: () => (stroked = false),
    strokeWeight: (width) => (c.lineWidth = width),
    line: (x1, y1, x2, y2) => path(() => (c.moveTo(x1, y1), c.lineTo(x2, y2))),
    circle: (x, y, diameter) => path(() => c.arc(x, y, diameter / 2, 0, 2 * Math.PI)),
    rect: (x, y, width, height) => path(() => c.rect(x, y, width, height)),
    triangle: (...p) => path(() => (c.moveTo(p[0], p[1]), c.lineTo(p[2], p[3]), c.lineTo(p[4], p[5]), c.closePath())),
    quad: (...p) =>
      path(() => {
        c.moveTo(p[0], p[1]);
        for (const i of [2, 4, 6]) c.lineTo(p[i], p[i + 1]);
        c.closePath();
      }),
    textSize: (to) => ((size = to), setFont()),
    textFont: (to) => ((family = to), setFont()),
    textAlign: (across, down = "alphabetic") => ((c.textAlign = across), (c.textBaseline = VERTICAL[down])),
    text: (words, x, y) => filled && c.fillText(words, x, y),
  };
}
