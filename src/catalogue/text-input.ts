/** Texts of an input, judged as Django REST Framework judges them: names and passwords are texts too. */
import { checkedPassword } from './accounts.ts';
import type { ValidationError } from './errors.ts';
import { usernameRule } from './ref.ts';

/** What became of a value: typed and trimmed, or what is wrong with it. */
export type Verdict = { readonly value: unknown } | { readonly errors: readonly string[] };

export const fail = (...errors: string[]): Verdict => ({ errors });

/** A text, as DRF's CharField takes it: numbers as their text, trimmed of Unicode white space unless told not to. */
export function parseText(
  value: unknown,
  { max, blank, trim = true }: { max?: number | undefined; blank: boolean; trim?: boolean },
): Verdict {
  if (value === null) return fail('This field may not be null.');
  if (typeof value !== 'string' && typeof value !== 'number') return fail('Not a valid string.');
  const text = trim ? String(value).trim() : String(value);
  if (!text && !blank) return fail('This field may not be blank.');
  const errors = [...tooLong(text, max), ...badCharacters(text)];
  return errors.length ? { errors } : { value: text };
}

/** Lengths are counted in code points. */
export function tooLong(text: string, max: number | undefined): string[] {
  return max !== undefined && Array.from(text).length > max
    ? [`Ensure this field has no more than ${max} characters.`]
    : [];
}

function badCharacters(text: string): string[] {
  const errors: string[] = [];
  if (text.includes('\0')) errors.push('Null characters are not allowed.');
  const surrogate = /\p{Surrogate}/u.exec(text)?.[0];
  if (surrogate)
    errors.push(`Surrogate characters are not allowed: U+${surrogate.charCodeAt(0).toString(16).toUpperCase()}.`);
  return errors;
}

const badUsername = 'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.';

/** A username as Django has it; `me` is whoever asks. */
export function parseUsername(value: unknown): Verdict {
  const verdict = parseText(value, { max: 150, blank: false });
  if ('errors' in verdict) return verdict;
  const name = String(verdict.value);
  if (name.toLowerCase() === 'me') return fail('This username is reserved.');
  return usernameRule.test(name) ? verdict : fail(badUsername);
}

/** A password, which isn't trimmed. */
export function parsePassword(value: unknown): Verdict {
  const verdict = parseText(value, { blank: false, trim: false });
  if ('errors' in verdict) return verdict;
  try {
    return { value: checkedPassword(String(verdict.value)) };
  } catch (error) {
    return { errors: (error as ValidationError).fields.password ?? [] };
  }
}
