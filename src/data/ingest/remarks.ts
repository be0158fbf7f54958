/** Sentences about the reading of a payload: what was recognized, and which values don't fit. With `strict`, the latter refuse it. */
import { excerpt } from '../../catalogue/errors.ts';
import { PayloadError } from '../errors.ts';
import type { PayloadInfo } from '../formats/types.ts';
import type { Misfits } from './column-forms.ts';
import type { ColumnProfile } from './column-profile.ts';

interface NamedProfile {
  readonly name: string;
  readonly profile: ColumnProfile;
}

/**
 * The remarks of a table.
 * @param crs reference systems from which geometries were converted
 */
export function ingestRemarks(
  { misplaced, hint }: PayloadInfo,
  crs: string | null,
  columns: readonly NamedProfile[],
): string[] {
  return [
    ...(crs === null ? [] : [`Coordinates: converted from ${crs} to WGS 84.`]),
    ...(hint === undefined ? [] : [hint]),
    ...(misplaced
      ? [`${describeMisfits(misplaced.column, misplaced, misplaced.noun)}: no geometry in such rows.`]
      : []),
    ...columns.flatMap(({ name, profile }) => [...recognitionRemarks(name, profile), ...misfitRemarks(name, profile)]),
  ];
}

function recognitionRemarks(name: string, { recognized, type }: ColumnProfile): string[] {
  if (!recognized) return [];
  const { form, example } = recognized;
  const read = form === 'date' ? `${type}s such as ${example}` : `numbers with decimal commas such as ${example}`;
  return [`Column "${excerpt(name)}": read as ${read}.`];
}

function misfitRemarks(name: string, { misfits, type }: ColumnProfile): string[] {
  if (!misfits) return [];
  const described = describeMisfits(
    `Column "${excerpt(name)}"`,
    misfits,
    misfits.type === 'float' ? 'number' : misfits.type,
  );
  // Without a type that people set, one value makes all of them text.
  if (type === 'string')
    return [`${described}: the column is text. To read the others: --type ${quoted(name)}=${misfits.type}`];
  return [`${described}: null in such rows.`];
}

const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

function describeMisfits(where: string, { count, present, line, text }: Misfits, noun: string): string {
  const place = line === undefined ? '' : `line ${line}, `;
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a';
  const isNone = count === 1 ? `is not ${article} ${noun}` : `are not ${noun}s`;
  return `${where}: ${count} of ${present} values ${isNone} (${count === 1 ? place : `first: ${place}`}${excerpt(JSON.stringify(text))})`;
}

/** @throws PayloadError for the first value that doesn't fit */
export function refuseMisfitValues({ misplaced }: PayloadInfo, columns: readonly NamedProfile[]): void {
  const found = columns.flatMap(({ name, profile }) => {
    const { misfits } = profile;
    return misfits ? [{ ...misfits, where: `column "${excerpt(name)}"`, noun: misfits.type }] : [];
  });
  const [first] = [...(misplaced ? [{ ...misplaced, where: misplaced.column }] : []), ...found];
  if (!first) return;
  const { where, noun, text, line, count } = first;
  const others = count > 1 ? `, and ${count - 1} more` : '';
  throw new PayloadError(
    `${where}: ${excerpt(JSON.stringify(text))} does not fit the type ${noun}${others} (--strict)`,
    {
      ...(line !== undefined && { line }),
    },
  );
}
