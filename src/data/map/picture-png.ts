/**
 * Pictures as PNG, for programs that show no SVG, such as those of social networks: work for a thread (`picture-png-thread.ts`). What
 * is read is the part of SVG that our pictures have: groups and paths with a scale, straight lines, and rules for classes, in the
 * colours of light.
 */
import { encodePng } from './png.ts';
import { type Colour, Raster } from './raster.ts';

/** Width from which a picture isn't enlarged, in pixels. */
const wide = 1000;

/** @param svg a picture by `drawPicture` or `drawTexture`; a small one is enlarged by a whole number */
export function pictureAsPng(svg: string): Uint8Array {
  const [, ownWidth = 0, ownHeight = 0] = (/ width="(\d+)" height="(\d+)"/.exec(svg) ?? []).map(Number);
  const enlarged = Math.ceil(wide / ownWidth);
  const raster = new Raster(enlarged * ownWidth, enlarged * ownHeight);
  const rules = rulesOf(svg);
  const scales = [enlarged];
  for (const [tag, group, names = '', own = '1', data = ''] of svg.matchAll(elements)) {
    if (tag === '</g>') scales.pop();
    else if (group !== undefined) scales.push((scales.at(-1) as number) * Number(group));
    else drawPath(raster, styleOf(rules, names.split(' ')), data, (scales.at(-1) as number) * Number(own));
  }
  return encodePng(raster.width, raster.height, raster.pixels);
}

const elements =
  /<g transform="scale\(([\d.]+)\)">|<\/g>|<path class="([^"]*)"(?: transform="scale\(([\d.]+)\)")? d="([^"]*)"\/>/g;

type Style = ReadonlyMap<string, string>;
type Rules = readonly (readonly [selector: string, Style])[];

/** The rules of a picture in their order, but those for the dark. */
function rulesOf(svg: string): Rules {
  const [, text = ''] = /<style>(.*?)<\/style>/s.exec(svg) ?? [];
  const light = text.replace(/@media[^{]*\{[^{}]*\{[^{}]*\}\}/g, '');
  return [...light.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', body = '']) => {
    const style = new Map(body.split(';').map((line) => line.split(':', 2) as [string, string]));
    return selectors.split(',').map((selector) => [selector, style] as const);
  });
}

function styleOf(rules: Rules, classes: readonly string[]): Style {
  const style = new Map<string, string>();
  for (const [selector, own] of rules)
    if (selector === ':root' || classes.includes(selector.slice(1)))
      for (const [name, value] of own) style.set(name, value);
  return style;
}

/** A colour such as `#2c7a4b` or `var(--geo)`; null for none. */
function colourOf(style: Style, value = 'none'): Colour | null {
  const [, variable] = /^var\((.*)\)$/.exec(value) ?? [];
  if (variable !== undefined) return colourOf(style, style.get(variable));
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(value) ?? [];
  return red ? [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)] : null;
}

function drawPath(raster: Raster, style: Style, data: string, scale: number): void {
  const lines = linesOf(data, scale);
  const fill = colourOf(style, style.get('fill'));
  const stroke = colourOf(style, style.get('stroke'));
  const opacity = Number(style.get('opacity') ?? 1);
  if (fill) {
    const rule = style.get('fill-rule') === 'evenodd' ? 'evenodd' : 'nonzero';
    raster.fill(lines.flatMap(edgesOfLine), { colour: fill, opacity, rule });
  }
  if (!stroke) return;
  const half = (Number(style.get('stroke-width')) * scale) / 2;
  const isSquare = style.get('stroke-linecap') === 'square';
  const edges = lines.flatMap((line) => edgesOfStroke(line, half, isSquare));
  raster.fill(edges, { colour: stroke, opacity: Number(style.get('stroke-opacity') ?? opacity), rule: 'nonzero' });
}

interface Line {
  /** x and y in turns, in pixels. */
  readonly places: number[];
  isClosed: boolean;
}

/** The lines of a path with the commands M, m, l, h, v, H, V and z. */
function linesOf(data: string, scale: number): Line[] {
  const lines: Line[] = [];
  let [x, y] = [0, 0];
  for (const [, command = '', text = ''] of data.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const numbers = (text.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    const line = lines.at(-1);
    const [first = 0, second = 0] = numbers;
    if (command === 'M' || command === 'm') {
      [x, y] = command === 'M' ? [first, second] : [x + first, y + second];
      lines.push({ places: [x * scale, y * scale], isClosed: false });
    } else if (!line) continue;
    else if (command === 'z') {
      line.isClosed = true;
      [x, y] = [(line.places[0] as number) / scale, (line.places[1] as number) / scale];
    } else {
      const isPair = command === 'l';
      for (let at = 0; at < numbers.length; at += isPair ? 2 : 1) {
        const number = numbers[at] as number;
        if (command === 'H') x = number;
        else if (command === 'V') y = number;
        else if (command === 'v') y += number;
        else x += number;
        if (isPair) y += numbers[at + 1] as number;
        line.places.push(x * scale, y * scale);
      }
    }
  }
  return lines;
}

/** The edges of a line that is filled: as closed. */
function edgesOfLine({ places }: Line): number[] {
  const edges: number[] = [];
  for (let at = 0; at < places.length; at += 2) {
    const next = (at + 2) % places.length;
    edges.push(...[at, at + 1, next, next + 1].map((place) => places[place] as number));
  }
  return edges;
}

/** Half the width of lines below which nobody sees whether their corners are round, in pixels. */
const thin = 0.5;

/** The edges of a line of some width: a rectangle for each part, and a disc at each corner and end; all go round in the same direction. */
function edgesOfStroke({ places, isClosed }: Line, half: number, isSquare: boolean): number[] {
  const edges: number[] = [];
  const count = places.length / 2;
  const place = (n: number) => [places[2 * (n % count)] as number, places[2 * (n % count) + 1] as number] as const;
  for (let n = 0; n < count - (isClosed ? 0 : 1); n++) {
    const [[x0, y0], [x1, y1]] = [place(n), place(n + 1)];
    const length = Math.hypot(x1 - x0, y1 - y0);
    if (length === 0) continue;
    const [dx, dy] = [(-(y1 - y0) * half) / length, ((x1 - x0) * half) / length];
    edges.push(...outline([x0 + dx, y0 + dy, x1 + dx, y1 + dy, x1 - dx, y1 - dy, x0 - dx, y0 - dy]));
  }
  for (let n = 0; n < count && half > thin; n++) edges.push(...outline(discAround(...place(n), half, isSquare)));
  return edges;
}

const outline = (places: number[]): number[] => edgesOfLine({ places, isClosed: true });

/** A polygon like a disc, or a square. */
function discAround(x: number, y: number, radius: number, isSquare: boolean): number[] {
  const sides = isSquare ? 4 : 8 + Math.ceil(2 * radius);
  const reach = isSquare ? radius * Math.SQRT2 : radius;
  return Array.from({ length: sides }, (_, n) => -((n + 0.5) * 2 * Math.PI) / sides).flatMap((angle) => [
    x + reach * Math.cos(angle),
    y + reach * Math.sin(angle),
  ]);
}
