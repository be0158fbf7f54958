/** What the commands about users, groups and tokens have in common. */
import type { Credentials } from '../catalogue/accounts.ts';
import type { UserRef } from '../catalogue/ref.ts';
import type { Call } from './command.ts';
import { DeclinedError, UsageError } from './errors.ts';
import { reach } from './naming.ts';

/** Below this length a password is soon guessed. */
const shortPassword = 8;

/**
 * A new password: from stdin, or asked for twice without showing it.
 * @throws UsageError where nobody can be asked, or what was typed isn't the same; DeclinedError where nothing was
 */
export async function newPassword({ context, show }: Call, username: string, fromStdin: boolean): Promise<string> {
  const password = fromStdin ? (await context.read('-')).replace(/\r?\n$/, '') : await askTwice(context, username);
  if (password === '') throw new DeclinedError('There was no password. Nothing was changed.');
  if (Array.from(password).length < shortPassword)
    show.message(`This password is short: from ${shortPassword} characters on, it is hard to guess.`);
  return password;
}

async function askTwice(context: Call['context'], username: string): Promise<string> {
  if (!context.isTerminal.in || !context.isTerminal.err)
    throw new UsageError('Nobody can be asked for the password. Send it on stdin, with --password-stdin.');
  const first = await context.secret(`New password of ${username}:`);
  if (first === '') return '';
  if ((await context.secret('The same again:')) !== first)
    throw new UsageError('The two passwords are not the same. Nothing was changed.');
  return first;
}

/** The accounts, after a look whether the catalogue has the user. */
export async function accountsOf(call: Call, ref: UserRef): Promise<Credentials> {
  const catalogue = await call.open();
  await reach(catalogue, ref, () => catalogue.get<'user'>(ref));
  return call.accounts();
}
