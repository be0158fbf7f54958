/** One dataset in full: its fields, its columns, its versions. */

import { numberText } from '../../catalogue/number-text.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { Call } from '../command.ts';
import { entityFieldLines } from '../noun-verbs.ts';
import { metadataForDisplay } from '../output/metadata.ts';
import { ageText, bytesText, countText } from '../output/quantities.ts';
import type { Output } from '../output/show.ts';
import { typedCommand } from '../typed-command.ts';

/** The number of newest versions that people get. */
const mostVersions = 10;
/** The number of columns that people get. */
const mostColumns = 100;

/** Shows one dataset. Behind a pipe, each line begins with the kind of its content. */
export function showDataset(call: Call, dataset: Dataset): void {
  const { show } = call;
  show.fields([...entityFieldLines('dataset', dataset), ...(show.forPeople ? dataOf(dataset) : [])]);
  if (show.forPeople) showParts(call, dataset);
  else listParts(show, dataset);
}

/** Facts about the newest data that are ready. */
function dataOf({ versions }: Dataset): readonly (readonly [string, string])[] {
  const newest = versions.find(({ ready }) => ready);
  if (!newest) return [['data', versions.length ? 'No version is ready.' : 'No version yet.']];
  return [
    ['rows', newest.rows === null ? '' : numberText(newest.rows)],
    ['size', newest.size === null ? '' : bytesText(newest.size)],
    ['updated', ageText(newest.datetime)],
    ['metadata', metadataForDisplay(newest.metadata, true, false)],
  ];
}

function showParts(call: Call, dataset: Dataset): void {
  const { show } = call;
  const { columns, missing_columns: missing, versions } = dataset;
  if (columns.length) {
    show.heading(`Columns (${columns.length})`);
    showFilled(
      show,
      ['NAME', 'TYPE', 'UNIT', 'LABEL', 'DESCRIPTION'],
      columns
        .slice(0, mostColumns)
        .map(({ name, type, unit, label, description }) => [name, type, unit, label, description]),
    );
    showMore(call, dataset, 'column', columns.length - mostColumns);
  }
  if (missing.length) {
    show.heading(`Columns without data (${missing.length})`);
    showFilled(
      show,
      ['NAME', 'TYPE', 'UNIT', 'LABEL', 'DESCRIPTION', 'SINCE'],
      missing
        .slice(0, mostColumns)
        .map(({ name, type, unit, label, description, missing_since }) => [
          ...[name, type, unit, label, description, missing_since],
        ]),
    );
    showMore(call, dataset, 'column', missing.length - mostColumns);
  }
  if (versions.length) {
    show.heading(`Versions (${versions.length})`);
    showFilled(
      show,
      ['VERSION', 'AGE', 'READY', 'FORMAT', 'ROWS', 'SIZE', 'NOTES'],
      versions
        .slice(0, mostVersions)
        .map(({ slug, datetime, ready, format, rows, size, notes }) => [
          slug,
          ageText(datetime),
          ready ? 'yes' : 'no',
          format,
          rows === null ? '' : numberText(rows),
          size === null ? '' : bytesText(size),
          notes,
        ]),
    );
  }
  showMore(call, dataset, 'version', versions.length - mostVersions);
}

/** Says how many columns or versions weren't shown, and what lists all of them. */
function showMore(call: Call, dataset: Dataset, noun: 'column' | 'version', more: number): void {
  if (more > 0)
    call.show.message(
      `${countText(more, `more ${noun}`)}. All of them: ${typedCommand(call, `${noun} list`, [formatRef(dataset)])}`,
    );
}

/** A table without its empty columns. */
function showFilled(show: Output, headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const filled = [...headings.keys()].filter((i) => rows.some((row) => row[i] !== ''));
  const only = (row: readonly string[]) => filled.map((i) => row[i] ?? '');
  show.table(only(headings), rows.map(only), { numbers: ['ROWS', 'SIZE'], whole: true });
}

function listParts(show: Output, { columns, missing_columns: missing, versions }: Dataset): void {
  show.table(
    [],
    columns.map(({ name, type, label, unit, description }) => ['column', name, type, label, unit, description]),
  );
  show.table(
    [],
    missing.map(({ name, type, label, unit, description, missing_since }) => [
      ...['missing column', name, type, label, unit, description, missing_since],
    ]),
  );
  show.table(
    [],
    versions.map(({ slug, datetime, ready, format, rows, size }) => [
      'version',
      slug,
      datetime,
      ready ? 'yes' : 'no',
      format,
      String(rows ?? ''),
      String(size ?? ''),
    ]),
  );
}
