/** Commands in messages: to be typed as they are printed, they name what the person has named. */
import type { Call } from './command.ts';

/** A word quoted for a shell, if it has to be. */
export const quoteForShell = (word: string) =>
  /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A command for the catalogues of this call: with its --remote and its --data, since another remote is meant without them.
 * @param words verb and options, such as `pull --theirs`
 * @param names of the records that it is for; none for all
 */
export function typedCommand({ global }: Pick<Call, 'global'>, words: string, names: readonly string[] = []): string {
  const options = Object.entries({ remote: global.remote, data: global.data }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoteForShell(value)],
  );
  return ['catalogue', words, ...names.map(quoteForShell), ...options].join(' ');
}
