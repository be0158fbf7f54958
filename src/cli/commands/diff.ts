/** `catalogue diff`: how the rows of two versions differ. */
import { Readable } from 'node:stream';
import { Option } from 'commander';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { differenceText } from '../../catalogue/difference-text.ts';
import { NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { versionBefore } from '../../catalogue/lookup.ts';
import { datasetOf, formatRef, parseVersionRef, refOf, type VersionRef } from '../../catalogue/ref.ts';
import { splitList } from '../../data/literal.ts';
import { TextError } from '../../data/text-error.ts';
import type { Call, Verb } from '../command.ts';
import { differenceLines } from '../difference-lines.ts';
import { linksOf } from '../input.ts';
import { interruptible } from '../interruption.ts';
import { findVersion } from '../naming.ts';
import { wholeNumber } from '../options.ts';
import { pour } from '../save.ts';

/** Rows shown to people who said no number. */
const firstRows = 50;

export const command: Verb<{ key?: string; limit?: number }> = {
  usage: 'diff <version> [other]',
  description: 'Say how the rows of one version differ from those of another.',
  notes:
    'The counts come first: columns added, dropped and retyped; rows added, removed and changed. With one version, it ' +
    'is compared with the one before it; with a dataset alone, that is the newest. The other version may be written ' +
    '@<version>, where it is one of the same dataset.',
  examples: [
    'catalogue diff parks/trees',
    'catalogue diff parks/trees@20190101000000000000 @latest',
    'catalogue diff parks/trees --key name --json',
  ],
  options: () => [
    new Option('--key <columns>', 'Columns that tell rows apart, comma-separated; found where they are not given.'),
    new Option('--limit <number>', `Show at most so many rows. At a terminal: ${firstRows}.`).argParser(
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    ),
  ],
  async run(call, [name = '', other], { key: columns, limit }) {
    const { context, show } = call;
    const first = parseVersionRef(name);
    const second =
      other === undefined ? undefined : parseVersionRef(other.startsWith('@') ? beside(first, other) : other);
    const key = columns === undefined ? undefined : keyFrom(columns);
    const catalogue = await call.open();
    const { ref: named } = await findVersion(catalogue, first, show);
    const to = second ? (await findVersion(catalogue, second, show)).ref : named;
    const from = second ? named : await before(catalogue, named);
    await interruptible(context, 'There may be more differences.', async (signal) => {
      const difference = await catalogue.difference(from, to, { key, signal });
      const most = limit ?? (show.forPeople && !show.asJson ? firstRows : Number.POSITIVE_INFINITY);
      if (show.asJson) await pour(context, Readable.from(differenceText(difference, linksOf(catalogue), 'json', most)));
      else await context.write(Readable.from(differenceLines(difference, show.forPeople, most)));
      tellRest(call, difference.counts, most);
    });
    return 0;
  },
};

/** `@latest` of the dataset that is meant already. */
const beside = (version: VersionRef, at: string) => `${formatRef(datasetOf(version))}${at}`;

function keyFrom(text: string): readonly string[] {
  try {
    return splitList(text);
  } catch (error) {
    throw error instanceof TextError ? new ValidationError({ _key: [error.message] }) : error;
  }
}

/** @throws NotFoundError where there is none */
async function before(catalogue: Catalogue, ref: VersionRef): Promise<VersionRef> {
  const dataset = await catalogue.get<'dataset'>(datasetOf(ref));
  const version = versionBefore(dataset, ref.slug);
  if (version) return refOf(version) as VersionRef;
  throw new NotFoundError(
    `There is no version before ${formatRef(ref)} to compare it with. Name another: catalogue diff ${formatRef(ref)} @…`,
  );
}

function tellRest({ show }: Call, counts: { added: number; removed: number; changed: number }, most: number): void {
  const differing = counts.added + counts.removed + counts.changed;
  if (differing > most) show.message(`${most} of ${differing} rows that differ. All of them: --limit ${differing}`);
}
