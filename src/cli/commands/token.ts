/** `catalogue token`: tokens for programs that sign in. */
import { InvalidArgumentError, Option } from 'commander';
import { type TokenInfo, type TokenScope, tokenScopes } from '../../catalogue/accounts.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { isDate } from '../../catalogue/iso-time.ts';
import { parseUserRef } from '../../catalogue/parse-ref.ts';
import { representToken } from '../../catalogue/represent.ts';
import type { Verb } from '../command.ts';
import { openAccountsIfUserExists } from '../lookup.ts';
import { dryRunOption, yesOption } from '../options.ts';
import { confirmRemoval, linksOfCatalogue } from '../output/outcome.ts';
import type { Output } from '../output/show.ts';
import { assertMayEditUser } from '../writes.ts';

interface AddOptions {
  readonly scope: TokenScope;
  readonly label?: string;
  readonly expires: Expiry;
  readonly dryRun?: boolean;
}

/** An object, since commander takes null for a missing value. */
interface Expiry {
  readonly at: Date | null;
}

/** Days. */
const usual = 365;

const add: Verb<AddOptions> = {
  usage: 'add <username>',
  description: "Add a token of a user and print it; it can't be shown again.",
  notes: 'Requests send it as: Authorization: Token <token>',
  examples: [
    'catalogue token add alice --label "Nightly import" --expires 90d',
    'catalogue token add bob --scope read --expires never',
  ],
  options: () => [
    new Option('--scope <read|write>', 'Permission to read what its user sees, or to do all that its user may.')
      .choices(tokenScopes)
      .default('write'),
    new Option('--expires <when>', 'Such as 12h, 30d, 8w, 1y; a day such as 2030-12-31; or never.')
      .argParser(expiryFrom)
      .default({ at: later(usual * day) }, `${usual}d`),
    new Option('--label <text>', 'Its purpose, to recognise it later.'),
    dryRunOption(),
  ],
  async run(call, [name = ''], { scope, label, expires, ...options }) {
    const { show } = call;
    const ref = parseUserRef(name);
    const accounts = await openAccountsIfUserExists(call, ref);
    if (options.dryRun) {
      const catalogue = await call.open();
      await assertMayEditUser(catalogue, ref);
      const planned = { id: '', user: ref.slug, label: label ?? '', scope, created: '', lastUsed: null };
      const object = representToken(
        { ...planned, expires: expires.at?.toISOString() ?? null },
        linksOfCatalogue(catalogue),
      );
      // What the server makes isn't known yet.
      if (show.asJson) show.json({ token: null, ...object, id: null, created: null, url: null });
      show.planned(`Would add a token of user ${ref.slug}`);
      return 0;
    }
    const { token, ...info } = await accounts.addToken(ref.slug, { scope, expires: expires.at, label });
    if (show.asJson) show.json({ token, ...representToken(info, linksOfCatalogue(await call.open())) });
    else show.line(token);
    const until = info.expires === null ? 'does not expire' : `expires on ${info.expires.slice(0, 10)}`;
    show.message(`Added token ${info.id} of user ${ref.slug}. It ${until}. Keep it safe: it can't be shown again.`);
    return 0;
  },
};

const list: Verb = {
  usage: 'list [username]',
  description: 'List the tokens of all users, or of one; without their secret texts.',
  examples: ['catalogue token list', 'catalogue token list alice --json'],
  async run(call, [name]) {
    const { show } = call;
    const ref = name === undefined ? undefined : parseUserRef(name);
    const accounts = ref ? await openAccountsIfUserExists(call, ref) : await call.accounts();
    const tokens = await accounts.tokens(ref?.slug);
    if (show.asJson) {
      const links = linksOfCatalogue(await call.open());
      show.json(tokens.map((token) => representToken(token, links)));
    } else if (show.forPeople && tokens.length === 0) show.message('No tokens.');
    else show.table(['ID', 'USER', 'LABEL', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED'], tokens.map(row(show)));
    return 0;
  },
};

/** People get days, programs full times. */
const row = (show: Output) => {
  const moment = (text: string | null) => (show.forPeople ? (text ?? 'never').slice(0, 10) : (text ?? ''));
  return ({ id, user, label, scope, created, expires, lastUsed }: TokenInfo) => [
    ...[id, user, label, scope],
    ...[created, expires, lastUsed].map(moment),
  ];
};

const remove: Verb<{ yes?: boolean; dryRun?: boolean }> = {
  usage: 'remove <id>',
  description: 'Remove a token: requests with it are refused from now on.',
  notes: 'To see the ids: catalogue token list',
  examples: ['catalogue token remove 8f14e45fceea', 'catalogue token remove 8f14e45fceea --yes'],
  options: () => [yesOption(), dryRunOption()],
  async run(call, [id = ''], options) {
    const accounts = await call.accounts();
    const token = (await accounts.tokens()).find((candidate) => candidate.id === id);
    if (!token) throw new NotFoundError(`There is no token ${id}. See: catalogue token list`);
    const what = `token ${id} of user ${token.user}`;
    if (options.dryRun) {
      call.show.planned(`Would remove ${what}`);
      return 0;
    }
    await confirmRemoval(call, what, options.yes);
    await accounts.removeToken(id);
    call.show.message(`Removed ${what}.`);
    return 0;
  },
};

const day = 24 * 3600_000;
const spans: Readonly<Record<string, number>> = { h: day / 24, d: day, w: 7 * day, y: 365 * day };

function later(milliseconds: number): Date {
  return new Date(Date.now() + milliseconds);
}

/** Reads an expiry: `30d`, `2030-12-31` or `never`. */
function expiryFrom(text: string): Expiry {
  if (text === 'never') return { at: null };
  const [, count, span = ''] = /^(\d{1,4})([hdwy])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) && isDate(text);
  if (count === undefined && !isTime)
    throw new InvalidArgumentError('Write it like 12h, 30d, 8w, 1y, 2030-12-31 or never.');
  const at = isTime ? new Date(text) : later(Number(count) * (spans[span] ?? 0));
  if (at.getTime() <= Date.now()) throw new InvalidArgumentError('The expiry is in the past.');
  return { at };
}

export const verbs: readonly Verb[] = [add, list, remove];
