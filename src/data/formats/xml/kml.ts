/**
 * A reader of KML 2.2 and 2.3 (OGC 12-007r2), also in KMZ: each Placemark is a row. Folders are a column; styles, regions and overlays
 * are no rows, nor are network links that lead out of a KMZ archive. A track is a line: its times stay in the file.
 */
import { type Geometry, toPosition } from '../../geometry/geometry.ts';
import type { ReadFeature } from '../feature-batches.ts';
import { assertItemFits, type XmlHandler } from './xml-stream.ts';

/** Elements of a Placemark that become columns. */
const texts: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['description', 'description'],
  ['address', 'address'],
  ['phoneNumber', 'phoneNumber'],
  ['Snippet', 'snippet'],
  ['snippet', 'snippet'],
  ['when', 'when'],
  ['begin', 'begin'],
  ['end', 'end'],
]);
const geometries = new Set(['Point', 'LineString', 'LinearRing', 'Polygon', 'MultiGeometry', 'Track', 'MultiTrack']);

/** A geometry that is being read. */
interface Shape {
  readonly type: string;
  positions: number[][];
  readonly rings: number[][][];
  readonly parts: Geometry[];
}

export class KmlHandler implements XmlHandler {
  /** Addresses that network links have. */
  readonly networkLinks: string[] = [];
  readonly #features: ReadFeature[] = [];
  readonly #path: string[] = [];
  readonly #folders: string[] = [];
  readonly #shapes: Shape[] = [];
  #properties: Record<string, unknown> | null = null;
  #geometry: Geometry | null = null;
  #id: string | undefined;
  #dataName = '';
  #bytes = 0;

  /** The features that are complete. */
  take(): readonly ReadFeature[] {
    return this.#features.splice(0);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#path.push(name);
    if (name === 'Folder' || name === 'Document') this.#folders.push('');
    else if (name === 'Placemark') {
      this.#properties = Object.create(null) as Record<string, unknown>;
      this.#geometry = null;
      this.#id = attributes.id;
      this.#bytes = 0;
    } else if (!this.#properties) return;
    else if (name === 'Data' || name === 'SimpleData') this.#dataName = attributes.name ?? '';
    else if (geometries.has(name)) this.#shapes.push({ type: name, positions: [], rings: [], parts: [] });
  }

  close(name: string, text: string): void {
    this.#path.pop();
    const parent = this.#path.at(-1);
    if (name === 'Folder' || name === 'Document') this.#folders.pop();
    else if (name === 'name' && (parent === 'Folder' || parent === 'Document'))
      this.#folders[this.#folders.length - 1] = parent === 'Folder' ? text.trim() : '';
    else if (name === 'href' && this.#path.at(-2) === 'NetworkLink') this.networkLinks.push(text.trim());
    if (!this.#properties) return;
    this.#bytes += text.length + 16;
    assertItemFits(this.#bytes);
    const column = texts.get(name);
    if (name === 'Placemark') this.#endPlacemark();
    else if (name === 'coordinates' || name === 'coord') this.#addPositions(text, name === 'coord');
    else if (geometries.has(name)) this.#endShape(name);
    else if (name === 'SimpleData' || (name === 'value' && parent === 'Data')) this.#set(this.#dataName, text);
    else if (column !== undefined && parent !== 'Track') this.#set(column, text);
  }

  #set(name: string, text: string): void {
    const value = text.trim();
    if (name && this.#properties && (this.#properties[name] ?? '') === '') this.#properties[name] = value;
  }

  /** Adds positions: `lon,lat[,alt]` with blanks between them, or of a track `lon lat alt`. */
  #addPositions(text: string, isTrack: boolean): void {
    const shape = this.#shapes.at(-1);
    if (!shape) return;
    for (const tuple of isTrack ? [text.trim().split(/\s+/)] : tuplesOf(text)) {
      if (tuple.length < 2) continue;
      const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = tuple.map(numberOf);
      // Positions with blanks in the place of commas, or the other way round.
      const isPosition = tuple.length < 4 || isTrack;
      shape.positions.push(isPosition ? toPosition(x, y, z) : [x, Number.NaN]);
    }
  }

  #endShape(name: string): void {
    const shape = this.#shapes.pop();
    const outer = this.#shapes.at(-1);
    if (!shape) return;
    if (name === 'LinearRing' && outer?.type === 'Polygon') {
      const isInner = this.#path.includes('innerBoundaryIs');
      if (isInner) outer.rings.push(shape.positions);
      else outer.rings.unshift(shape.positions);
      return;
    }
    const geometry = geometryOfShape(shape);
    if (!geometry) return;
    if (outer) outer.parts.push(geometry);
    else this.#geometry ??= geometry;
  }

  #endPlacemark(): void {
    const properties = this.#properties as Record<string, unknown>;
    const folder = this.#folders.filter(Boolean).join('/');
    if (folder) properties.folder ||= folder;
    for (const name in properties) if (properties[name] === '') properties[name] = null;
    this.#features.push({
      geometry: this.#geometry,
      properties,
      bytes: this.#bytes,
      ...(this.#id !== undefined && { id: this.#id }),
    });
    this.#properties = null;
    this.#shapes.length = 0;
  }
}

const numberOf = (text: string) => (text === '' ? Number.NaN : Number(text));

/** Three numbers without blanks, which are a whole position, and a comma behind them. */
const commaBehindPosition = /(?<!\S)([^\s,]+,[^\s,]+,[^\s,]+),(?!\S)/g;

/** Numbers with commas between them, also with blanks beside a comma; '' for one that is missing. */
function tuplesOf(text: string): readonly string[][] {
  const tuples: string[][] = [];
  let isComplete = true;
  let tuple: string[] = [];
  for (const token of text.replace(commaBehindPosition, '$1').match(/[^\s,]+|,/g) ?? []) {
    if (token === ',' && !isComplete) tuple.push('');
    if (isComplete && (token !== ',' || tuple.length === 0)) {
      tuple = token === ',' ? [''] : [token];
      tuples.push(tuple);
    } else if (token !== ',') tuple.push(token);
    isComplete = token !== ',';
  }
  if (!isComplete) tuple.push('');
  return tuples;
}

function geometryOfShape({ type, positions, rings, parts }: Shape): Geometry | null {
  switch (type) {
    case 'Point':
      return positions[0] ? { type: 'Point', coordinates: positions[0] } : null;
    case 'Polygon':
      return rings.length ? { type: 'Polygon', coordinates: rings } : null;
    case 'MultiGeometry':
    case 'MultiTrack':
      return joinParts(parts);
    default:
      return positions.length ? { type: 'LineString', coordinates: positions } : null;
  }
}

/** Several geometries as one: of one type as a multiple one, else as a collection. */
function joinParts(parts: readonly Geometry[]): Geometry | null {
  const [first] = parts;
  if (!first || parts.length === 1) return first ?? null;
  const isSimple = first.type === 'Point' || first.type === 'LineString' || first.type === 'Polygon';
  if (!isSimple || parts.some(({ type }) => type !== first.type))
    return { type: 'GeometryCollection', geometries: [...parts] };
  const coordinates = parts.map((part) => (part as { coordinates: unknown }).coordinates);
  return { type: `Multi${first.type}`, coordinates } as Geometry;
}
