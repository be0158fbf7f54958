/** Parsers of texts, usernames and passwords, with the messages of Django REST Framework. */
import type { ValidationError } from './errors.ts';
import { normalizeNewPassword } from './passwords.ts';
import { usernameRule } from './ref.ts';

/** Result of parsing a value of an input: the value, typed and trimmed, or error messages. */
export type Parsed<Value = unknown> = { readonly value: Value } | { readonly errors: readonly string[] };

/** The result for an invalid value. */
export const invalidInput = (...errors: string[]): { readonly errors: readonly string[] } => ({ errors });

/** Parses a text like DRF's CharField: numbers are accepted (`textOfInput`), white space (Unicode) is trimmed by default. */
export function parseTextInput(
  value: unknown,
  { max, blank, trim = true }: { max?: number | undefined; blank: boolean; trim?: boolean },
): Parsed<string> {
  if (value === null) return invalidInput('This field may not be null.');
  const given = textOfInput(value);
  if (given === undefined) return invalidInput('Not a valid string.');
  const text = trim ? given.trim() : given;
  if (!text && !blank) return invalidInput('This field may not be blank.');
  const errors = [...textLengthErrors(text, max), ...characterErrors(text)];
  return errors.length ? { errors } : { value: text };
}

/**
 * A text, or a number as its text; undefined for other values. So is an integer that was rounded when its JSON was parsed:
 * it would be another identifier than the one that was sent.
 */
export function textOfInput(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return String(value);
}

/** Error message if a text is too long. @param max in code points */
export function textLengthErrors(text: string, max: number | undefined): string[] {
  // A character has one or two units of a string.
  return max !== undefined && text.length > max && (text.length > 2 * max || Array.from(text).length > max)
    ? [`Ensure this field has no more than ${max} characters.`]
    : [];
}

function characterErrors(text: string): string[] {
  const errors: string[] = [];
  if (text.includes('\0')) errors.push('Null characters are not allowed.');
  const surrogate = /[\ud800-\udfff]/u.exec(text)?.[0];
  if (surrogate)
    errors.push(`Surrogate characters are not allowed: U+${surrogate.charCodeAt(0).toString(16).toUpperCase()}.`);
  return errors;
}

const badUsername = 'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.';

/** Parses a username by Django's rules. `me` is reserved: in URLs it means the user who makes the request. */
export function parseUsername(value: unknown): Parsed<string> {
  const name = parseTextInput(value, { max: 150, blank: false });
  if ('errors' in name) return name;
  if (name.value.toLowerCase() === 'me') return invalidInput('This username is reserved.');
  return usernameRule.test(name.value) ? name : invalidInput(badUsername);
}

/** Parses the new password of a user, which is not trimmed. */
export function parseNewPassword(value: unknown): Parsed<string> {
  const password = parseTextInput(value, { blank: false, trim: false });
  if ('errors' in password) return password;
  try {
    return { value: normalizeNewPassword(password.value) };
  } catch (error) {
    return { errors: (error as ValidationError).fields.password ?? [] };
  }
}
