/** Which catalogue is meant: one in a folder, or one elsewhere. */
import { NotAuthenticatedError } from '../../catalogue/errors.ts';
import type { Call, GlobalOptions, Verb } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { dataFolder } from '../folder.ts';
import type { Target } from './remotes.ts';
import { tokenFrom } from './token-text.ts';

interface Places extends Pick<Call, 'folder' | 'isElsewhere' | 'open' | 'accounts' | 'remote' | 'remoteUrl'> {
  /** The error, with what to type where a catalogue elsewhere wants to know who asks. */
  hinted(error: unknown): unknown;
}

/**
 * What opens the catalogue that is meant. An option beats the environment; there, CATALOGUE_REMOTE beats
 * CATALOGUE_DATA. Nothing is looked for before it is asked for.
 * @param name how the command is called
 * @throws UsageError where the command can't work on what is meant
 */
export function placesFor(context: Context, global: GlobalOptions, name: string, on: Verb['on']): Places {
  const { env, cwd } = context;
  if (on === 'folder' && global.remote !== undefined)
    throw new UsageError(
      `${name} works on a folder, not on a remote. Leave out --remote; say which folder: --data DIR`,
    );
  if (on === undefined && global.remote !== undefined && global.data !== undefined)
    throw new UsageError('--data means a folder and --remote a catalogue elsewhere: give one of them.');
  const fromEnvironment =
    on === 'folder' || (on === undefined && global.data !== undefined) ? '' : env.CATALOGUE_REMOTE;
  const meant = global.remote ?? (fromEnvironment || undefined);
  const isElsewhere = on === undefined && meant !== undefined;

  const targets = new Map<string, Promise<Target>>();
  async function target(given = meant): Promise<Target> {
    if (given === undefined)
      throw new UsageError(
        'Say which catalogue elsewhere is meant: --remote NAME or its URL. See: catalogue remote list',
      );
    const known = targets.get(given) ?? lookUp(given);
    targets.set(given, known);
    return known;
  }
  async function lookUp(given: string): Promise<Target> {
    const [{ targetOf }, { readRemotes }] = await Promise.all([import('./remotes.ts'), import('./remotes-file.ts')]);
    return targetOf(await readRemotes(env), given);
  }
  const opened = new Map<string, ReturnType<Context['connect']>>();
  let asked: Target | undefined;
  async function connect(given?: string) {
    asked = await target(given);
    const { url, login } = asked;
    const known = opened.get(url) ?? context.connect(url, { token: tokenIn(env) ?? login?.token });
    opened.set(url, known);
    return known;
  }

  return {
    isElsewhere,
    folder() {
      if (!isElsewhere) return dataFolder(global.data, cwd, env);
      throw new UsageError(
        `${name} works on a folder, not on a remote (${global.remote === undefined ? 'CATALOGUE_REMOTE' : '--remote'} ` +
          'says so). Say which folder: --data DIR',
      );
    },
    open: async () => (isElsewhere ? connect() : context.open(dataFolder(global.data, cwd, env))),
    accounts: async () =>
      isElsewhere ? (await connect()).accounts : context.accounts(dataFolder(global.data, cwd, env)),
    remote: connect,
    remoteUrl: async (given) => (await target(given)).url,
    hinted: (error) => (error instanceof NotAuthenticatedError && asked ? withHint(error, asked, env) : error),
  };
}

/** @throws UsageError where the environment's token can't be one; it isn't quoted */
function tokenIn({ CATALOGUE_TOKEN: token = '' }: NodeJS.ProcessEnv): string | undefined {
  return token.trim() === '' ? undefined : tokenFrom(token, 'CATALOGUE_TOKEN');
}

function withHint({ message }: Error, { name, login }: Target, env: NodeJS.ProcessEnv): Error {
  const how = `catalogue login ${name}`;
  if (tokenIn(env) !== undefined)
    return new NotAuthenticatedError(`${message} That is said of CATALOGUE_TOKEN. Without it, sign in with: ${how}`);
  return new NotAuthenticatedError(`${message} Sign in${login ? ' again' : ''} with: ${how}`);
}
