/** The fields of a token that is to be made, judged as Django REST Framework judges them. */
import { type TokenOptions, type TokenScope, tokenScopes } from '../catalogue/accounts.ts';
import type { Input } from '../catalogue/catalogue.ts';
import { type FieldErrors, ValidationError } from '../catalogue/errors.ts';
import { fail, type Parsed, parseText } from '../catalogue/text-input.ts';

/** In milliseconds: a token of which nothing is said lasts a year. */
const usual = 365 * 24 * 3600_000;

const parsers: Readonly<Record<string, (value: unknown) => Parsed>> = {
  label: (value) => parseText(value, { max: 200, blank: true }),
  scope: (value) =>
    tokenScopes.includes(value as TokenScope) ? { value } : fail(`"${String(value)}" is not a valid choice.`),
  expires: parseExpiry,
};

/**
 * @param input of which null for `expires` means never
 * @param errors what is known to be wrong with other fields
 * @throws ValidationError with what is wrong with all of them together
 */
export function tokenOptions(input: Input, errors: FieldErrors): TokenOptions {
  const wrong: Record<string, readonly string[]> = { ...errors };
  const options: Record<string, unknown> = { expires: new Date(Date.now() + usual) };
  for (const [name, parse] of Object.entries(parsers)) {
    if (input[name] === undefined) continue;
    const parsed = parse(input[name]);
    if ('errors' in parsed) wrong[name] = parsed.errors;
    else options[name] = parsed.value;
  }
  if (Object.keys(wrong).length) throw new ValidationError(wrong);
  return options;
}

/** A moment to come, as RFC 3339 writes it, or a day; null for none. */
function parseExpiry(value: unknown): Parsed {
  if (value === null) return { value };
  const isMoment =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value);
  const moment = new Date(isMoment ? value : Number.NaN);
  if (Number.isNaN(moment.getTime()))
    return fail(
      'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    );
  return moment.getTime() > Date.now() ? { value: moment } : fail('That lies in the past.');
}
