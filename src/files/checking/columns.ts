/** Whether the columns that a dataset describes are those of the data that it shows. */
import { changesBetween, fitColumns, isUnchanged } from '../../catalogue/columns.ts';
import { find, latest } from '../../catalogue/lookup.ts';
import { datasetOf } from '../../catalogue/ref.ts';
import type { Version } from '../../catalogue/types.ts';
import { payloadFormats } from '../../data/formats.ts';
import { takeIn } from '../../data/intake.ts';
import { PayloadError } from '../../data/payload-error.ts';
import { formatOfRows } from '../rows.ts';
import { type Doubt, type Facts, pathOfRecord } from './rules.ts';

/**
 * Reads the payload of a version, where it is the one that its dataset shows, and compares.
 * @param payload its absolute path
 */
export async function misfits(facts: Facts, version: Version, payload: string): Promise<readonly Doubt[]> {
  const dataset = find<'dataset'>(facts.snapshot, datasetOf(version));
  if (latest(dataset)?.slug !== version.slug || !Object.hasOwn(payloadFormats, version.format)) return [];
  try {
    const hints = { fileName: payload, ...formatOfRows(version) };
    const { columns: found } = await takeIn(payload, hints);
    const changes = changesBetween(dataset.columns, found);
    if (isUnchanged(changes)) return [];
    const differences = [
      ...changes.added.map(({ name, type }) => `"${name}" (${type}) is missing`),
      ...changes.dropped.map(({ name }) => `"${name}" is not in the data`),
      ...changes.retyped.map(({ name, from, to }) => `"${name}" is ${to} and not ${from}`),
    ];
    return [
      {
        path: pathOfRecord(facts, dataset),
        pointer: dataset.columns.length ? '/columns' : '',
        message: `The columns don't fit the data of ${version.slug}, the newest ready version: ${differences.join(', ')}.`,
        mend: ({ columns }) => ({ columns: fitColumns(columns, found) }),
      },
    ];
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const message = `The rows of data/${version.file} can't be read: ${error.message}`;
    return [{ path: pathOfRecord(facts, version), pointer: '/file', message }];
  }
}
