/**
 * Rules for one record or one dataset by itself: keys and values of a record; columns and payloads of a dataset. They need no
 * other records, so `catalogue check` checks them where a unit is read.
 */

import {
  areColumnsUnchanged,
  columnMismatchMessage,
  columnsInRecordAfterData,
  compareRecordColumnsWithData,
  versionWithColumns,
} from './columns.ts';
import { excerpt } from './errors.ts';
import { kindAndRefOfPath, payloadFolder } from './layout.ts';
import { findDoubtfulFieldValues } from './meaning.ts';
import {
  entityRecordPath,
  makeDiagnostic,
  type RecordDiagnostic,
  type RecordSet,
  type RecordValue,
} from './record-set.ts';
import type { RecordKind } from './schemas.ts';
import type { Dataset } from './types.ts';
import { findMisspelledKeys } from './validators.ts';

/** Faults that a record has by itself, whatever the others say. */
export function findFaultsInContents(kind: RecordKind, path: string, record: RecordValue): readonly RecordDiagnostic[] {
  const warning = { severity: 'warning' } as const;
  const slug = kindAndRefOfPath(path).ref?.slug;
  return [
    ...findDoubtfulFieldValues(kind, { slug, username: slug }).map(({ message }) =>
      makeDiagnostic(path, { code: 'name', message, ...warning }),
    ),
    ...findMisspelledKeys(kind, record).map((found) =>
      makeDiagnostic(path, { code: 'unknown-key', ...found, ...warning }),
    ),
    ...findDoubtfulFieldValues(kind, record).map(({ sameAs, ...found }) => {
      const fix = sameAs !== undefined && { fix: () => ({ [found.pointer.slice(1)]: sameAs }) };
      return makeDiagnostic(path, { code: 'value', ...found, ...warning, ...fix });
    }),
  ];
}

/** What the rules look at for one dataset. */
type DatasetRecords = Pick<RecordSet, 'record' | 'names' | 'pathsOfEntities'>;

/** Faults of a dataset and its versions that follow from their own records and the names of their files. */
export function findFaultsOfDataset(next: DatasetRecords, dataset: Dataset): readonly RecordDiagnostic[] {
  const path = entityRecordPath(next, dataset);
  const record = next.record(path);
  return [
    ...checkColumnNames(path, record?.columns ?? dataset.columns),
    ...checkColumnsOfNewest(path, record, dataset),
    ...checkPayloads(next, dataset),
  ];
}

/** Columns of a dataset's record must have different names. In a record that doesn't fit its schema, they may be anything. */
function checkColumnNames(path: string, columns: unknown): readonly RecordDiagnostic[] {
  const names: readonly unknown[] = Array.isArray(columns) ? columns.map((column) => column?.name) : [];
  if (new Set(names).size === names.length) return [];
  const earlier = new Set<unknown>();
  return names.flatMap((name, i) => {
    const isFirst = name === undefined || !earlier.has(name);
    earlier.add(name);
    const message = `There are two columns named "${excerpt(name)}".`;
    return isFirst ? [] : [makeDiagnostic(path, { code: 'column', pointer: `/columns/${i}/name`, message })];
  });
}

/**
 * The columns of a dataset's record must be those of its newest version, as far as the record of that version tells them.
 * Those are shown in any case; but the record then lacks columns to describe, or describes some that have no data.
 */
function checkColumnsOfNewest(
  path: string,
  record: RecordValue | undefined,
  { versions }: Dataset,
): readonly RecordDiagnostic[] {
  const newest = versionWithColumns(versions);
  if (!newest?.columns || !record) return [];
  const { columns: found, slug } = newest;
  const changes = compareRecordColumnsWithData(record.columns, found);
  if (areColumnsUnchanged(changes)) return [];
  const pointer = record.columns === undefined ? '' : '/columns';
  const fix = ({ columns }: RecordValue) => ({ columns: columnsInRecordAfterData(columns, found, slug) });
  const message = columnMismatchMessage(changes, slug);
  return [makeDiagnostic(path, { code: 'column', pointer, message, severity: 'warning', fix })];
}

/** Every payload must be named by a version, and every version with a payload must have a checksum. */
function checkPayloads(next: DatasetRecords, { namespace, slug, versions }: Dataset): readonly RecordDiagnostic[] {
  const home = payloadFolder(namespace, slug);
  const warning = { code: 'payload', severity: 'warning' } as const;
  const named = new Set(versions.map(({ file }) => file));
  const unnamed = next.names(home).filter((name) => !name.startsWith('.') && !named.has(name));
  const unverifiable = versions.filter(({ file, href, checksum }) => (file || href) && !checksum);
  return [
    ...unnamed.map((name) =>
      makeDiagnostic(`${home}/${name}`, { ...warning, message: 'No version names this payload.' }),
    ),
    ...unverifiable.map((version) =>
      makeDiagnostic(entityRecordPath(next, version), {
        ...warning,
        message: "There is no checksum, so the payload can't be verified.",
      }),
    ),
  ];
}
