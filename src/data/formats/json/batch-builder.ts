/**
 * Turns parsed JSON values into batches: GeoJSON Features, bare geometries, and plain objects.
 */
import { PayloadError } from '../../errors.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { blockBytes, blockCells, blockRows, maxColumns } from '../../limits.ts';
import type { Batch } from '../types.ts';
import { mayHoldBigInteger, parseKeepingIntegers, parseValue } from './parse-value.ts';

const geometryTypes = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
]);

type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isGeometry = (value: unknown): value is Geometry =>
  isObject(value) && geometryTypes.has(value.type as string) && ('coordinates' in value || 'geometries' in value);

export class JsonRows {
  readonly #names: string[] = [];
  readonly #slots = new Map<string, number>();
  #values: unknown[][] = [];
  #geometries: (Geometry | null)[] = [];
  #ids: (string | number | undefined)[] = [];
  #offsets: number[] = [];
  #lengths: number[] = [];
  #lines: number[] = [];
  #bytes = 0;
  #hasIds = false;
  /** Whether any row has been a Feature or a geometry. */
  hasGeometry = false;
  /** Whether every row has been a Feature in strict JSON, so that its own bytes can be handed out. */
  allFeatures = true;
  /** The column of each member of the row before: rows mostly have the same members in the same order. */
  #order: number[] = [];

  /** Adds the row or rows that the JSON in `bytes` from `start` to `end` makes. */
  addText(bytes: Buffer, start: number, end: number, offset: number, line: number): void {
    const { value, strict } = parseValue(bytes, start, end, offset, line);
    this.allFeatures &&= strict;
    this.#text = () => bytes.toString('utf8', start, end);
    this.add(value, offset, end - start, line);
  }
  #text: () => string = () => '';

  /** @param value a Feature, a FeatureCollection, a geometry or a plain object */
  add(value: unknown, offset: number, length: number, line: number): void {
    if (!isObject(value)) throw new PayloadError('expected an object', { line, byte: offset });
    if (value.type === 'FeatureCollection' && Array.isArray(value.features)) {
      this.allFeatures = false;
      for (const feature of value.features) this.add(feature, offset, length, line);
      return;
    }
    const row = this.#offsets.length;
    this.#offsets.push(offset);
    this.#lengths.push(length);
    this.#lines.push(line);
    this.#bytes += length;
    let geometry: unknown = null;
    let properties: JsonObject | null = null;
    let inFeature = false;
    if (value.type === 'Feature' && ('geometry' in value || 'properties' in value)) {
      geometry = value.geometry ?? null;
      properties = this.#propertiesOf(value.properties, line, offset);
      inFeature = true;
      const id = value.id;
      if (typeof id === 'string' || typeof id === 'number') {
        this.#ids[row] = typeof id === 'number' && !Number.isSafeInteger(id) ? this.#wholeId(id) : id;
        this.#hasIds = true;
      }
    } else if (isGeometry(value)) {
      geometry = value;
      this.allFeatures = false;
    } else {
      this.allFeatures = false;
      properties = value;
      if (isGeometry(value.geometry)) ({ geometry, ...properties } = value as JsonObject & { geometry: unknown });
    }
    if (geometry !== null || inFeature) this.hasGeometry = true;
    if (geometry !== null && !isGeometry(geometry)) {
      throw new PayloadError(`not a GeoJSON geometry: ${JSON.stringify(geometry).slice(0, 60)}`, {
        line,
        byte: offset,
      });
    }
    this.#geometries.push(geometry);
    if (properties !== null) this.#addProperties(properties, row, inFeature);
  }

  #propertiesOf(properties: unknown, line: number, offset: number): JsonObject | null {
    if (properties === null || properties === undefined) return null;
    if (isObject(properties)) return properties;
    throw new PayloadError('the properties of a Feature are an object or null', { line, byte: offset });
  }

  #addProperties(properties: JsonObject, row: number, inFeature: boolean): void {
    let k = 0;
    for (const name in properties) {
      let value = properties[name];
      let slot = this.#order[k];
      if (slot === undefined || this.#names[slot] !== name) {
        slot = this.#slots.get(name) ?? this.#newColumn(name);
        this.#order[k] = slot;
      }
      k++;
      // An unsafe integer has already lost digits: read this row again from its text.
      if (
        typeof value === 'number'
          ? Math.abs(value) > Number.MAX_SAFE_INTEGER
          : typeof value === 'object' && value !== null
      ) {
        value = this.#exact(value, name, inFeature);
      }
      (this.#values[slot] as unknown[])[row] = value;
    }
  }

  #exact(value: unknown, name: string, inFeature: boolean): unknown {
    const text = this.#text();
    if (!mayHoldBigInteger(text)) return value;
    const again = parseKeepingIntegers(text) as JsonObject;
    const object = inFeature && isObject(again.properties) ? again.properties : again;
    return object[name] ?? value;
  }

  #wholeId(id: number): string | number {
    const text = this.#text();
    return mayHoldBigInteger(text) ? ((parseKeepingIntegers(text) as { id: string | number }).id ?? id) : id;
  }

  #newColumn(name: string): number {
    const slot = this.#names.length;
    if (slot >= maxColumns)
      throw new PayloadError(`more than ${maxColumns} different columns`, { line: this.#lines.at(-1) ?? 1 });
    this.#names.push(name);
    this.#slots.set(name, slot);
    this.#values.push([]);
    return slot;
  }

  /**
   * A chunk in parts, so that a batch can be taken between them: small ones where there are many columns, of which
   * even short rows make many cells.
   */
  *partsOf(chunk: Buffer): Generator<Buffer, void, undefined> {
    for (let at = 0; at < chunk.length; ) {
      const size = this.#names.length > 200 ? 4 * 1024 : 128 * 1024;
      yield chunk.subarray(at, at + size);
      at += size;
    }
  }

  /** Whether it is time to take a batch. */
  get full(): boolean {
    const rows = this.#offsets.length;
    return rows >= blockRows || this.#bytes >= blockBytes || rows * this.#names.length >= blockCells;
  }

  /** The rows so far, which are then forgotten; null where there are none, unless even an empty batch is wanted. */
  take(evenEmpty = false): Batch | null {
    const rows = this.#offsets.length;
    if (rows === 0 && !evenEmpty) return null;
    const [offsets, lengths, lines] = [this.#offsets, this.#lengths, this.#lines];
    const batch: Batch = {
      rows,
      names: this.#names,
      values: this.#values,
      geometries: this.hasGeometry ? this.#geometries : null,
      ids: this.#hasIds ? this.#ids : null,
      places: { offsets, lengths },
      errorAt: (row, reason) => new PayloadError(reason, { line: lines[row] as number, byte: offsets[row] as number }),
    };
    this.#values = this.#names.map(() => []);
    this.#geometries = [];
    this.#ids = [];
    this.#offsets = [];
    this.#lengths = [];
    this.#lines = [];
    this.#bytes = 0;
    return batch;
  }
}
