/** Values of facts as objects of schema.org. */
import { beginningOf, shorten } from '../catalogue/beginning.ts';
import { rowCountText } from '../catalogue/number-text.ts';
import { type Agent, type DatasetFacts, shortestDescription } from './facts.ts';

export const organization = ({ name }: Agent) => ({ '@type': 'Organization', name });

/** A licence without an address: a URL, or else a CreativeWork, is what `license` takes. */
export const licenceInWords = (words: string) => ({ '@type': 'CreativeWork', name: words });

/** A place with its box. @param bbox west, south, east, north in degrees */
export const placeWithBox = ([west, south, east, north]: readonly number[]) => ({
  '@type': 'Place',
  geo: { '@type': 'GeoShape', box: `${south} ${west} ${north} ${east}` },
});

/** Most characters of a description that Google Dataset Search takes. */
const longest = 5000;

/** A description that is long enough for Google Dataset Search: one that is too short goes on with other facts. */
export function describeAtLength(
  description: string,
  { title, rows, columns, publisher, catalogue }: DatasetFacts,
): string {
  if (description.length > longest) return shorten(description, longest - 1);
  if (isLongEnough(description)) return description;
  const names = columns.map(({ name }) => name).slice(0, 50);
  const table = names.length
    ? `A table${rows === undefined ? '' : ` with ${rowCountText(rows)}`} and the columns ${names.join(', ')}.`
    : '';
  const text = [description, table, `“${title}”, a dataset published by ${publisher.name}.`].filter(Boolean).join(' ');
  const whole = isLongEnough(text)
    ? text
    : `${text} It is part of the catalogue “${catalogue.title}” at ${catalogue.url}.`;
  return beginningOf(whole, longest);
}

/** True if there are enough characters: two code units may be one. */
const isLongEnough = (text: string): boolean =>
  [...text.slice(0, 2 * shortestDescription)].length >= shortestDescription;
