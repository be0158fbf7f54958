/** `catalogue column`: what the values of a dataset mean. */
import { Option } from 'commander';
import { closest } from '../../catalogue/closest.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { fields } from '../../catalogue/fields.ts';
import { formatRef, parseDatasetRef } from '../../catalogue/ref.ts';
import { representDataset } from '../../catalogue/represent.ts';
import type { Column, Dataset } from '../../catalogue/types.ts';
import type { Verb } from '../command.ts';
import { linksOf, mustChange } from '../input.ts';
import { find, reach } from '../naming.ts';
import { dryRun } from '../options.ts';
import { tell } from '../output/outcome.ts';
import { rehearsal } from '../rehearsal.ts';

const list: Verb = {
  usage: 'list <dataset>',
  description: 'List the columns of a dataset.',
  examples: ['catalogue column list parks/trees', 'catalogue column list parks/trees --json'],
  async run(call, [name = '']) {
    const { show } = call;
    const catalogue = await call.open();
    const dataset = await find(catalogue, parseDatasetRef(name), show);
    const { columns } = dataset;
    if (show.asJson) show.json(representDataset(dataset, linksOf(catalogue)).columns);
    else if (show.forPeople && columns.length === 0) show.message('No columns. The first version brings them.');
    else show.table(['NAME', 'TYPE', 'LABEL', 'UNIT', 'DESCRIPTION'], columns.map(row));
    return 0;
  },
};

const row = ({ name, type, label, unit, description }: Column) => [name, type, label, unit, description];

/** What people write of a column; its name and type are the data's. */
const words = ['label', 'description', 'unit'] as const;

interface EditOptions extends Partial<Record<(typeof words)[number], string>> {
  readonly dryRun?: boolean;
}

const edit: Verb<EditOptions> = {
  usage: 'edit <dataset> <column>',
  description: 'Say what a column means; what is not given stays.',
  notes: 'The words stay when a new version arrives.',
  examples: [
    'catalogue column edit parks/trees height --unit m --description "From the ground to the top"',
    'catalogue column edit parks/trees geometry --label Position --dry-run',
  ],
  options: () => [...words.map((word) => new Option(`--${word} <text>`, fields.column[word].description)), dryRun()],
  async run(call, [name = '', column = ''], { dryRun: isRehearsal, ...given }) {
    const ref = parseDatasetRef(name);
    mustChange(given);
    const catalogue = await call.open();
    const dataset = await reach(catalogue, ref, () => catalogue.get<'dataset'>(ref));
    mustHave(dataset, column);
    const writes = isRehearsal ? rehearsal(catalogue) : catalogue;
    const changed = await writes.edit<'dataset'>(ref, { columns: [{ name: column, ...given }] });
    const object = changed.columns.find((one) => one.name === column);
    tell(call, { done: ['Changed', 'change'], ref, part: `column ${column} of`, object, dryRun: isRehearsal });
    return 0;
  },
};

/** @throws NotFoundError that says which column was probably meant */
function mustHave(dataset: Dataset, name: string): void {
  const names = dataset.columns.map((column) => column.name);
  if (names.includes(name)) return;
  const meant = closest(name, names);
  const hint = meant === undefined ? `See: catalogue column list ${formatRef(dataset)}` : `Did you mean ${meant}?`;
  throw new NotFoundError(`${formatRef(dataset)} has no column ${name}. ${hint}`);
}

export const verbs: readonly Verb[] = [list, edit];
