/** The query string of an address of differences. */
import { closest } from '../catalogue/closest.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { ParameterError } from '../data/errors.ts';
import { splitList } from '../data/query/parameter-values.ts';
import { last } from './question.ts';

export interface DifferenceParameters {
  /** Slug of a version of the dataset, or `<namespace>/<dataset>@<version>`. */
  readonly from: string | undefined;
  readonly key: readonly string[] | undefined;
  readonly format: DifferenceFormat | undefined;
}

const formats = ['json', 'ndjson', 'html'] as const;
type DifferenceFormat = (typeof formats)[number];

const ours = ['_from', '_key', '_format'];

/**
 * Reads the query string; of what is repeated the last counts.
 * @throws ValidationError with all that is wrong, each under the name of its parameter
 */
export function differenceParameters(query: URLSearchParams): DifferenceParameters {
  const errors = new Map<string, string[]>();
  for (const name of query.keys()) {
    if (ours.includes(name) || name === 'format') continue;
    const near = closest(name, ours);
    const hint = near ? `Did you mean "${near}"?` : `There are ${ours.join(', ')}.`;
    errors.set(name, [`Unknown parameter "${name}". ${hint}`]);
  }
  const formatName = query.has('_format') ? '_format' : 'format';
  const format = last(query, formatName);
  const known = formats.find((each) => each === format);
  if (format !== undefined && !known)
    errors.set(formatName, [`Unknown format "${format}". There are ${formats.join(', ')}.`]);
  const key = keyFrom(last(query, '_key'), errors);
  if (errors.size > 0) throw new ValidationError(Object.fromEntries(errors));
  return { from: last(query, '_from'), key, format: known };
}

function keyFrom(text: string | undefined, errors: Map<string, string[]>): readonly string[] | undefined {
  if (text === undefined) return undefined;
  try {
    return splitList(text);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    errors.set('_key', [error.message]);
    return undefined;
  }
}
