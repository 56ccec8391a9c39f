// What models in the browser share: how their files are read, and the last steps of their arithmetic.

/**
 * The arrays of a model, by name, and a look at their shapes; an Error names what is missing or too short.
 *
 * @param {{arrays: {name: string, shape: number[], offset: number}[]}} manifest `offset` counts bytes
 * @param {ArrayBuffer} buffer little-endian float32 numbers
 */
export function readArrays(manifest, buffer) {
  const weights = new Map();
  for (const { name, shape, offset } of manifest.arrays) {
    const size = shape.reduce((a, b) => a * b, 1);
    if (offset + 4 * size > buffer.byteLength) throw new Error(`the weights end before ${name}`);
    weights.set(name, new Float32Array(buffer.slice(offset, offset + 4 * size)));
  }
  const shapeOf = (name) => {
    const found = manifest.arrays.find((array) => array.name === name);
    if (!found) throw new Error(`the manifest lacks ${name}`);
    return found.shape;
  };
  return { weights, shapeOf };
}

/** Softmax of scores, as an array of its own. */
export function softmax(scores) {
  const most = Math.max(...scores);
  const exponentials = Array.from(scores, (score) => Math.exp(score - most));
  const sum = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((e) => e / sum);
}

/** The place of the largest number; of equal ones the first. */
export function largest(numbers) {
  return numbers.reduce((best, x, i) => (x > numbers[best] ? i : best), 0);
}
