// Training, scrubbed: checkpoints from their two files, and where they stand on the axis.
//
// The manifest holds, for each checkpoint, `epochs` and `accuracies`, and the means over other sequences of what
// the answer's position gives the cue (`edge`) and the last position the answer (`on_answer`), each by the head that
// gives most; the bytes hold, checkpoint after checkpoint,
// the weights of block 1 by head, query and key, then those of block 2 by head and key, each as weight × 255.

/** Checkpoints whose weights are read when they are asked for. An Error says that bytes are missing. */
export function readCheckpoints(manifest, buffer) {
  const { heads, length, epochs, accuracies } = manifest;
  const bytes = new Uint8Array(buffer);
  const size = heads * length * length + heads * length;
  if (bytes.length !== size * epochs.length) throw new Error(`${bytes.length} bytes of weights; expected ${size * epochs.length}`);
  const row = (start) => Array.from(bytes.subarray(start, start + length), (byte) => byte / 255);
  const at = (index) => {
    const first = index * size;
    const second = first + heads * length * length;
    const each = [...Array(heads).keys()];
    return {
      block1: each.map((h) => [...Array(length).keys()].map((q) => row(first + (h * length + q) * length))),
      block2: each.map((h) => [row(second + h * length)]),
    };
  };
  return { ...manifest, count: epochs.length, epochs, accuracies, at };
}

/** The checkpoints whose epoch is one of these, to be named on the axis. */
export function ticks(epochs, wanted) {
  const indexOf = (epoch) => epochs.findIndex((e) => Math.abs(e - epoch) < 1e-9);
  return wanted.map((epoch) => ({ epoch, index: indexOf(epoch) })).filter(({ index }) => index >= 0);
}

/** The points of a curve in a box, one a checkpoint. */
export function points(accuracies, { left, top, width, height }) {
  const step = width / Math.max(1, accuracies.length - 1);
  return accuracies.map((accuracy, i) => [left + step * i, top + height * (1 - accuracy)]);
}

/** The checkpoint nearest to a place across the box. */
export function nearest(x, count, { left, width }) {
  return Math.min(count - 1, Math.max(0, Math.round(((x - left) / width) * (count - 1))));
}
