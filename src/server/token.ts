/** Tokens over HTTP: asked for with a password. */
import { ValidationError } from '../catalogue/errors.ts';
import { representToken, toJson } from '../catalogue/represent.ts';
import { parseText } from '../catalogue/text-input.ts';
import { readInput } from './body.ts';
import type { Ask, Shown } from './route.ts';

/** In milliseconds: a client asks again when its token is refused. */
const lifetime = 30 * 24 * 3600_000;
/** Tokens that a user has from here at one time: a script that asks at each run leaves no heap of them. */
const kept = 50;
const label = 'sign-in';

/** A new token for a username and a password. */
export async function obtainToken({ ctx, catalogue, signIn, links }: Ask): Promise<Shown> {
  const input = await readInput(ctx);
  const { username, password } = credentials(input);
  if (!(await signIn.isRight(ctx.req, catalogue.settings, username, password)) || !signIn.accounts)
    throw new ValidationError({ non_field_errors: ['Unable to log in with provided credentials.'] });
  const expires = new Date(Date.now() + lifetime);
  const added = await signIn.accounts.addToken(username, { label, expires, keep: kept });
  const body = { token: added.token, expires: added.expires, url: representToken(added, links).url };
  return { title: 'Token', parts: [], json: () => toJson(body), headers: [['Cache-Control', 'no-store']] };
}

/** What Django REST Framework's serializer takes: the username is trimmed, the password isn't. */
function credentials(input: Readonly<Record<string, unknown>>): { username: string; password: string } {
  const errors: Record<string, readonly string[]> = {};
  const read = (name: string, trim: boolean): string => {
    if (!Object.hasOwn(input, name)) errors[name] = ['This field is required.'];
    else {
      const verdict = parseText(input[name], { blank: false, trim });
      if ('value' in verdict) return String(verdict.value);
      errors[name] = verdict.errors;
    }
    return '';
  };
  const found = { username: read('username', true), password: read('password', false) };
  if (Object.keys(errors).length) throw new ValidationError(errors);
  return found;
}
