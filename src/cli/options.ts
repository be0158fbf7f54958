/** Options that several commands share. */
import { InvalidArgumentError, Option } from 'commander';
import { canonicalBaseUrl } from '../catalogue/urls.ts';
import { UsageError } from './errors.ts';

/** Port of `catalogue serve`, unless another is given. */
export const defaultPort = 8000;

export const dryRunOption = () =>
  new Option('--dry-run', 'Check everything and say what would be done; change nothing.');
export const yesOption = () => new Option('-y, --yes', "Don't ask for confirmation.");
export const renameOption = (description = 'Rename it; the old address leads to the new one.') =>
  new Option('--slug <name>', description);
export const passwordStdinOption = () =>
  new Option(
    '--password-stdin',
    'Read the password from stdin: it stays out of the shell history and the process list.',
  );

export const searchOption = () => new Option('--search <words>', 'Only records whose texts have all of these words.');
export const limitOption = () =>
  new Option('--limit <number>', 'Maximum number of records.').argParser(wholeNumberParser(1, Number.MAX_SAFE_INTEGER));

/** The order of a list. @param fields that it can be ordered by */
export const orderingOption = (fields: readonly string[]) =>
  new Option(
    '--ordering <fields>',
    `Fields to order by, comma-separated; a minus for descending: ${fields.join(', ')}.`,
  ).argParser((value: string) => {
    for (const field of value.split(','))
      if (!fields.includes(field.trim().replace(/^-/, '')))
        throw new InvalidArgumentError(`The fields are ${fields.join(', ')}.`);
    return value;
  });

/** Checks that `--json` and `--format` don't ask for two formats. @throws UsageError */
export function assertOneFormat({ asJson }: { readonly asJson: boolean }, format: string | undefined): void {
  if (!asJson || format === undefined || format === 'json') return;
  throw new UsageError(`--json and --format ${format} ask for two formats: leave out one of them.`);
}

/** An option that may be given several times. */
export const repeatableOption = (flags: string, description: string) =>
  new Option(flags, `${description} Repeatable.`).argParser(collectOptionValues);

/** Collects the values of an option that is given several times. */
export function collectOptionValues(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** A parser of whole numbers in a range. */
export function wholeNumberParser(least: number, greatest: number): (value: string) => number {
  const range = greatest === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${greatest}`;
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= greatest) return number;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

/** Parses a time in seconds, which may have a fraction. */
export function secondsFromOption(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a number of seconds, such as 1 or 0.5.');
}

/** Parses the public address of a site. @returns the address in canonical form */
export function webAddress(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new InvalidArgumentError('Write it like https://data.example.org');
  if (url.username || url.password) throw new InvalidArgumentError('Leave out the user name and the password.');
  return canonicalBaseUrl(value);
}

const hoursIn: Readonly<Record<string, number>> = { h: 1, d: 24, w: 24 * 7 };

/** Reads an age. @returns milliseconds */
export function parseAge(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Write hours, days or weeks as in 12h, 30d or 2w.');
  return Number(number) * (hoursIn[unit] ?? 0) * 3_600_000;
}

/** A note in the help of each edit. */
export const editorNote =
  'Without fields, the record itself is opened in $VISUAL or $EDITOR, and saved once it is valid.';
