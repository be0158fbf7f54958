/** Writes a layer of a Mapbox Vector Tile (specification 2.1). pbf writes the Protocol Buffers. */
import { PbfWriter } from 'pbf';
import { tileExtent } from './mercator.ts';

export const geometryTypes = { point: 1, line: 2, polygon: 3 } as const;

/** A position after another: commands of section 4.3. */
const moveTo = 1;
const lineTo = 2;
const closePath = 7;
const command = (id: number, count: number) => (count << 3) | id;
const zigzag = (number: number) => (number << 1) ^ (number >> 31);

/** The geometry of one feature, as commands. Coordinates are whole numbers of the tile's own grid. */
export class GeometryWriter {
  readonly commands: number[] = [];
  #x = 0;
  #y = 0;

  reset(): void {
    this.commands.length = 0;
    this.#x = 0;
    this.#y = 0;
  }

  /** Points, each as x and y. */
  points(positions: readonly number[]): void {
    if (positions.length > 0) this.#path(positions, 0, positions.length, moveTo);
  }

  line(positions: readonly number[]): void {
    this.#path(positions, 0, 2, moveTo);
    this.#path(positions, 2, positions.length, lineTo);
  }

  /** A ring without its last position, which is the first. */
  ring(positions: readonly number[]): void {
    this.line(positions);
    this.commands.push(command(closePath, 1));
  }

  #path(positions: readonly number[], start: number, end: number, id: number): void {
    this.commands.push(command(id, (end - start) / 2));
    for (let at = start; at < end; at += 2) {
      const [x, y] = [positions[at] as number, positions[at + 1] as number];
      this.commands.push(zigzag(x - this.#x), zigzag(y - this.#y));
      this.#x = x;
      this.#y = y;
    }
  }
}

/** A value of a feature's property. */
export type PropertyValue = string | number | boolean;

/** A layer to which features are added one by one. */
export class TileLayer {
  readonly #name: string;
  readonly #features = new PbfWriter(new Uint8Array(16_384));
  readonly #keys = new Map<string, number>();
  readonly #values = new Map<PropertyValue, number>();
  #bytesOfValues = 0;
  readonly #feature = new PbfWriter(new Uint8Array(1024));
  /** Indexes of keys and values of the feature that was begun. */
  readonly #tags: number[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** Length so far, in bytes. */
  get length(): number {
    return this.#features.pos + this.#bytesOfValues;
  }

  /** Begins a feature: it has no properties. */
  begin(): void {
    this.#tags.length = 0;
  }

  /** Sets a property of the feature that was begun. */
  setProperty(key: string, value: PropertyValue): void {
    if (!this.#values.has(value)) this.#bytesOfValues += typeof value === 'string' ? Buffer.byteLength(value) + 5 : 9;
    this.#tags.push(indexOf(this.#keys, key), indexOf(this.#values, value));
  }

  /** Adds the feature that was begun; it is added again with each geometry of another type that it has. */
  add(id: number, type: number, { commands }: GeometryWriter): void {
    const writer = this.#feature;
    writer.pos = 0;
    writer.writeVarintField(1, id);
    if (this.#tags.length > 0) writer.writePackedVarint(2, this.#tags);
    writer.writeVarintField(3, type);
    writer.writePackedVarint(4, commands);
    this.#features.writeBytesField(2, writer.buf.subarray(0, writer.pos));
  }

  /** The tile with this layer alone. */
  finish(): Buffer {
    const head = new PbfWriter();
    head.writeVarintField(15, 2);
    head.writeStringField(1, this.#name);
    const tail = new PbfWriter();
    for (const key of this.#keys.keys()) tail.writeStringField(3, key);
    for (const value of this.#values.keys()) tail.writeMessage(4, writeValue, value);
    tail.writeVarintField(5, tileExtent);
    const parts = [head.finish(), this.#features.buf.subarray(0, this.#features.pos), tail.finish()];
    const start = new PbfWriter();
    start.writeTag(3, 2);
    start.writeVarint(parts.reduce((sum, { length }) => sum + length, 0));
    return Buffer.concat([start.finish(), ...parts]);
  }
}

function writeValue(value: PropertyValue, writer: PbfWriter): void {
  if (typeof value === 'string') writer.writeStringField(1, value);
  else if (typeof value === 'boolean') writer.writeBooleanField(7, value);
  // Written as a zigzag number, a smaller one would be beyond 2^53.
  else if (!Number.isSafeInteger(value) || value < -(2 ** 52)) writer.writeDoubleField(3, value);
  else if (value < 0) writer.writeSVarintField(6, value);
  else writer.writeVarintField(5, value);
}

function indexOf<T>(indexes: Map<T, number>, item: T): number {
  const known = indexes.get(item);
  if (known !== undefined) return known;
  indexes.set(item, indexes.size);
  return indexes.size - 1;
}
