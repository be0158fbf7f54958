/** Tokens as they come from stdin or the environment. */
import { UsageError } from '../errors.ts';

/**
 * @param source what to call the place it comes from
 * @throws UsageError where it can't be a token; it isn't quoted, for it may be half of one
 */
export function tokenFrom(text: string, source: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    token === ''
      ? `There is no token in ${source}.`
      : `What is in ${source} is no token: one has no blanks or line breaks.`,
  );
}
