/** `catalogue login` and `catalogue logout`: signing in to a remote and out of it. */

import { Option } from 'commander';
import { NotAuthenticatedError, NotFoundError } from '../../catalogue/errors.ts';
import type { Call, Verb } from '../command.ts';
import { DeclinedError, UsageError } from '../errors.ts';
import { passwordStdinOption } from '../options.ts';
import {
  isUnencrypted,
  type Login,
  remotesWithLogin,
  remotesWithoutLogin,
  resolveRemote,
  tokenFromText,
} from '../remote/remotes.ts';
import { changeRemotes, readRemotes } from '../remote/remotes-file.ts';
import { quoteForShell } from '../typed-command.ts';

interface LoginOptions {
  readonly username?: string;
  readonly passwordStdin?: boolean;
  readonly tokenStdin?: boolean;
}

export const login: Verb<LoginOptions> = {
  usage: 'login [remote]',
  description: 'Sign in to a remote catalogue, by its name or address.',
  notes:
    'In a clone, the remote is the one that it was cloned from, unless another is named. The token is kept in your configuration on this computer; the password is not kept. ' +
    'Programs use a token in CATALOGUE_TOKEN, which is sent to the remote of CATALOGUE_REMOTE or --remote only.',
  examples: [
    'catalogue login prod',
    'catalogue login prod --username alice --password-stdin',
    'catalogue login prod --token-stdin',
  ],
  on: 'nothing',
  options: () => [
    new Option('--username <name>', 'User name. Without it, you are asked.'),
    passwordStdinOption(),
    new Option('--token-stdin', 'Read an existing token from stdin, and keep it.').conflicts([
      'username',
      'passwordStdin',
    ]),
  ],
  async run(call, [given], options) {
    const { context, show } = call;
    const url = await call.remoteUrl(given);
    if (isUnencrypted(url)) show.message(`With http://, what you type can be read on the way to ${new URL(url).host}.`);
    const signIn = options.tokenStdin ? await withToken(call, url) : await withPassword(call, url, options);
    const data = await changeRemotes(context.env, (before) => remotesWithLogin(before, signIn));
    const name = data.remotes.find((remote) => remote.url === url)?.name ?? url;
    const { user, expires } = signIn;
    if (show.asJson) show.json({ name, url, user, expires });
    show.message(`Signed in to ${name} as ${user}${expires === null ? '' : ` until ${expires.slice(0, 10)}`}.`);
    if (context.env.CATALOGUE_TOKEN)
      show.message(
        'CATALOGUE_TOKEN is set and wins over this sign-in with CATALOGUE_REMOTE and --remote. Unset it to use the sign-in.',
      );
    return 0;
  },
};

async function withToken({ context }: Call, url: string): Promise<Login> {
  const token = tokenFromText(await context.read('-'), 'stdin');
  const { fetchUsername, openHttp } = await loaded();
  const http = await openHttp(url, { token });
  try {
    return { url, user: await fetchUsername(http), token, id: null, expires: null };
  } finally {
    await http.close();
  }
}

async function withPassword({ context }: Call, url: string, options: LoginOptions): Promise<Login> {
  const canAsk = context.isTerminal.in && context.isTerminal.err;
  if (!canAsk && (options.username === undefined || !options.passwordStdin))
    throw new UsageError(
      'There is no terminal to ask for name and password. Give --username NAME with --password-stdin, or --token-stdin.',
    );
  const { host } = new URL(url);
  const username = options.username ?? (await context.ask(`User name at ${host}:`)).trim();
  if (username === '') throw new DeclinedError('No user name was given. You are not signed in.');
  const password = options.passwordStdin
    ? (await context.read('-')).replace(/\r?\n$/, '')
    : await context.secret(`Password of ${username} at ${host}:`);
  if (password === '') throw new DeclinedError('No password was given. You are not signed in.');
  const { requestToken, openHttp } = await loaded();
  const http = await openHttp(url);
  try {
    return { url, user: username, ...(await requestToken(http, username, password)) };
  } finally {
    await http.close();
  }
}

/** The modules that sign in, loaded when they are needed. */
async function loaded() {
  const [{ openHttp }, accounts] = await Promise.all([
    import('../../remote/http.ts'),
    import('../../remote/accounts.ts'),
  ]);
  return { openHttp, ...accounts };
}

export const logout: Verb = {
  usage: 'logout [remote]',
  description: 'Sign out of a remote catalogue, by its name or address.',
  notes:
    'In a clone, the remote is the one that it was cloned from, unless another is named. The token is removed from this computer and from the server. A token that was given with login --token-stdin stays ' +
    'valid on the server.',
  examples: ['catalogue logout prod'],
  on: 'nothing',
  async run({ context, show, remoteUrl }, [given]) {
    const url = await remoteUrl(given);
    const { name, login: signIn } = resolveRemote(await readRemotes(context.env), url);
    if (!signIn) {
      show.message(`You are not signed in to ${name}.`);
      return 0;
    }
    const left = await revoke(signIn, name);
    await changeRemotes(context.env, (data) => remotesWithoutLogin(data, url));
    show.message(`Signed out of ${name}.${left}`);
    return 0;
  },
};

/**
 * Removes a token on the server.
 * @param name of the remote
 * @returns a sentence about a token that stays valid, else ''
 */
async function revoke({ url, token, id, expires }: Login, name: string): Promise<string> {
  if (id === null)
    return ` The token was given with --token-stdin and stays valid. To remove it, sign in and type: catalogue token remove ID --remote ${quoteForShell(name)}`;
  const { openHttp, revokeToken } = await loaded();
  const http = await openHttp(url, { token, retries: 0 });
  try {
    await revokeToken(http, id);
    return '';
  } catch (error) {
    // The token is invalid already.
    if (error instanceof NotAuthenticatedError || error instanceof NotFoundError) return '';
    const until = expires === null ? '' : ` until ${expires.slice(0, 10)}`;
    return ` The token was removed from this computer, but stays valid on the server${until}: ${(error as Error).message}`;
  } finally {
    await http.close();
  }
}
