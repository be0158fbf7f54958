/**
 * The geometry columns of Parquet: those that the metadata of GeoParquet name (1.1.0, "Encoding": WKB, or a native encoding,
 * which is that of GeoArrow), and those of Parquet's own types GEOMETRY and GEOGRAPHY, which are WKB.
 */
import type { FileMetaData } from 'hyparquet';
import { excerpt } from '../../../catalogue/errors.ts';
import { coordinateDepth, type SimpleGeometry } from '../../geometry/geometry.ts';
import type { PayloadInfo } from '../types.ts';
import { type NativeColumn, nativeColumnOf } from './native-geometries.ts';
import { isWkb, type SchemaTree } from './values.ts';

/** Geometry columns of a file. */
export interface GeometryColumns {
  /** Index of the column that is the geometry of the rows; -1 for rows without a geometry. */
  readonly primary: number;
  /** Columns in native encodings, by their index. */
  readonly native: ReadonlyMap<number, NativeColumn>;
}

/** Types of geometries by their native encoding. */
const nativeTypes: ReadonlyMap<string | undefined, SimpleGeometry['type']> = new Map(
  (Object.keys(coordinateDepth) as SimpleGeometry['type'][]).map((type) => [type.toLowerCase(), type]),
);

/**
 * Finds the geometry columns.
 * @param columns as in the file's own metadata
 * @param info its reference system, and the name and encoding of the column, are set; and a hint, if the geometries can't be read
 */
export function findGeometryColumns(
  metadata: FileMetaData,
  columns: readonly SchemaTree[],
  info: PayloadInfo,
): GeometryColumns {
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
  const geo = text === undefined ? undefined : (JSON.parse(text) as GeoParquetMetadata);
  const native = new Map<number, NativeColumn>();
  for (const [index, tree] of columns.entries()) {
    const type = nativeTypes.get(geo?.columns?.[tree.element.name]?.encoding);
    const column = type && nativeColumnOf(tree, type, coordinateDepth[type]);
    if (column) native.set(index, column);
  }
  const isGeometry = ({ element }: SchemaTree, index: number) => isWkb(element) || native.has(index);
  const named = columns.findIndex(({ element }) => element.name === geo?.primary_column);
  const namedTree = columns[named];
  const primary = namedTree && isGeometry(namedTree, named) ? named : columns.findIndex(isGeometry);
  if (namedTree && primary === -1) info.hint = unreadableHint(namedTree, geo);
  if (native.has(primary)) info.geometryEncoding = 'native';
  const element = columns[primary]?.element;
  if (element) info.geometryName = element.name;
  const declared = geo?.columns?.[element?.name ?? ''];
  const own = (element?.logical_type as { crs?: string } | undefined)?.crs;
  if (declared?.crs) info.crs = crsOfProjJson(declared.crs);
  else if (own && !declared) info.crs = crsOfLogicalType(own, metadata);
  return { primary, native };
}

function unreadableHint({ element }: SchemaTree, geo: GeoParquetMetadata | undefined): string {
  const encoding = excerpt(String(geo?.columns?.[element.name]?.encoding));
  return (
    `Column "${excerpt(element.name)}": its geometries are not encoded as GeoParquet has it (the metadata say "${encoding}"), ` +
    'so the rows have no geometry. Convert the file: ogr2ogr converted.geojson FILE'
  );
}

interface GeoParquetMetadata {
  readonly primary_column?: string;
  readonly columns?: Readonly<Record<string, { readonly encoding?: string; readonly crs?: ProjJson | null }>>;
}

/** PROJJSON, as far as it names the system. */
interface ProjJson {
  readonly id?: { readonly authority: string; readonly code: string | number };
  readonly name?: string;
  /** The horizontal and the vertical part of a compound system. */
  readonly components?: readonly ProjJson[];
  /** The system itself, of one that is bound to another by a transformation. */
  readonly source_crs?: ProjJson;
}

/** The code of a system, or of its horizontal part; else its name. */
function crsOfProjJson({ id, name, components, source_crs }: ProjJson): string {
  if (id) return `${id.authority}:${id.code}`;
  const part = source_crs ?? components?.[0];
  return part ? crsOfProjJson(part) : (name ?? 'unknown');
}

/** The reference system of Parquet's own type: `EPSG:25833`, `srid:25833`, PROJJSON or the key of metadata that have it. */
function crsOfLogicalType(text: string, metadata: FileMetaData): string {
  const key = /^projjson:(.*)$/.exec(text)?.[1];
  const found = key === undefined ? text : metadata.key_value_metadata?.find((entry) => entry.key === key)?.value;
  return found?.startsWith('{') ? crsOfProjJson(JSON.parse(found) as ProjJson) : (found ?? text);
}
