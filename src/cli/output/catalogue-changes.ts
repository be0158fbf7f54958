/** Changes of a catalogue between two commits, as text that lines and Markdown share. */
import {
  type ColumnChange,
  compareMetadata,
  type EntityChange,
  type FieldChange,
  type RowsChange,
  type VersionChange,
} from '../../catalogue/changes.ts';
import { excerpt, maxShownValue } from '../../catalogue/errors.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import { bytesText, countText } from './quantities.ts';

/** Writes a value, or a part of one. */
export type Quote = (text: string) => string;

/** One line: `3 datasets added, 1 changed; 1 group removed`. */
export function changesSummary(things: readonly EntityChange[]): string {
  const parts: string[] = [];
  for (const kind of new Set(things.map((thing) => thing.kind))) {
    const counts = (['added', 'removed', 'changed'] as const).flatMap((change) => {
      const count = things.filter((thing) => thing.kind === kind && thing.change === change).length;
      return count ? [{ change, count }] : [];
    });
    const [first, ...rest] = counts;
    if (kind === 'settings') parts.push('settings changed');
    else if (first)
      parts.push(
        [
          `${first.count} ${first.count === 1 ? kind : plural[kind]} ${first.change}`,
          ...rest.map(({ change, count }) => `${count} ${change}`),
        ].join(', '),
      );
  }
  return parts.join('; ') || 'nothing changed';
}

export const plural: Readonly<Record<EntityChange['kind'], string>> = {
  settings: 'settings',
  namespace: 'namespaces',
  dataset: 'datasets',
  query: 'queries',
  group: 'groups',
  user: 'users',
};

/** The contents of a dataset that was added or removed: `5 columns, 1 version, 3 rows`. */
export function datasetContentsText({ kind, columns, versions }: EntityChange): string {
  if (kind !== 'dataset') return '';
  const rows = versions[0]?.rows ?? null;
  return [
    columns.length ? countText(columns.length, 'column') : '',
    versions.length ? countText(versions.length, 'version') : 'no version',
    rows === null ? '' : countText(rows, 'row'),
  ]
    .filter(Boolean)
    .join(', ');
}

/** The changes within a record, a line for each. */
export function changeDetails({ fields, columns, versions, rows }: EntityChange, quote: Quote): readonly string[] {
  return [
    ...fields.map((field) => fieldText(field, quote)),
    ...columns.flatMap((column) => columnLines(column, quote)),
    ...versions.flatMap((version) => versionLines(version, quote)),
    ...(rows ? [rowsText(rows, quote)] : []),
  ];
}

function fieldText({ field, from, to }: FieldChange, quote: Quote): string {
  if (field === 'metadata') return metadataText(String(from ?? ''), String(to ?? ''), quote);
  if (Array.isArray(from) && Array.isArray(to)) {
    const added = to.filter((item) => !from.includes(item)).map((item) => `+ ${quote(textOf(item))}`);
    const removed = from.filter((item) => !to.includes(item)).map((item) => `- ${quote(textOf(item))}`);
    if (added.length + removed.length) return `${field}: ${[...added, ...removed].join(', ')}`;
  }
  const value = (what: unknown) => (textOf(what) === '' ? '(none)' : quote(textOf(what)));
  return `${field}: ${value(from)} → ${value(to)}`;
}

/** The keys of metadata that differ; lists, such as that of the columns, only by name. */
function metadataText(from: string, to: string, quote: Quote): string {
  const changes = compareMetadata(from, to);
  if (!changes?.length) return 'metadata: changed';
  const isLong = (value: unknown) => typeof value === 'object' && value !== null;
  const value = (one: unknown) => (one === null ? '(none)' : quote(textOf(one)));
  const parts = changes.map((change) =>
    isLong(change.from) || isLong(change.to)
      ? `${quote(change.field)} changed`
      : `${quote(change.field)} ${value(change.from)} → ${value(change.to)}`,
  );
  return `metadata: ${parts.join(', ')}`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function columnLines({ change, name, was, type, fields }: ColumnChange, quote: Quote): readonly string[] {
  if (change !== 'changed') return [`column ${quote(name)} (${type}): ${change}`];
  const others = fields.map((field) => {
    if (field.field === 'type') return `column ${quote(name)}: retyped, ${field.from} → ${field.to}`;
    return `column ${quote(name)}, ${fieldText(field, quote)}`;
  });
  return was === null ? others : [`column ${quote(name)}: renamed from ${quote(was)}`, ...others];
}

function versionLines({ change, slug, rows, size, fields }: VersionChange, quote: Quote): readonly string[] {
  const name = `version ${quote(slug)}`;
  if (change === 'added' || change === 'removed') {
    const figures = [rows === null ? '' : countText(rows, 'row'), size === null ? '' : bytesText(size)].filter(Boolean);
    return [`${name}: ${change}${figures.length ? ` (${figures.join(', ')})` : ''}`];
  }
  const others = fields.filter(({ field }) => field !== 'ready');
  const ready = fields.find(({ field }) => field === 'ready');
  return [
    ...(ready ? [`${name}: ${ready.to ? 'served again' : 'withdrawn'}`] : []),
    ...others.map((field) => `${name}, ${fieldText(field, quote)}`),
  ];
}

function rowsText({ from, to, counts, key, reason }: RowsChange, quote: Quote): string {
  const versions = `${quote(from)} → ${quote(to)}`;
  if (!counts || !key) return `rows: not compared, ${reason} (${versions})`;
  const { added, removed, changed, unchanged } = counts;
  const known = key.kind === 'columns' ? `; known by ${key.columns.map(quote).join(', ')}` : '';
  return `rows: ${added} added, ${removed} removed, ${changed} changed, ${unchanged} unchanged (${versions}${known})`;
}

const marks = { added: '+', removed: '-', changed: '~' } as const;

/**
 * Changes for a terminal or a pipe: a line for each record, and below it one for each difference.
 * @param forPeople true to cut long values
 */
export function catalogueChangeLines(things: readonly EntityChange[], forPeople: boolean): readonly string[] {
  const quote = (text: string) => (forPeople ? excerpt(text, maxShownValue) : text);
  return things.flatMap((thing) => {
    const { kind, change, name, was, label } = thing;
    const title = [kind, name].filter(Boolean).join(' ') + (was === null ? '' : `, was ${was}`);
    if (change === 'changed')
      return [`~ ${title}`, ...changeDetails(thing, quote).map((line) => `    ${line}`)].map(escapeToOneLine);
    const content = datasetContentsText(thing);
    return [escapeToOneLine(`${marks[change]} ${title}${label && ` "${quote(label)}"`}${content && `: ${content}`}`)];
  });
}
