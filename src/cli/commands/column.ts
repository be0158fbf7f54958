/** `catalogue column`: the columns of a dataset, and what their values mean. */
import { isDeepStrictEqual } from 'node:util';
import { Option } from 'commander';
import { closestWord } from '../../catalogue/closest.ts';
import { columnInVersions } from '../../catalogue/column-in-versions.ts';
import type { ColumnProfile } from '../../catalogue/column-statistics.ts';
import { type ColumnText, columnTexts } from '../../catalogue/columns.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { fields } from '../../catalogue/fields.ts';
import { parseDatasetRef } from '../../catalogue/parse-ref.ts';
import { latestReadyVersion } from '../../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../../catalogue/ref.ts';
import { representDataset } from '../../catalogue/represent.ts';
import type { Column, Dataset } from '../../catalogue/types.ts';
import type { Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { findEntityOrRenamed, runWithNameSuggestions } from '../lookup.ts';
import { dryRunOption } from '../options.ts';
import { linksOfCatalogue, showOutcome } from '../output/outcome.ts';
import { assertInputNotEmpty, editEntityFields } from '../writes.ts';

const list: Verb = {
  usage: 'list <dataset>',
  description: 'List the columns of a dataset.',
  examples: ['catalogue column list parks/trees', 'catalogue column list parks/trees --json'],
  async run(call, [name = '']) {
    const { show } = call;
    const catalogue = await call.open();
    const dataset = await findEntityOrRenamed(call, catalogue, parseDatasetRef(name));
    const { columns } = dataset;
    if (show.asJson) show.json(representDataset(dataset, linksOfCatalogue(catalogue)).columns);
    else if (show.forPeople && columns.length === 0) show.message('No columns. They come with the first version.');
    else show.table(['NAME', 'TYPE', 'LABEL', 'UNIT', 'DESCRIPTION'], columns.map(row));
    const missing = dataset.missing_columns.map((column) => column.name).join(', ');
    if (missing) show.message(`Described columns without data: ${missing}. They come back with the data.`);
    return 0;
  },
};

const row = ({ name, type, label, unit, description }: Column) => [name, type, label, unit, description];

const show: Verb = {
  usage: 'show <dataset> <column>',
  description: 'Show one column: its meaning, its values, its versions.',
  notes: 'The values are those of the newest version that is ready.',
  examples: ['catalogue column show parks/trees height', 'catalogue column show parks/trees height --json'],
  async run(call, [name = '', typed = '']) {
    const { show: output } = call;
    const catalogue = await call.open();
    const dataset = await findEntityOrRenamed(call, catalogue, parseDatasetRef(name));
    const column = columnNamed(dataset, typed);
    const described = [...dataset.columns, ...dataset.missing_columns].find((one) => one.name === column) as Column;
    const ready = latestReadyVersion(dataset);
    const measured = ready ? await catalogue.profile(refOf(ready)).catch(nullIfNotFound) : null;
    const profile = measured?.columns.find((one) => one.name === column) ?? null;
    const { namespace, slug } = dataset;
    const types = await catalogue.columnTypes?.({ kind: 'dataset', namespace, slug }, column);
    const versions = columnInVersions(dataset, column, types);
    if (output.asJson) {
      const { columns, missing_columns: missing } = representDataset(dataset, linksOfCatalogue(catalogue));
      const shown = [...(columns as Column[]), ...((missing ?? []) as Column[])].find((one) => one.name === column);
      const history = versions.map(({ version: { slug, datetime }, ...own }) => ({
        ...{ slug, datetime, name: own.name, type: own.type },
      }));
      output.json({ dataset: formatRef(dataset), ...shown, rows: measured?.rows ?? null, profile, versions: history });
      return 0;
    }
    const { type, label, description, unit } = described;
    output.fields([
      ...Object.entries({ name: column, type, label, unit, description }),
      ...(profile && measured ? profileFields(profile, measured.rows) : []),
    ]);
    if (profile?.top) {
      if (output.forPeople) output.heading('Most frequent values');
      const rows = profile.top.map(({ value, count }) => [String(value), String(count)]);
      output.table(['VALUE', 'ROWS'], rows, { numbers: ['ROWS'] });
    }
    if (output.forPeople && versions.length) {
      output.heading(`Versions (${versions.length})`);
      const rows = versions.map(({ version, ...own }) => [version.slug, own.name ?? '', own.type ?? '']);
      output.table(['VERSION', 'NAME', 'TYPE'], rows);
    }
    return 0;
  },
};

function nullIfNotFound(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}

/** Figures of a column's values, as far as they are known. */
function profileFields(profile: ColumnProfile, rows: number): readonly (readonly [string, string])[] {
  const { nulls, distinct, min, max, mean, median } = profile;
  const known = { rows, missing: nulls, distinct: distinct ?? undefined, min, max, mean, median };
  return Object.entries(known).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'number' ? String(value) : value] as const],
  );
}

interface EditOptions extends Partial<Record<ColumnText, string>> {
  readonly dryRun?: boolean;
}

const edit: Verb<EditOptions> = {
  usage: 'edit <dataset> <column>',
  description: 'Describe a column. Only the fields that are given change.',
  notes:
    'The description stays when a new version is added, even one without the column. The type is that of the data: ' +
    'dataset edit --type has the one as which the next version is read.',
  examples: [
    'catalogue column edit parks/trees height --unit m --description "From the ground to the top"',
    'catalogue column edit parks/trees geometry --label Position --dry-run',
  ],
  options: () => [
    ...columnTexts.map((name) => new Option(`--${name} <text>`, fields.column[name].description)),
    dryRunOption(),
  ],
  async run(call, [name = '', typed = ''], { dryRun: isDryRun, ...given }) {
    const ref = parseDatasetRef(name);
    assertInputNotEmpty(given);
    const catalogue = await call.open();
    const dataset = await runWithNameSuggestions(call, catalogue, ref, () => catalogue.get<'dataset'>(ref));
    const column = columnNamed(dataset, typed);
    const changed = await editEntityFields(
      call,
      catalogue,
      ref,
      { columns: [{ name: column, ...given }] },
      { dryRun: isDryRun },
    );
    const object = [...changed.columns, ...changed.missing_columns].find((one) => one.name === column);
    const isUnchanged = isDeepStrictEqual(changed, dataset);
    const part = `column ${column} of`;
    showOutcome(call, { done: ['Changed', 'change'], ref, part, isUnchanged, object, dryRun: isDryRun });
    return 0;
  },
};

const rename: Verb<{ readonly dryRun?: boolean }> = {
  usage: 'rename <dataset> <column> <name>',
  description: 'Give the description of a column to a column of another name.',
  notes:
    'For a column that the data name otherwise than before, such as Height and height. The data are not changed. The name ' +
    'before is kept in the record (former_names), so that data with either name have the description.',
  examples: ['catalogue column rename parks/trees height tree_height'],
  options: () => [dryRunOption()],
  async run(call, [name = '', typed = '', to = ''], { dryRun: isDryRun }) {
    const ref = parseDatasetRef(name);
    if (typed === to)
      throw new UsageError('Give two different names: catalogue column rename <dataset> <column> <name>');
    const catalogue = await call.open();
    const dataset = await runWithNameSuggestions(call, catalogue, ref, () => catalogue.get<'dataset'>(ref));
    const from = columnNamed(dataset, typed);
    const input = { columns: [{ name: to, former_names: [from] }] };
    const changed = await editEntityFields(call, catalogue, ref, input, { dryRun: isDryRun });
    const object = [...changed.columns, ...changed.missing_columns].find((one) => one.name === to || one.name === from);
    const part = `column ${from} to ${to} of`;
    showOutcome(call, { done: ['Renamed', 'rename'], ref, part, object, dryRun: isDryRun });
    if (changed.columns.some((one) => one.name === from))
      call.show.message(`The newest version still has the column ${from}: it is shown so until a version has ${to}.`);
    return 0;
  },
};

/**
 * The name of a column as the dataset has it. A file may have decomposed letters, which no keyboard types: the one that
 * looks the same is meant (canonical equivalence, UAX 15).
 * @throws NotFoundError with a suggestion
 */
function columnNamed(dataset: Dataset, name: string): string {
  const names = [...dataset.columns, ...dataset.missing_columns].map((column) => column.name);
  const found = names.includes(name) ? name : names.find((one) => one.normalize() === name.normalize());
  if (found !== undefined) return found;
  const meant = closestWord(name, names);
  const hint = meant === undefined ? `See: catalogue column list ${formatRef(dataset)}` : `Did you mean ${meant}?`;
  throw new NotFoundError(`${formatRef(dataset)} has no column ${name}. ${hint}`);
}

export const verbs: readonly Verb[] = [list, show, edit, rename];
