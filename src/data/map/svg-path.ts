/** Paths of SVG in tenths of a pixel, with as few characters as they need. */

/** Characters of a dot, about. */
const dotLength = 8;
const manyDots = 2500;

/** Writes paths for a group that is scaled to a tenth. */
export class PathWriter {
  /** Tenths of a pixel in a unit of the path: the larger, the fewer characters. */
  readonly #unit: number;
  #text: string[] = [];
  /** Not written yet: x and y in turns. */
  readonly #dots: number[] = [];
  #x = 0;
  #y = 0;
  /** Characters so far. */
  length = 0;

  /** @param unit tenths of a pixel; the element of the path is to be scaled by it */
  constructor(unit = 1) {
    this.#unit = unit;
  }

  /** A dot: a line without length, which round ends make visible. */
  dot(x: number, y: number): void {
    this.#dots.push(x / this.#unit, y / this.#unit);
    this.length += dotLength;
  }

  /** Writes the dots: if they are many in whole pixels, line by line, which takes a third of the characters. */
  #writeDots(): void {
    const step = this.#dots.length > 2 * manyDots ? 10 / this.#unit : 1;
    const places = new Float64Array(this.#dots.length / 2);
    for (let n = 0; n < places.length; n++) {
      const [x = 0, y = 0] = this.#dots.slice(2 * n, 2 * n + 2);
      places[n] = Math.round(y / step) * 65_536 + Math.round(x / step);
    }
    this.#dots.length = 0;
    for (const place of places.sort()) {
      const y = Math.round(place / 65_536);
      this.#move((place - 65_536 * y) * step, y * step);
      this.#add('h0');
    }
  }

  /**
   * A line through positions, x and y in turns.
   * @param isClosed true for a ring, whose first position isn't repeated
   * @returns false if all are at one place, where a line can't be seen: nothing is written
   */
  line(positions: readonly number[], isClosed: boolean): boolean {
    const unit = this.#unit;
    const [firstX = 0, firstY = 0] = positions;
    let [x, y] = [Math.round(firstX / unit), Math.round(firstY / unit)];
    const [startX, startY] = [x, y];
    let steps = '';
    for (let at = 2; at < positions.length; at += 2) {
      const px = Math.round((positions[at] as number) / unit);
      const py = Math.round((positions[at + 1] as number) / unit);
      if (px === x && py === y) continue;
      steps += `${steps && px - x >= 0 ? ' ' : ''}${px - x}${py - y < 0 ? '' : ' '}${py - y}`;
      [x, y] = [px, py];
    }
    if (!steps) return false;
    this.#move(startX, startY);
    this.#add(`l${steps}${isClosed ? 'z' : ''}`);
    [this.#x, this.#y] = isClosed ? [startX, startY] : [x, y];
    return true;
  }

  #move(x: number, y: number): void {
    const [dx, dy] = [x - this.#x, y - this.#y];
    this.#add(this.#text.length === 0 ? `M${x} ${y}` : `m${dx}${dy < 0 ? '' : ' '}${dy}`);
    this.#x = x;
    this.#y = y;
  }

  #add(text: string): void {
    this.#text.push(text);
    this.length += text.length;
  }

  toString(): string {
    this.#writeDots();
    return this.#text.join('');
  }
}

/** A text for an element or attribute of XML, without what XML 1.0 forbids. */
export const escapeXml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0, section 2.2
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
