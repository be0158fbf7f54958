/** Pixels in which outlines are filled with smooth edges: line by line, four lines of samples to a pixel. */

/** Lines of samples in a row of pixels. */
const samples = 4;

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

export interface Paint {
  readonly colour: Colour;
  /** From 0 to 1. */
  readonly opacity: number;
  readonly rule: 'evenodd' | 'nonzero';
}

/** An edge that a line of samples may cross. */
interface Edge {
  /** The first and the last line of samples that cross it. */
  readonly first: number;
  readonly last: number;
  /** Change of x from one line to the next. */
  readonly step: number;
  /** 1 if it goes down, -1 if up. */
  readonly direction: number;
  /** On the present line. */
  x: number;
}

export class Raster {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, row by row from the top; white at first. */
  readonly pixels: Uint8Array;
  /** How much of each pixel of a row is within the outline, from 0 to 1. */
  readonly #covered: Float32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(3 * width * height).fill(255);
    this.#covered = new Float32Array(width + 1);
  }

  /** Fills outlines. @param lines their edges: x and y of both ends in pixels, one edge after the other */
  fill(lines: readonly number[], paint: Paint): void {
    const edges = this.#edgesOf(lines);
    const active: Edge[] = [];
    let next = 0;
    let line = edges[0]?.first ?? 0;
    while (next < edges.length || active.length > 0) {
      if (active.length === 0) line = Math.max(line, edges[next]?.first ?? line);
      for (let edge = edges[next]; edge && edge.first <= line; edge = edges[++next]) active.push(edge);
      this.#coverLine(active, paint.rule);
      let kept = 0;
      for (const edge of active) {
        if (edge.last === line) continue;
        edge.x += edge.step;
        active[kept++] = edge;
      }
      active.length = kept;
      const row = Math.floor(line / samples);
      line++;
      const following = active.length > 0 ? line : (edges[next]?.first ?? Infinity);
      if (Math.floor(following / samples) === row) continue;
      this.#blend(row, paint);
    }
  }

  /** The edges that lines of samples cross, by the first of these. */
  #edgesOf(lines: readonly number[]): Edge[] {
    const edges: Edge[] = [];
    for (let at = 0; at < lines.length; at += 4) {
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = [lines[at], lines[at + 1], lines[at + 2], lines[at + 3]];
      const [topX, top, bottomX, bottom] = y0 < y1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0];
      const first = Math.max(0, Math.ceil(top * samples - 0.5));
      const last = Math.min(this.height * samples, Math.ceil(bottom * samples - 0.5)) - 1;
      if (last < first) continue;
      const step = (bottomX - topX) / (bottom - top) / samples;
      const x = topX + step * (first + 0.5 - top * samples);
      edges.push({ first, last, step, x, direction: y0 < y1 ? 1 : -1 });
    }
    return edges.sort((a, b) => a.first - b.first);
  }

  #coverLine(active: Edge[], rule: Paint['rule']): void {
    // Almost in order already: as on the line before.
    for (let at = 1; at < active.length; at++) {
      const edge = active[at] as Edge;
      let place = at;
      for (; place > 0 && (active[place - 1] as Edge).x > edge.x; place--) active[place] = active[place - 1] as Edge;
      active[place] = edge;
    }
    let winding = 0;
    for (let at = 0; at + 1 < active.length; at++) {
      const edge = active[at] as Edge;
      winding += edge.direction;
      const isInside = rule === 'evenodd' ? at % 2 === 0 : winding !== 0;
      if (isInside) this.#coverSpan(edge.x, (active[at + 1] as Edge).x);
    }
  }

  #coverSpan(from: number, to: number): void {
    const [left, right] = [Math.max(0, from), Math.min(this.width, to)];
    if (right <= left) return;
    const covered = this.#covered;
    const [first, last] = [Math.floor(left), Math.floor(right)];
    const share = 1 / samples;
    if (first === last) {
      covered[first] = (covered[first] as number) + share * (right - left);
      return;
    }
    covered[first] = (covered[first] as number) + share * (first + 1 - left);
    for (let x = first + 1; x < last; x++) covered[x] = (covered[x] as number) + share;
    covered[last] = (covered[last] as number) + share * (right - last);
  }

  #blend(row: number, { colour, opacity }: Paint): void {
    const covered = this.#covered;
    for (let x = 0; x < this.width; x++) {
      const share = Math.min(1, covered[x] as number) * opacity;
      if (share === 0) continue;
      const at = 3 * (row * this.width + x);
      for (let part = 0; part < 3; part++) {
        const before = this.pixels[at + part] as number;
        this.pixels[at + part] = Math.round(before + share * ((colour[part] as number) - before));
      }
    }
    covered.fill(0);
  }
}
