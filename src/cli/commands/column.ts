/** `catalogue column`: the columns of a dataset, and what their values mean. */
import { Option } from 'commander';
import { closestWord } from '../../catalogue/closest.ts';
import { type ColumnText, columnTexts } from '../../catalogue/columns.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { fields } from '../../catalogue/fields.ts';
import { parseDatasetRef } from '../../catalogue/parse-ref.ts';
import { formatRef } from '../../catalogue/ref.ts';
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
    const dataset = await findEntityOrRenamed(catalogue, parseDatasetRef(name), show);
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

interface EditOptions extends Partial<Record<ColumnText, string>> {
  readonly dryRun?: boolean;
}

const edit: Verb<EditOptions> = {
  usage: 'edit <dataset> <column>',
  description: 'Describe a column. Only the fields that are given change.',
  notes: 'The description stays when a new version is added, even one without the column.',
  examples: [
    'catalogue column edit parks/trees height --unit m --description "From the ground to the top"',
    'catalogue column edit parks/trees geometry --label Position --dry-run',
  ],
  options: () => [
    ...columnTexts.map((name) => new Option(`--${name} <text>`, fields.column[name].description)),
    dryRunOption(),
  ],
  async run(call, [name = '', column = ''], { dryRun: isDryRun, ...given }) {
    const ref = parseDatasetRef(name);
    assertInputNotEmpty(given);
    const catalogue = await call.open();
    const dataset = await runWithNameSuggestions(catalogue, ref, () => catalogue.get<'dataset'>(ref));
    assertHasColumn(dataset, column);
    const changed = await editEntityFields(
      catalogue,
      ref,
      { columns: [{ name: column, ...given }] },
      { dryRun: isDryRun },
    );
    const object = [...changed.columns, ...changed.missing_columns].find((one) => one.name === column);
    showOutcome(call, { done: ['Changed', 'change'], ref, part: `column ${column} of`, object, dryRun: isDryRun });
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
  async run(call, [name = '', from = '', to = ''], { dryRun: isDryRun }) {
    const ref = parseDatasetRef(name);
    if (from === to)
      throw new UsageError('Give two different names: catalogue column rename <dataset> <column> <name>');
    const catalogue = await call.open();
    const dataset = await runWithNameSuggestions(catalogue, ref, () => catalogue.get<'dataset'>(ref));
    assertHasColumn(dataset, from);
    const input = { columns: [{ name: to, former_names: [from] }] };
    const changed = await editEntityFields(catalogue, ref, input, { dryRun: isDryRun });
    const object = [...changed.columns, ...changed.missing_columns].find((one) => one.name === to || one.name === from);
    const part = `column ${from} to ${to} of`;
    showOutcome(call, { done: ['Renamed', 'rename'], ref, part, object, dryRun: isDryRun });
    if (changed.columns.some((one) => one.name === from))
      call.show.message(`The newest version still has the column ${from}: it is shown so until a version has ${to}.`);
    return 0;
  },
};

/** @throws NotFoundError with a suggestion */
function assertHasColumn(dataset: Dataset, name: string): void {
  const names = [...dataset.columns, ...dataset.missing_columns].map((column) => column.name);
  if (names.includes(name)) return;
  const meant = closestWord(name, names);
  const hint = meant === undefined ? `See: catalogue column list ${formatRef(dataset)}` : `Did you mean ${meant}?`;
  throw new NotFoundError(`${formatRef(dataset)} has no column ${name}. ${hint}`);
}

export const verbs: readonly Verb[] = [list, edit, rename];
