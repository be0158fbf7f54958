/** Batches of rows from JSON items: GeoJSON Features, bare geometries, and plain objects. */
import { PayloadError } from '../../errors.ts';
import { isEsriFeature } from '../../geometry/esri.ts';
import { isGeometry } from '../../geometry/geometry.ts';
import { expectedGroupRows, isRowGroupFull, maxColumns } from '../../limits.ts';
import { CellsBuilder } from '../cells.ts';
import { GeometriesBuilder } from '../points.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { crsOfGeojson, isObject, type JsonObject, toFeature } from './features.ts';
import type { ItemScanner } from './item-scanner.ts';
import { formOfMatch, type ItemTemplate, matchedKinds, roles } from './item-template.ts';
import { ItemTemplates } from './item-templates.ts';
import { exactParser, parseJsonBytes } from './parse-value.ts';

export class JsonBatchBuilder {
  readonly #names: string[] = [];
  /** Of GeoJSON, whose irregularities are counted; undefined for items of other formats. */
  readonly #info: PayloadInfo | undefined;
  readonly #columnsByName = new Map<string, number>();
  #values: CellsBuilder[] = [];
  #geometries = new GeometriesBuilder();
  /** Rows of the batch before: as many are expected. */
  #expectedRows = 16;
  readonly #templates = new ItemTemplates();
  #ids: (string | number | undefined)[] = [];
  #crs: (string | undefined)[] | undefined;
  #offsets: number[] = [];
  #lengths: number[] = [];
  #lines: number[] = [];
  #bytes = 0;
  #hasIds = false;
  /** True if any row is a Feature or a geometry. */
  hasGeometry = false;
  /** True if a column `geometry` has another value than the null of a plain object without a geometry. */
  #hasOtherGeometryValues = false;
  /** True if every row is a Feature in strict JSON, whose own bytes can be copied: none has a number that is read as a text. */
  areAllFeatures = true;
  /** Column of each member of the previous row: rows mostly have the same members in the same order. */
  #previousColumns: number[] = [];
  /** The current item with its unsafe numbers as strings; undefined if it has none. */
  #exactItem: () => unknown = () => undefined;

  /** @param info facts about a payload of GeoJSON; absent for other formats */
  constructor(info?: PayloadInfo) {
    this.#info = info;
  }

  /**
   * Adds the row or rows of one item.
   * @param start from here to `end` in `bytes` is its JSON
   * @param offset offset in the payload, for errors
   */
  addItem(bytes: Buffer, start: number, end: number, offset: number, line: number): void {
    const { value, isStrict } = parseJsonBytes(bytes, start, end, offset, line);
    this.areAllFeatures &&= isStrict;
    this.#exactItem = exactParser(() => bytes.toString('utf8', start, end));
    this.#add(value, offset, end - start, line);
    if (isStrict && this.#templates.isOpen)
      this.#templates.learn(bytes.subarray(start, end), this.#info !== undefined, (name) =>
        this.#columnsByName.get(name),
      );
  }

  /** Adds a Feature of another format. @param number its place in the file, from 1; @param bytes bytes that it was read from */
  addFeature(feature: JsonObject, number: number, bytes: number): void {
    this.#exactItem = () => undefined;
    this.#add(feature, 0, bytes, number);
  }

  /** Adds the row of the item that begins at `start`, if it matches a template. @returns the index behind it, or -1 */
  matchItem(bytes: Buffer, start: number, offset: number, line: number): number {
    const end = this.#templates.match(bytes, start);
    if (end !== -1) this.#addMatch(this.#templates.matched, bytes, offset, end - start, line);
    return end;
  }

  get matchedLines(): number {
    return this.#templates.matched.lines;
  }

  /** Index of the column that is left out: plain objects have `"geometry": null` there, and others have a geometry. */
  get geometryColumn(): number | undefined {
    return this.hasGeometry && !this.#hasOtherGeometryValues ? this.#columnsByName.get('geometry') : undefined;
  }

  #addMatch(template: ItemTemplate, bytes: Buffer, offset: number, length: number, line: number): void {
    const { kinds, numbers, starts, ends } = this.#templates.values;
    const row = this.#addRow(offset, length, line);
    let x = Number.NaN;
    let y = Number.NaN;
    for (let value = 0; value < template.roles.length; value++) {
      const role = template.roles[value] as number;
      const kind = kinds[value] as number;
      if (role >= 0) {
        const cells = this.#values[role] as CellsBuilder;
        if (kind === matchedKinds.number) cells.addNumber(row, numbers[value] as number);
        else if (kind >= matchedKinds.ascii)
          cells.addText(row, bytes, starts[value] as number, ends[value] as number, formOfMatch(kind));
        else if (kind === matchedKinds.null) cells.addNull(row);
        else cells.addBoolean(row, kind === matchedKinds.true);
      } else if (role === roles.x) x = numbers[value] as number;
      else if (role === roles.y) y = numbers[value] as number;
      else
        this.#ids[row] =
          kind === matchedKinds.number ? numbers[value] : bytes.toString('utf8', starts[value], ends[value]);
    }
    if (template.hasPoint) this.#geometries.addPoint(x, y);
    else this.#geometries.add(null);
    if (template.hasId) this.#hasIds = true;
    if (template.isFeature) this.hasGeometry = true;
    else this.areAllFeatures = false;
  }

  /** @returns the number of the new row in its batch */
  #addRow(offset: number, length: number, line: number): number {
    this.#lengths.push(length);
    this.#lines.push(line);
    this.#bytes += length;
    return this.#offsets.push(offset) - 1;
  }

  /** @param value a Feature, a FeatureCollection, a geometry or a plain object */
  #add(item: unknown, offset: number, length: number, line: number, collectionCrs?: string): void {
    if (!isObject(item)) throw new PayloadError('expected an object', { line, byte: offset });
    const value = this.#info ? toFeature(item, this.#info, line, offset) : item;
    if (item.type === undefined && isEsriFeature(item)) this.areAllFeatures = false;
    if (value.type === 'FeatureCollection' && Array.isArray(value.features)) {
      this.areAllFeatures = false;
      const crs = crsOfGeojson(value);
      const exactCollection = this.#exactItem as () => { readonly features: readonly unknown[] } | undefined;
      for (const [index, feature] of value.features.entries()) {
        this.#exactItem = () => exactCollection()?.features[index];
        this.#add(feature, offset, length, line, crs);
      }
      return;
    }
    const row = this.#addRow(offset, length, line);
    let geometry: unknown = null;
    let properties: JsonObject | null = null;
    let inFeature = false;
    if (value.type === 'Feature' && ('geometry' in value || 'properties' in value)) {
      geometry = value.geometry ?? null;
      properties = this.#propertiesOf(value.properties, line, offset);
      inFeature = true;
      this.#hasOtherGeometryValues ||= properties !== null && Object.hasOwn(properties, 'geometry');
      const id = value.id;
      if (typeof id === 'string' || typeof id === 'number') {
        this.#ids[row] = typeof id === 'number' && !Number.isSafeInteger(id) ? this.#exactId(id) : id;
        this.#hasIds = true;
      }
    } else if (isGeometry(value)) {
      geometry = value;
      this.areAllFeatures = false;
    } else {
      this.areAllFeatures = false;
      properties = value;
      this.#hasOtherGeometryValues ||= (value.geometry ?? null) !== null && !isGeometry(value.geometry);
      if (isGeometry(value.geometry)) ({ geometry, ...properties } = value as JsonObject & { geometry: unknown });
    }
    if (geometry !== null || inFeature) this.hasGeometry = true;
    if (geometry !== null && !isGeometry(geometry)) {
      throw new PayloadError(`not a GeoJSON geometry: ${JSON.stringify(geometry).slice(0, 60)}`, {
        line,
        byte: offset,
      });
    }
    this.#geometries.add(geometry);
    // A plain object may have a column of that name.
    const crs =
      geometry && (crsOfGeojson(geometry as unknown as JsonObject) ?? (inFeature ? crsOfGeojson(value) : undefined));
    if (crs ?? collectionCrs) {
      this.#crs ??= [];
      this.#crs[row] = crs ?? collectionCrs;
    }
    if (properties !== null) this.#addProperties(properties, row, inFeature);
  }

  #propertiesOf(properties: unknown, line: number, offset: number): JsonObject | null {
    if (properties === null || properties === undefined) return null;
    if (isObject(properties)) return properties;
    throw new PayloadError('the properties of a Feature are an object or null', { line, byte: offset });
  }

  #addProperties(properties: JsonObject, row: number, inFeature: boolean): void {
    let position = 0;
    for (const name in properties) {
      let value = properties[name];
      let column = this.#previousColumns[position];
      if (column === undefined || this.#names[column] !== name) {
        column = this.#columnsByName.get(name) ?? this.#addColumn(name);
        this.#previousColumns[position] = column;
      }
      position++;
      // An unsafe integer has lost digits: the row is parsed again from its text.
      if (
        typeof value === 'number'
          ? Math.abs(value) > Number.MAX_SAFE_INTEGER
          : typeof value === 'object' && value !== null
      ) {
        value = this.#exact(value, name, inFeature);
      }
      (this.#values[column] as CellsBuilder).addAny(row, value);
    }
  }

  #exact(value: unknown, name: string, inFeature: boolean): unknown {
    const again = this.#exactItem() as JsonObject | undefined;
    if (again === undefined) return value;
    const members = inFeature ? [again.properties, again.attributes] : [];
    const object = members.find(isObject) ?? again;
    const exact = object[name] ?? value;
    this.areAllFeatures &&= JSON.stringify(exact) === JSON.stringify(value);
    return exact;
  }

  #exactId(id: number): string | number {
    const exact = (this.#exactItem() as { id?: string | number } | undefined)?.id ?? id;
    this.areAllFeatures &&= exact === id;
    return exact;
  }

  #addColumn(name: string): number {
    const column = this.#names.length;
    if (column >= maxColumns)
      throw new PayloadError(`more than ${maxColumns} different columns`, { line: this.#lines.at(-1) ?? 1 });
    this.#names.push(name);
    this.#columnsByName.set(name, column);
    this.#values.push(new CellsBuilder(this.#expectedRows));
    return column;
  }

  /**
   * Splits a chunk, so that batches can be taken between its parts: smaller ones if there are many columns, since even
   * short rows have many cells then. A part has some 2,700 rows at most: a column that begins behind them has a cell for each.
   */
  *split(chunk: Buffer): Generator<Buffer, void, undefined> {
    for (let at = 0; at < chunk.length; ) {
      const size = this.#names.length > 200 ? 4 * 1024 : 8 * 1024;
      yield chunk.subarray(at, at + size);
      at += size;
    }
  }

  /** True if a batch should be taken. */
  get isFull(): boolean {
    return isRowGroupFull(this.#offsets.length, this.#names.length, this.#bytes);
  }

  /** The rows since the last batch; null if there are none, unless `allowEmpty`. */
  takeBatch(allowEmpty = false): RowBatch | null {
    const rows = this.#offsets.length;
    if (rows === 0 && !allowEmpty) return null;
    const [offsets, lengths, lines] = [this.#offsets, this.#lengths, this.#lines];
    const batch: RowBatch = {
      rows,
      names: this.#names,
      values: this.#values.map((cells) => cells.take()),
      geometries: this.hasGeometry ? this.#geometries.take() : null,
      crs: this.#crs,
      ids: this.#hasIds ? this.#ids : null,
      rowOffsets: { offsets, lengths },
      errorAt: (row, reason) => new PayloadError(reason, { line: lines[row] as number, byte: offsets[row] as number }),
    };
    this.#expectedRows = expectedGroupRows(rows, this.#names.length);
    this.#values = this.#names.map(() => new CellsBuilder(this.#expectedRows));
    this.#geometries = new GeometriesBuilder(this.#expectedRows);
    this.#ids = [];
    this.#crs = undefined;
    this.#offsets = [];
    this.#lengths = [];
    this.#lines = [];
    this.#bytes = 0;
    return batch;
  }
}

/**
 * Reads all items of a JSON text.
 * @param chunks text in UTF-8
 * @param createScanner called with the first chunk
 * @returns true if there is an array of items, and the text around it (`ItemScanner.end`)
 */
export async function* readJsonItems(
  chunks: AsyncIterable<Buffer>,
  createScanner: (firstChunk: Buffer) => ItemScanner,
  builder: JsonBatchBuilder,
): AsyncGenerator<RowBatch, { hasItems: boolean; outside: Buffer | null }, undefined> {
  let scanner: ItemScanner | undefined;
  const addItem = builder.addItem.bind(builder);
  for await (const chunk of chunks) {
    scanner ??= createScanner(chunk);
    for (const part of builder.split(chunk)) {
      scanner.push(part, addItem, builder);
      if (builder.isFull) yield builder.takeBatch() as RowBatch;
    }
  }
  scanner ??= createScanner(Buffer.alloc(0));
  const outside = scanner.end();
  return { hasItems: scanner.hasItems, outside };
}
