/** Options that several commands have in common. */
import { InvalidArgumentError, Option } from 'commander';

export const dryRun = () => new Option('--dry-run', 'Check everything, say what would be done, and change nothing.');
export const yes = () => new Option('-y, --yes', "Don't ask for confirmation.");
export const rename = (description = 'Rename it; the old address leads to the new one.') =>
  new Option('--slug <name>', description);
export const visibility = () =>
  new Option('--visibility <public|private>', 'Only those of this visibility.').choices(['public', 'private']);
export const passwordStdin = () =>
  new Option('--password-stdin', 'Read the password from stdin, so that no history or list of processes shows it.');

export const search = () => new Option('--search <words>', 'Only those that have all of these words in their texts.');
export const limit = () =>
  new Option('--limit <number>', 'At most so many.').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER));

/** The order of a list by fields that it can be ordered by. */
export const ordering = (fields: readonly string[]) =>
  new Option('--ordering <fields>', `Comma-separated, a minus for descending: ${fields.join(', ')}.`).argParser(
    (value: string) => {
      for (const field of value.split(','))
        if (!fields.includes(field.trim().replace(/^-/, '')))
          throw new InvalidArgumentError(`Lists are ordered by ${fields.join(', ')}.`);
      return value;
    },
  );

/** An option that may be given several times. */
export const repeatable = (flags: string, description: string) =>
  new Option(flags, `${description} Repeatable.`).argParser(collect);

/** Gathers the values of an option that is given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Reads a whole number of a range. */
export function wholeNumber(least: number, greatest: number): (value: string) => number {
  const range = greatest === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${greatest}`;
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= greatest) return number;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}
