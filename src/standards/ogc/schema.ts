/** Schemas of features (OGC API - Features, Part 5): of what is returned, and of what filters and orders take. */
import { featureParameters, findTimeColumns } from '../../catalogue/feature-parameters.ts';
import type { Column, ColumnType } from '../../catalogue/types.ts';
import type { OgcCollection } from './collection.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Types in JSON Schema, by column type; the geometry has none. */
const types: Readonly<Record<Exclude<ColumnType, 'geometry'>, JsonSchema>> = {
  integer: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'double' },
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  time: { type: 'string', format: 'time' },
  object: { type: 'object' },
  array: { type: 'array' },
};

/** The type of a column, as schemas and parameters have it. */
export const typeSchema = (column: Column, geometryFormat: string | undefined): JsonSchema =>
  column.type === 'geometry' ? { format: geometryFormat ?? 'geometry-any' } : types[column.type];

/** True if filters take the values of a column. */
function isQueryable({ type }: Column): boolean {
  return type !== 'object' && type !== 'array';
}

/** True if a parameter of features has the name of a column. */
const isNameOfParameter = ({ name }: Column): boolean => (featureParameters as readonly string[]).includes(name);

/** Columns that parameters of their own filter: their values are simple, and no other parameter has the name. */
export const columnsWithParameter = (columns: readonly Column[]): readonly Column[] =>
  columns.filter((column) => isQueryable(column) && column.type !== 'geometry' && !isNameOfParameter(column));

/** The kinds of schema of a collection, by the last part of their address. */
export const schemaKinds = {
  schema: { title: '', isIncluded: () => true },
  // A program may send any of them as a parameter (19-079r2, queryables-query-parameters): GDAL would set the limit by a column `limit`.
  queryables: {
    title: 'Columns for filters: ',
    isIncluded: (column) => isQueryable(column) && !isNameOfParameter(column),
  },
  sortables: {
    title: 'Columns for the order: ',
    isIncluded: ({ type }) => type !== 'object' && type !== 'array' && type !== 'geometry',
  },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly isIncluded: (column: Column) => boolean }>
>;

export type SchemaKind = keyof typeof schemaKinds;

/**
 * A schema of a collection; only that of the features has their id.
 * @param idType type of the ids
 */
export function collectionSchema(collection: OgcCollection, kind: SchemaKind, idType: 'string' | 'integer') {
  const { url, facts, columns, geometryFormat } = collection;
  const { title, isIncluded } = schemaKinds[kind];
  const roles = rolesOf(columns);
  const id = unusedName(columns);
  const properties = columns.filter(isIncluded).map((column, i): [string, JsonSchema] => [
    column.name,
    {
      title: column.label || column.name,
      ...describe(column),
      ...typeSchema(column, geometryFormat),
      ...(roles.has(column.name) && { 'x-ogc-role': roles.get(column.name) }),
      'x-ogc-propertySeq': i + 1,
    },
  ]);
  const idSchema: JsonSchema = { title: 'Id of the feature', type: idType, readOnly: true, 'x-ogc-role': 'id' };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${url}/${kind}`,
    title: `${title}${facts.title}`,
    description: facts.description,
    type: 'object',
    properties: Object.fromEntries([...(kind === 'schema' ? [[id, idSchema] as const] : []), ...properties]),
    additionalProperties: false,
  };
}

function describe({ description, unit }: Column) {
  const text = [description.trim(), unit && `Unit: ${unit}`].filter(Boolean).join(' ');
  return text && { description: text };
}

function rolesOf(columns: readonly Column[]): ReadonlyMap<string, string> {
  const roles = new Map<string, string>();
  const geometry = columns.find(({ type }) => type === 'geometry');
  if (geometry) roles.set(geometry.name, 'primary-geometry');
  const time = findTimeColumns(columns);
  if (time && 'instant' in time) roles.set(time.instant.name, 'primary-instant');
  else if (time) roles.set(time.start.name, 'primary-interval-start').set(time.end.name, 'primary-interval-end');
  return roles;
}

/** Name of the id among the properties: one that no column has. */
function unusedName(columns: readonly Column[]): string {
  const names = new Set(columns.map(({ name }) => name));
  let name = 'id';
  for (let number = 1; names.has(name); number++) name = `id_${number}`;
  return name;
}
