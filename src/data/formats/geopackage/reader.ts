/**
 * A reader of GeoPackages (OGC 12-128): the rows of one table of features or attributes, from the file, page by page. Views
 * and virtual tables are not read: their SQL comes with the file, and may never end. That of generated columns always ends.
 */
import { copyFile, mkdtemp, open, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database, QueryResult } from 'node-sqlite3-wasm';
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { InvalidGeometryError } from '../../geometry/validate.ts';
import { readWkb } from '../../geometry/wkb.ts';
import { batchFeatures, type ReadFeature, readGeometryOf } from '../feature-batches.ts';
import { shortNumberOfFloat32 } from '../float32.ts';
import { chooseLayer } from '../layers.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { quoteName } from './schema.ts';

/** Rows that are read together. */
const chunkSize = 256;

interface Layer {
  readonly name: string;
  readonly identifier: string;
  /** Column of the geometry, as the metadata write it; '' without a geometry. */
  readonly geometry: string;
  /** Reference system as `EPSG:25833` or WKT; '' if it isn't defined. */
  readonly crs: string;
}

/** Names of the tables with rows. @throws PayloadError */
export async function listGeoPackageLayers(path: string): Promise<readonly string[]> {
  return withDatabase(path, (database) => layersOf(database).map(({ name }) => name));
}

/**
 * @param info filled in while reading
 * @throws PayloadError if it is no GeoPackage, is broken, or has several tables and none is named
 */
export async function* readGeoPackage(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  const opened = await openDatabase(path);
  try {
    const layers = layersOf(opened.database);
    const names = layers.map(({ name }) => name);
    const name = chooseLayer(names, names, info.reading.layer, 'layer');
    const layer = layers.find((one) => one.name === name) as Layer;
    if (layer.crs) info.crs = layer.crs;
    info.title = layer.identifier || layer.name;
    yield* batchFeatures(readRows(opened.database, layer), layer.geometry !== '', 'row');
  } catch (error) {
    throw asPayloadError(error);
  } finally {
    await opened.close();
  }
}

async function withDatabase<T>(path: string, use: (database: Database) => T): Promise<T> {
  const opened = await openDatabase(path);
  try {
    return use(opened.database);
  } catch (error) {
    throw asPayloadError(error);
  } finally {
    await opened.close();
  }
}

const asPayloadError = (error: unknown): unknown =>
  (error as Error).name === 'SQLite3Error'
    ? new PayloadError(`the GeoPackage can't be read: ${excerpt((error as Error).message)}`)
    : error;

/**
 * Opens a database for reading, by a link in a temporary folder: this SQLite puts a lock beside the file. One with a write-ahead log (as
 * QGIS leaves it) is copied, without the mark for that.
 */
async function openDatabase(path: string): Promise<{ readonly database: Database; close(): Promise<void> }> {
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  const link = join(folder, 'data.gpkg');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    if (await usesWriteAheadLog(path)) {
      await copyFile(path, link);
      const handle = await open(link, 'r+');
      await handle.write(Buffer.from([1, 1]), 0, 2, 18);
      await handle.close();
    } else await symlink(resolve(path), link);
    const database = new sqlite.Database(link, { readOnly: true });
    const close = () => {
      database.close();
      return remove();
    };
    try {
      database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -16000;');
    } catch (error) {
      await close();
      throw error;
    }
    return { database, close };
  } catch (error) {
    await remove();
    throw asPayloadError(error);
  }
}

/** True if the head of a file says so (SQLite file format, offset 18). */
async function usesWriteAheadLog(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 18);
    return buffer[0] === 2 || buffer[1] === 2;
  } finally {
    await handle.close();
  }
}

/** A name as SQLite compares it. */
const folded = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The layers with the names that their tables and columns have, whose case may be another one in the metadata. */
function layersOf(database: Database): readonly Layer[] {
  const tables = new Map(
    database
      .all("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .map(({ name }) => [folded(String(name)), String(name)]),
  );
  const hasGeometries = tables.has('gpkg_geometry_columns');
  const rows = database.all(
    hasGeometries
      ? `SELECT c.table_name AS name, c.identifier, g.column_name AS geometry, s.organization, s.organization_coordsys_id AS code,
           s.definition FROM gpkg_contents c LEFT JOIN gpkg_geometry_columns g ON g.table_name = c.table_name COLLATE NOCASE
           LEFT JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id WHERE c.data_type IN ('features', 'attributes')
           ORDER BY c.rowid, g.table_name <> c.table_name`
      : "SELECT table_name AS name, identifier FROM gpkg_contents WHERE data_type = 'attributes' ORDER BY rowid",
  );
  const layers = new Map<string, Layer>();
  for (const row of rows) {
    const name = tables.get(folded(String(row.name)));
    if (name === undefined || layers.has(name)) continue;
    const [identifier, geometry] = [String(row.identifier ?? ''), String(row.geometry ?? '')];
    layers.set(name, { name, identifier, geometry, crs: crsOf(row) });
  }
  return [...layers.values()];
}

function crsOf({ organization, code, definition }: QueryResult): string {
  if (/^EPSG$/i.test(String(organization))) return `EPSG:${code}`;
  const text = String(definition ?? '');
  return /^undefined$/i.test(text) ? '' : text;
}

function* readRows(database: Database, layer: Layer): Generator<readonly ReadFeature[], void, undefined> {
  // `table_info` lacks generated columns; 1 stands for those that `SELECT *` lacks, too.
  const all = database.all(`PRAGMA table_xinfo(${quoteName(layer.name)})`);
  const columns = all.filter(({ hidden }) => Number(hidden) !== 1);
  const keys = columns.filter(({ pk }) => Number(pk) > 0);
  const key = keys.length === 1 && /^INTEGER$/i.test(String(keys[0]?.type)) ? String(keys[0]?.name) : undefined;
  const isKeyShown = key !== undefined && !/^(?:ogc_)?fid$/i.test(key);
  const names = columns.map(({ name }) => String(name));
  const hasGeometry = layer.geometry !== '';
  const geometryName = names.find((name) => hasGeometry && folded(name) === folded(layer.geometry));
  if (hasGeometry && geometryName === undefined) {
    const [table, column] = [excerpt(layer.name), excerpt(layer.geometry)];
    throw new PayloadError(`the geometry of "${table}" is said to be the column "${column}", which is not there`);
  }
  const declared = (type: RegExp) =>
    new Set(columns.filter((column) => type.test(String(column.type))).map(({ name }) => String(name)));
  const booleans = declared(/^BOOL/i);
  // Numbers of 32 bits (table 1); SQLite has them in 64.
  const floats = declared(/^FLOAT$/i);
  const shown = names.filter((name) => name !== geometryName && (name !== key || isKeyShown));
  // By number: a row is a plain object, which takes no member `__proto__`.
  const places = new Map(names.map((name, index) => [name, index]));
  const selected = names.map((name, index) => `${quoteName(name)} AS "${index}"`);
  const cellOf = (row: QueryResult, name: string) => row[places.get(name) ?? ''];
  const statement = database.prepare(`SELECT ${selected.join(', ')} FROM ${quoteName(layer.name)}`);
  try {
    let several: ReadFeature[] = [];
    let number = 0;
    for (const row of statement.iterate() as Iterable<QueryResult>) {
      number++;
      const properties: Record<string, unknown> = Object.create(null);
      let bytes = 0;
      for (const name of shown) {
        const plain = plainValue(cellOf(row, name), booleans.has(name));
        const isShort = typeof plain === 'number' && floats.has(name) && Math.fround(plain) === plain;
        const value = isShort ? shortNumberOfFloat32(plain) : plain;
        properties[name] = value;
        bytes += typeof value === 'string' ? value.length : 8;
      }
      const blob = geometryName === undefined ? null : cellOf(row, geometryName);
      const geometry = blob instanceof Uint8Array ? readGeometryOf(number, () => geometryOfBlob(blob), 'row') : null;
      bytes += blob instanceof Uint8Array ? blob.length : 0;
      several.push({ geometry, properties, bytes, ...(key !== undefined && { id: idOf(cellOf(row, key)) }) });
      if (several.length < chunkSize) continue;
      yield several;
      several = [];
    }
    if (several.length) yield several;
  } finally {
    statement.finalize();
  }
}

const idOf = (value: unknown): string | number => (typeof value === 'number' ? value : String(value));

function plainValue(value: unknown, isBoolean: boolean): unknown {
  if (value === null || value === undefined) return null;
  if (isBoolean && (value === 0 || value === 1)) return value === 1;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Bytes of the envelope in the head of a blob, by its flags (section 2.1.3). */
const envelopeBytes = [0, 32, 48, 48, 64];

/** The geometry of a blob; null if it is an empty one without WKB, or of a kind that isn't read. @throws InvalidGeometryError */
function geometryOfBlob(blob: Uint8Array): Geometry | null {
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  const flags = bytes[3] ?? 0;
  const envelope = envelopeBytes[(flags >> 1) & 7];
  if (bytes.toString('latin1', 0, 2) !== 'GP' || envelope === undefined || (flags & 32) !== 0)
    throw new InvalidGeometryError('its geometry is no GeoPackage geometry');
  const wkb = bytes.subarray(8 + envelope);
  if ((flags & 16) === 0) return readWkb(wkb);
  try {
    return readWkb(wkb);
  } catch {
    return null;
  }
}
