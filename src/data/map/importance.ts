/**
 * The importance of each vertex of a line: how far the line moves if the vertex is left out, by the algorithm of Douglas and
 * Peucker. It is measured once; a simplified line is then a choice of vertices by one comparison each.
 */

/** Importance of the ends of a line. */
const always = 255;
/** Vertices that are compared with each other; the algorithm takes the square of their number at worst. */
const pieceLength = 512;

/** The least importance of a vertex that is kept where lines may move by so many units of the grid. */
export const importanceOfDistance = (distance: number): number =>
  distance < 1 ? 1 : Math.min(always - 1, Math.floor(8 * Math.log2(distance)) + 1);

/**
 * Measures the vertices from `start` up to `end` (not included), of a line or of a closed ring.
 * @param importance takes the results: 255 for the ends, 0 for a vertex on a straight line
 */
export function measureImportance(
  xs: Int32Array,
  ys: Int32Array,
  importance: Uint8Array,
  start: number,
  end: number,
): void {
  if (end <= start) return;
  importance[start] = importance[end - 1] = always;
  // A long line is first simplified as the line of every 512th vertex, and then between those.
  const stride = end - start > 2 * pieceLength ? pieceLength : 1;
  if (stride === 1) measurePiece(xs, ys, importance, start, end - 1, 1);
  else {
    const last = start + Math.floor((end - 1 - start) / stride) * stride;
    for (let at = start; at < last; at += stride * pieceLength)
      measurePiece(xs, ys, importance, at, Math.min(at + stride * pieceLength, last), stride);
    for (let at = start + stride * pieceLength; at < last; at += stride * pieceLength) importance[at] = always;
    if (last !== end - 1) importance[last] = always;
    for (let at = start; at < end - 1; at += stride)
      measurePiece(xs, ys, importance, at, Math.min(at + stride, end - 1), 1);
  }
}

/** Every `stride`th vertex between the first and the last, which are kept. */
function measurePiece(
  xs: Int32Array,
  ys: Int32Array,
  importance: Uint8Array,
  from: number,
  to: number,
  stride: number,
): void {
  const stack = [from, to];
  while (stack.length > 0) {
    const last = stack.pop() as number;
    const first = stack.pop() as number;
    const x = xs[first] as number;
    const y = ys[first] as number;
    const dx = (xs[last] as number) - x;
    const dy = (ys[last] as number) - y;
    const length = dx * dx + dy * dy;
    let farthest = -1;
    let most = 0;
    for (let at = first + stride; at < last; at += stride) {
      const px = (xs[at] as number) - x;
      const py = (ys[at] as number) - y;
      const along = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length));
      const ox = px - along * dx;
      const oy = py - along * dy;
      const distance = ox * ox + oy * oy;
      if (distance > most) {
        most = distance;
        farthest = at;
      }
    }
    if (farthest < 0) continue;
    // The square root is half of the logarithm.
    importance[farthest] = most < 1 ? 0 : Math.min(always - 1, Math.floor(4 * Math.log2(most)) + 1);
    stack.push(first, farthest, farthest, last);
  }
}
