/** The schemas of a table: each column has a field id that outlasts renames, and another one for each type that it has had. */
import type { FormerNames } from '../catalogue/column-names.ts';
import type { Steps } from '../catalogue/steps.ts';
import { namesInParquet, type TableField, type TableFieldType, tableFieldTypes } from '../catalogue/table-fields.ts';
import type { DataColumn } from '../catalogue/types.ts';

/** A column of the data of a version, with its least and greatest value if they are known. */
export interface ColumnFacts extends DataColumn {
  readonly min?: number | string;
  readonly max?: number | string;
}

export interface TableSchema {
  readonly id: number;
  readonly fields: readonly TableField[];
}

export interface TableSchemas {
  /** Different schemas in the order of the versions that had them first. */
  readonly schemas: readonly TableSchema[];
  /** The schema of each version. */
  readonly byVersion: readonly TableSchema[];
  readonly lastColumnId: number;
}

/** A column through the versions. */
interface Lineage {
  /** Its name in the newest version that has it so far. */
  name: string;
  readonly ids: Map<TableFieldType, number>;
}

/**
 * The schemas for the columns of versions. A column is the one of the same name in the versions before, or else the one that was
 * renamed to it. A type that changes gives it another field id: of the changes that occur here, version 2 of the table format
 * allows none (table spec, "Schema Evolution"). A type or a column that returns has its former id.
 * @param versions columns of each version, the oldest first
 */
export function* tableSchemas(versions: readonly (readonly ColumnFacts[])[], former: FormerNames): Steps<TableSchemas> {
  const lineages = new Map<string, Lineage>();
  const schemas = new Map<string, TableSchema>();
  const byVersion: TableSchema[] = [];
  let lastColumnId = 0;
  for (const columns of versions) {
    const names = namesInParquet(columns);
    followRenames(lineages, names, former);
    const fields = columns.map((column, i): TableField => {
      const name = names[i] as string;
      const type = fieldTypeOf(column);
      const lineage: Lineage = lineages.get(name) ?? { name, ids: new Map() };
      lineages.set(name, lineage);
      const id = lineage.ids.get(type) ?? ++lastColumnId;
      lineage.ids.set(type, id);
      return { id, name, type };
    });
    const key = JSON.stringify(fields);
    const schema = schemas.get(key) ?? { id: schemas.size, fields };
    schemas.set(key, schema);
    byVersion.push(schema);
    yield;
  }
  return { schemas: [...schemas.values()], byVersion, lastColumnId };
}

/** Gives columns that were renamed since the version before their new names; one that two columns may have been stays. */
function followRenames(lineages: Map<string, Lineage>, names: readonly string[], former: FormerNames): void {
  const added = names.filter((name) => !lineages.has(name));
  if (added.length === 0) return;
  const present = new Set(names);
  const later = (name: string) => [name, ...(Object.hasOwn(former, name) ? (former[name] ?? []) : [])];
  const gone = new Map<string, Lineage[]>();
  for (const lineage of lineages.values())
    if (!present.has(lineage.name))
      for (const name of later(lineage.name)) gone.set(name, [...(gone.get(name) ?? []), lineage]);
  const pairs = added.flatMap((to) =>
    [...new Set(later(to).flatMap((name) => gone.get(name) ?? []))].map((lineage) => ({ to, lineage })),
  );
  const counts = new Map<string | Lineage, number>();
  for (const part of pairs.flatMap(({ to, lineage }) => [to, lineage])) counts.set(part, (counts.get(part) ?? 0) + 1);
  for (const { to, lineage } of pairs) {
    if (counts.get(to) !== 1 || counts.get(lineage) !== 1) continue;
    lineages.delete(lineage.name);
    lineage.name = to;
    lineages.set(to, lineage);
  }
}

const offsetPattern = /([Zz]|[+-]\d\d:?\d\d)$/;

/** The type of a column. Datetimes have no zone only if neither the first nor the last one names an offset. */
function fieldTypeOf({ type, min, max }: ColumnFacts): TableFieldType {
  const isLocal = [min, max].every((value) => typeof value === 'string' && !offsetPattern.test(value));
  return type === 'datetime' && isLocal ? 'timestamp' : tableFieldTypes[type];
}
