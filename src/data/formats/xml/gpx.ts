/**
 * A reader of GPX 1.0 and 1.1: waypoints, routes and tracks are rows, by the column `kind`. Heights are in the positions; the
 * times of a track's points stay in the file.
 */
import type { ReadFeature } from '../feature-batches.ts';
import { countRepair, type PayloadInfo } from '../types.ts';
import { assertItemFits, type XmlHandler } from './xml-stream.ts';

const kinds: ReadonlyMap<string, string> = new Map([
  ['wpt', 'waypoint'],
  ['rte', 'route'],
  ['trk', 'track'],
]);
/** Elements of a waypoint, route or track that become columns. */
const texts = new Set(['name', 'cmt', 'desc', 'src', 'type', 'number', 'time', 'sym', 'fix', 'sat', 'hdop']);

export class GpxHandler implements XmlHandler {
  readonly #features: ReadFeature[] = [];
  readonly #path: string[] = [];
  #properties: Record<string, unknown> | null = null;
  #lines: number[][][] = [];
  #position: number[] = [];
  #bytes = 0;
  readonly #info: PayloadInfo;

  /** @param info receives the number of lines that are left out */
  constructor(info: PayloadInfo) {
    this.#info = info;
  }

  /** The features that are complete. */
  take(): readonly ReadFeature[] {
    return this.#features.splice(0);
  }

  open(name: string, { lat, lon, href }: Readonly<Record<string, string>>): void {
    this.#path.push(name);
    const kind = kinds.get(name);
    if (kind !== undefined) {
      this.#properties = Object.assign(Object.create(null), { kind }) as Record<string, unknown>;
      this.#lines = name === 'rte' ? [[]] : [];
      this.#bytes = 0;
    }
    if (!this.#properties) return;
    if (name === 'trkseg') this.#lines.push([]);
    else if (name === 'wpt' || name === 'rtept' || name === 'trkpt')
      this.#position = [Number(lon || Number.NaN), Number(lat || Number.NaN)];
    else if (name === 'link' && href) this.#properties.link ??= href;
  }

  close(name: string, text: string): void {
    this.#path.pop();
    const parent = this.#path.at(-1) ?? '';
    const properties = this.#properties;
    if (!properties) return;
    this.#bytes += text.length + 16;
    assertItemFits(this.#bytes);
    const value = text.trim();
    if (name === 'ele' && (parent === 'wpt' || parent === 'rtept' || parent === 'trkpt')) {
      if (value !== '' && !Number.isNaN(Number(value))) this.#position.push(Number(value));
    } else if (name === 'rtept' || name === 'trkpt') this.#lines.at(-1)?.push(this.#position);
    else if (kinds.has(name)) this.#end(name);
    else if (texts.has(name) && kinds.has(parent) && value !== '') properties[name] ??= value;
  }

  #end(name: string): void {
    const lines = this.#lines.filter((line) => line.length > 1);
    for (const { length } of this.#lines) if (length === 1) countRepair(this.#info, 'short_lines', undefined);
    const [first] = lines;
    const geometry =
      name === 'wpt'
        ? ({ type: 'Point', coordinates: this.#position } as const)
        : name === 'rte'
          ? first && ({ type: 'LineString', coordinates: first } as const)
          : lines.length
            ? ({ type: 'MultiLineString', coordinates: lines } as const)
            : undefined;
    this.#features.push({ geometry: geometry ?? null, properties: this.#properties ?? {}, bytes: this.#bytes });
    this.#properties = null;
  }
}
