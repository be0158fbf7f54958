/** A dataset as a table of Apache Iceberg: a snapshot for each version whose rows can be read. */
import { createHash } from 'node:crypto';
import { deriveIdFromAddress } from '../catalogue/ids.ts';
import type { Steps } from '../catalogue/steps.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { type ColumnFacts, type TableSchema, tableSchemas } from './schema.ts';

/** A version of a table, with the columns of its rows. */
export interface TableVersion {
  readonly version: Version;
  readonly columns: readonly ColumnFacts[];
}

export interface TableSnapshot {
  readonly version: Version;
  /** The id of the version. */
  readonly id: number;
  /** From 1. */
  readonly sequence: number;
  /** Milliseconds since 1970: the time of the version, and later than that of the snapshot before. */
  readonly timestamp: number;
  readonly schema: TableSchema;
  /** Names of its files; another one for each content. */
  readonly files: { readonly data: string; readonly manifest: string; readonly manifestList: string };
}

export interface Table {
  readonly dataset: Dataset;
  /** Derived from the id of the dataset. */
  readonly uuid: string;
  readonly schemas: readonly TableSchema[];
  readonly lastColumnId: number;
  /** The oldest first; at least one. */
  readonly snapshots: readonly TableSnapshot[];
}

/** Incremented when files of other bytes are written, so that no reader takes them for the earlier ones. */
const fileVersion = 1;

const digest = (...facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex');

/**
 * The table of a dataset.
 * @param versions the newest first
 * @returns undefined if there are no versions
 */
export function* tableOfDataset(dataset: Dataset, versions: readonly TableVersion[]): Steps<Table | undefined> {
  const inOrder = versions.filter(({ columns }) => columns.length > 0).reverse();
  if (inOrder.length === 0) return undefined;
  const columns = inOrder.map((one) => one.columns);
  const { schemas, byVersion, lastColumnId } = yield* tableSchemas(columns, dataset.former_names);
  const ids = new Set<number>();
  let timestamp = Number.NEGATIVE_INFINITY;
  const snapshots: TableSnapshot[] = [];
  for (const [i, { version }] of inOrder.entries()) {
    const schema = byVersion[i] as TableSchema;
    const sequence = i + 1;
    const id = unusedId(version, ids);
    timestamp = Math.max(Date.parse(version.datetime), timestamp + 1);
    const { checksum, reading, slug } = version;
    const content = digest(fileVersion, checksum, reading, schema.fields).slice(0, 16);
    const manifest = digest(content, id, sequence, schema.id, slug).slice(0, 16);
    const files = {
      data: `${slug}-${content}.parquet`,
      manifest: `${slug}-${manifest}-m0.avro`,
      manifestList: `snap-${id}-${manifest}.avro`,
    };
    snapshots.push({ version, id, sequence, timestamp, schema, files });
    yield;
  }
  return { dataset, uuid: uuidOf(dataset), schemas, lastColumnId, snapshots };
}

/** The id of a version; a derived one if another version of the table has it, which `check` reports. */
function unusedId({ id, slug }: Version, used: Set<number>): number {
  let unused = id;
  while (used.has(unused)) unused = deriveIdFromAddress('snapshot', `${unused} ${slug}`);
  used.add(unused);
  return unused;
}

/** A UUID of version 8 (RFC 9562, section 5.8). */
function uuidOf({ id }: Dataset): string {
  const hex = digest('dataset', id);
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}

export const currentSnapshot = ({ snapshots }: Table): TableSnapshot => snapshots.at(-1) as TableSnapshot;

/** A table without some of its snapshots; undefined if none is left. */
export function tableWithoutSnapshots(table: Table, left: ReadonlySet<TableSnapshot>): Table | undefined {
  const snapshots = table.snapshots.filter((snapshot) => !left.has(snapshot));
  return snapshots.length ? { ...table, snapshots } : undefined;
}
