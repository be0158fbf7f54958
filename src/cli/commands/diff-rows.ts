/** `catalogue diff <version> [other]`: the differences between the rows of two versions. */
import { Readable } from 'node:stream';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { parseVersionRef } from '../../catalogue/parse-ref.ts';
import { readyVersionBefore } from '../../catalogue/ready-versions.ts';
import { datasetRefOf, formatRef, refOf, type VersionRef } from '../../catalogue/ref.ts';
import { serializeDifference } from '../../catalogue/represent.ts';
import { ParameterError } from '../../data/errors.ts';
import { splitList } from '../../data/query/parameter-values.ts';
import type { Call } from '../command.ts';
import { runInterruptible } from '../interruption.ts';
import { resolveVersionRef } from '../lookup.ts';
import { differenceLines } from '../output/difference-lines.ts';
import { linksOfCatalogue } from '../output/outcome.ts';

/** The rows that people see without --limit. */
export const firstRows = 50;

export interface RowsOptions {
  readonly key?: string | undefined;
  readonly limit?: number | undefined;
}

/** Compares a version with another, or with the one before it. @returns the exit code */
export async function showRowDifference(
  call: Call,
  name: string,
  other: string | undefined,
  { key: columns, limit }: RowsOptions,
): Promise<number> {
  const { context, show } = call;
  const first = parseVersionRef(name);
  const second =
    other === undefined ? undefined : parseVersionRef(other.startsWith('@') ? beside(first, other) : other);
  const key = columns === undefined ? undefined : keyFrom(columns);
  const catalogue = await call.open();
  const { ref: named } = await resolveVersionRef(call, catalogue, first);
  const to = second ? (await resolveVersionRef(call, catalogue, second)).ref : named;
  const from = second ? named : await before(catalogue, named);
  await runInterruptible(context, 'There may be more differences.', async (signal) => {
    const difference = await catalogue.difference(from, to, { key, signal });
    const most = limit ?? (show.forPeople && !show.asJson ? firstRows : Number.POSITIVE_INFINITY);
    if (show.asJson)
      await context.write(Readable.from(serializeDifference(difference, linksOfCatalogue(catalogue), 'json', most)));
    else await context.write(Readable.from(differenceLines(difference, show.forPeople, most)));
    showRest(call, difference.counts, most);
  });
  return 0;
}

/** `@latest` as a version of the same dataset. */
const beside = (version: VersionRef, at: string) => `${formatRef(datasetRefOf(version))}${at}`;

function keyFrom(text: string): readonly string[] {
  try {
    return splitList(text);
  } catch (error) {
    throw error instanceof ParameterError ? new ValidationError({ _key: [error.message] }) : error;
  }
}

/** The version before this one. @throws NotFoundError if it is the first */
async function before(catalogue: Catalogue, ref: VersionRef): Promise<VersionRef> {
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(ref));
  const version = readyVersionBefore(dataset, ref.slug);
  if (version) return refOf(version) as VersionRef;
  throw new NotFoundError(
    `There is no version before ${formatRef(ref)} to compare it with. Name another: catalogue diff ${formatRef(ref)} @…`,
  );
}

function showRest({ show }: Call, counts: { added: number; removed: number; changed: number }, most: number): void {
  const differing = counts.added + counts.removed + counts.changed;
  if (differing > most) show.message(`${most} of ${differing} different rows. All of them: --limit ${differing}`);
}
