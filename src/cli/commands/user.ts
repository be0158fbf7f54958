/** `catalogue user`: those who may sign in. */

import { Option } from 'commander';
import type { Credentials, PasswordOptions as SetPasswordOptions } from '../../catalogue/accounts.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { parseUserRef } from '../../catalogue/parse-ref.ts';
import { representUser } from '../../catalogue/represent.ts';
import { sentencesAboutUser } from '../audience.ts';
import type { Call, Verb } from '../command.ts';
import { DeclinedError, UsageError } from '../errors.ts';
import { inputFromOptions } from '../fields.ts';
import { openAccountsIfUserExists } from '../lookup.ts';
import type { Noun } from '../noun.ts';
import { verbsOfNoun } from '../noun-verbs.ts';
import { dryRunOption, editorNote, passwordStdinOption } from '../options.ts';
import { showOutcome } from '../output/outcome.ts';
import { quoteForShell, typedCommand } from '../typed-command.ts';
import { assertMayEditUser } from '../writes.ts';

interface PasswordOptions {
  readonly passwordStdin?: boolean;
  readonly keepTokens?: boolean;
  readonly dryRun?: boolean;
}

const user: Noun<'user', PasswordOptions> = {
  kind: 'user',
  argument: 'username',
  parse: parseUserRef,
  represent: (entity, links) => representUser(entity, links, true),
  add: {
    description: 'Add a user.',
    notes: 'Without a password, the user signs in with tokens only. See: catalogue user passwd, catalogue token add.',
    examples: [
      'catalogue user add alice --name "Alice Liddell" --email alice@example.org --staff true',
      'catalogue user add bob --group gardeners --password-stdin',
    ],
    options: () => [passwordStdinOption()],
    async input(call, [name = ''], options) {
      const { slug } = parseUserRef(name);
      const password = options.passwordStdin ? { password: await newPassword(call, slug, true) } : {};
      return { username: slug, ...(await inputFromOptions('user', { ...options }, call.context)), ...password };
    },
  },
  list: {
    description: 'List the users.',
    examples: ['catalogue user list', 'catalogue user list --group gardeners --json'],
    plural: 'users',
    headings: ['USER', 'NAME', 'EMAIL', 'STAFF', 'GROUPS'],
    row: ({ slug, name, email, staff, groups }) => [slug, name, email, staff ? 'yes' : '', groups.join(', ')],
  },
  show: {
    description: 'Show one user.',
    examples: ['catalogue user show alice'],
  },
  edit: {
    description: 'Edit a user. Only the fields that are given change.',
    notes: `A username can't be changed. ${editorNote}`,
    examples: [
      'catalogue user edit bob',
      'catalogue user edit bob --group gardeners --group editors',
      'catalogue user edit alice --staff false',
    ],
    consequences: (_, catalogue, { before, entity }) => sentencesAboutUser(catalogue, before, entity),
  },
  remove: {
    description: 'Remove a user, with password and tokens.',
    examples: ['catalogue user remove bob', 'catalogue user remove bob --yes'],
    contents: () => ' with password and tokens',
  },
};

const passwd: Verb<PasswordOptions> = {
  usage: 'passwd <username>',
  description: 'Give a user a new password.',
  notes:
    'You are asked for it twice; it is not shown. The sessions and tokens of the user end; you are asked whether to keep ' +
    'the tokens. A server asks users who are not staff for their current password; with --password-stdin, it is the ' +
    'second line.',
  examples: ['catalogue user passwd alice', 'catalogue user passwd alice --keep-tokens --password-stdin'],
  options: () => [
    passwordStdinOption(),
    new Option('--keep-tokens', 'Keep the tokens of the user valid.'),
    dryRunOption(),
  ],
  async run(call, [name = ''], options) {
    const ref = parseUserRef(name);
    const accounts = await openAccountsIfUserExists(call, ref);
    if (options.dryRun) await assertMayEditUser(await call.open(), ref);
    const tokens = options.dryRun ? [] : await accounts.tokens(ref.slug);
    let keepTokens = options.keepTokens ?? false;
    if (!options.dryRun) {
      const typed = await newPassword(call, ref.slug, options.passwordStdin ?? false);
      const [password = '', currentPassword] = options.passwordStdin ? typed.split(/\r?\n/) : [typed];
      keepTokens ||=
        tokens.length > 0 && !options.passwordStdin && (await confirmKeeping(call, ref.slug, tokens.length));
      await setPassword(call, accounts, ref.slug, password, { keepTokens, currentPassword });
    }
    showOutcome(call, { done: ['Changed', 'change'], part: 'the password of', ref, dryRun: options.dryRun });
    if (tokens.length) call.show.message(tokensMessage(call, ref.slug, tokens.length, keepTokens));
    return 0;
  },
};

const countTokens = (count: number) => (count === 1 ? '1 token' : `${count} tokens`);

const confirmKeeping = ({ context }: Call, username: string, count: number) =>
  context.confirm(`${username} has ${countTokens(count)}. Keep ${count === 1 ? 'it' : 'them'} valid?`);

function tokensMessage(call: Call, username: string, count: number, areKept: boolean): string {
  if (areKept)
    return `${countTokens(count)} ${count === 1 ? 'stays' : 'stay'} valid. See: ${typedCommand(call, 'token list', [username])}`;
  const remote = call.global.remote ?? call.context.env.CATALOGUE_REMOTE;
  const login = `catalogue login${remote ? ` ${quoteForShell(remote)}` : ''}`;
  const again = call.isRemote ? ` If you are signed in as ${username}, sign in again: ${login}` : '';
  return `${countTokens(count)} of ${username} ${count === 1 ? 'has' : 'have'} ended.${again}`;
}

/** Sets a password, and asks for the current one if the server wants it. */
async function setPassword(
  { context }: Call,
  accounts: Credentials,
  username: string,
  password: string,
  options: SetPasswordOptions,
): Promise<void> {
  try {
    await accounts.setPassword(username, password, options);
  } catch (error) {
    const isAsked = error instanceof ValidationError && error.fields.current_password !== undefined;
    if (!isAsked || options.currentPassword !== undefined || !context.isTerminal.in || !context.isTerminal.err)
      throw error;
    const currentPassword = await context.secret(`Current password of ${username}:`);
    await accounts.setPassword(username, password, { ...options, currentPassword });
  }
}

/**
 * Reads a new password: from stdin, or typed twice and not shown.
 * @throws UsageError where there is no terminal, or the two differ; DeclinedError where it is empty
 */
async function newPassword({ context }: Call, username: string, fromStdin: boolean): Promise<string> {
  const password = fromStdin ? (await context.read('-')).replace(/\r?\n$/, '') : await askTwice(context, username);
  if (password === '') throw new DeclinedError('No password was given. Nothing was changed.');
  return password;
}

async function askTwice(context: Call['context'], username: string): Promise<string> {
  if (!context.isTerminal.in || !context.isTerminal.err)
    throw new UsageError('There is no terminal to ask for the password. Send it on stdin, with --password-stdin.');
  const first = await context.secret(`New password of ${username}:`);
  if (first === '') return '';
  if ((await context.secret('Repeat the password:')) !== first)
    throw new UsageError('The two passwords differ. Nothing was changed.');
  return first;
}

export const verbs = [...verbsOfNoun(user), passwd] as readonly Verb[];
