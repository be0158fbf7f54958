/** The catalogue that a command works on: local, in a folder, or remote, on a server. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotAuthenticatedError } from '../catalogue/errors.ts';
import type { Call, GlobalOptions, SignIn, WorksOn } from './command.ts';
import type { Context, RemoteCatalogue } from './context.ts';
import { UsageError } from './errors.ts';
import { chooseCatalogueFolder, findCatalogueFolder } from './folder.ts';
import { type FoundRemote, resolveRemote, tokenFromText } from './remote/remotes.ts';

type RemoteAccess = Pick<Call, 'remote' | 'remoteUrl' | 'signInAt' | 'allowTokenAt'>;

interface Catalogues extends Pick<Call, 'folder' | 'isRemote' | 'open' | 'accounts' | keyof RemoteAccess> {
  /** Adds to an error of a remote that asks for a sign-in what to type. Other errors stay as they are. */
  withHint(error: unknown): unknown;
}

/**
 * Opens the catalogues of a command line. An option wins over the environment; there, CATALOGUE_REMOTE wins over
 * CATALOGUE_DATA. Nothing is looked up or opened before it is asked for.
 * @param name the command, as it is typed
 * @throws UsageError where the options don't fit the command
 */
export function cataloguesForCommand(
  context: Context,
  global: GlobalOptions,
  name: string,
  on: WorksOn | undefined,
): Catalogues {
  const { env, cwd } = context;
  if (on === 'folder' && global.remote !== undefined)
    throw new UsageError(
      `${name} works on a folder, not on a remote. Leave out --remote; say which folder: --data DIR`,
    );
  if (on === undefined && global.remote !== undefined && global.data !== undefined)
    throw new UsageError('--data means a folder and --remote a remote catalogue: give one of them.');
  const fromEnvironment =
    on === 'folder' || (on === undefined && global.data !== undefined) ? '' : env.CATALOGUE_REMOTE;
  const selected = global.remote ?? (fromEnvironment || undefined);
  const isRemote = on === undefined && selected !== undefined;

  const { withHint, ...access } = remoteAccess(context, selected, findCatalogueFolder(global.data, cwd, env));
  const connect = access.remote;
  let local: Promise<Catalogue> | undefined;
  async function openLocal(): Promise<Catalogue> {
    local ??= context.open(chooseCatalogueFolder(global.data, cwd, env));
    return local;
  }

  return {
    isRemote,
    folder() {
      if (!isRemote) return chooseCatalogueFolder(global.data, cwd, env);
      throw new UsageError(
        `${name} works on a folder, not on a remote (${global.remote === undefined ? 'CATALOGUE_REMOTE' : '--remote'} ` +
          'says so). Say which folder: --data DIR',
      );
    },
    open: () => (isRemote ? connect() : openLocal()),
    accounts: async () =>
      isRemote ? (await connect()).accounts : context.accounts(chooseCatalogueFolder(global.data, cwd, env)),
    ...access,
    withHint,
  };
}

/**
 * Finds and connects remotes, each once. CATALOGUE_TOKEN is sent to the selected remote only: the address in a folder that
 * somebody else made must not get it.
 * @param selected the remote that is meant unless another is given; without it, the folder's origin is
 * @param root absolute path of the catalogue folder, whose origin is called `origin`; null outside of a catalogue
 */
function remoteAccess(context: Context, selected: string | undefined, root: string | null) {
  const { env } = context;
  const found = new Map<string | undefined, Promise<FoundRemote & { readonly isFromFolder: boolean }>>();
  async function find(given = selected) {
    const known = found.get(given) ?? lookUp(given);
    found.set(given, known);
    return known;
  }
  async function lookUp(given: string | undefined) {
    const [{ readRemotes }, { findOriginRemote, findPresentOrigin, originName }] = await Promise.all([
      import('./remote/remotes-file.ts'),
      import('./remote/origin.ts'),
    ]);
    const data = await readRemotes(env);
    const origin =
      given === originName
        ? await findOriginRemote(root, data)
        : given === undefined && root !== null
          ? await findPresentOrigin(root, data)
          : null;
    const meant = origin?.url ?? given;
    if (meant === undefined)
      throw new UsageError('Say which remote catalogue is meant: --remote NAME or its URL. See: catalogue remote list');
    return { ...resolveRemote(data, meant), isFromFolder: origin !== null };
  }

  const allowed = new Set(selected === undefined ? [] : [selected]);
  async function signInAt(given?: string): Promise<SignIn> {
    const { url, login } = await find(given);
    const token = tokenIn(env);
    if (token === undefined) return { token: login?.token, isFromEnvironment: false };
    for (const name of allowed) {
      const remote = await find(name);
      if (remote.url === url && !remote.isFromFolder) return { token, isFromEnvironment: true };
    }
    return { token: login?.token, isFromEnvironment: false };
  }

  const connected = new Map<string, Promise<RemoteCatalogue>>();
  let last: FoundRemote | undefined;
  let isTokenSent = false;
  async function connect(given?: string): Promise<RemoteCatalogue> {
    last = await find(given);
    const { token, isFromEnvironment } = await signInAt(given);
    isTokenSent = isFromEnvironment;
    const known = connected.get(last.url) ?? context.connect(last.url, { token });
    connected.set(last.url, known);
    return known;
  }

  const withHint = (error: unknown) =>
    error instanceof NotAuthenticatedError && last ? hinted(error, last, isTokenSent) : error;
  return {
    remote: connect,
    remoteUrl: async (given?: string) => (await find(given)).url,
    signInAt,
    allowTokenAt(given: string) {
      if (selected === undefined) allowed.add(given);
    },
    withHint,
  };
}

/** The token in the environment. @throws UsageError where it can't be a token; the message doesn't quote it */
function tokenIn({ CATALOGUE_TOKEN: token = '' }: NodeJS.ProcessEnv): string | undefined {
  return token.trim() === '' ? undefined : tokenFromText(token, 'CATALOGUE_TOKEN');
}

function hinted({ message }: Error, { name, login }: FoundRemote, isTokenSent: boolean): Error {
  const how = `catalogue login ${name}`;
  if (isTokenSent)
    return new NotAuthenticatedError(
      `${message} The token in CATALOGUE_TOKEN is refused. Unset it, and sign in with: ${how}`,
    );
  return new NotAuthenticatedError(`${message} Sign in${login ? ' again' : ''} with: ${how}`);
}
