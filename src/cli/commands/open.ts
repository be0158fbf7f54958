/** `catalogue open`: a page of the catalogue, in the browser. */
import { spawn } from 'node:child_process';
import { Option } from 'commander';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { UnreachableError } from '../../catalogue/errors.ts';
import { parseDatasetRef, parseVersionRef, refFromSlug } from '../../catalogue/parse-ref.ts';
import { type Ref, refOf } from '../../catalogue/ref.ts';
import { apiPath, apiRoot } from '../../catalogue/urls.ts';
import type { Call, Verb } from '../command.ts';
import { findEntityOrRenamed, resolveVersionRef } from '../lookup.ts';
import { defaultPort, wholeNumberParser } from '../options.ts';
import { typedCommand } from '../typed-command.ts';

interface OpenOptions {
  readonly port?: number;
  readonly print?: boolean;
}

/** Milliseconds: a server on this machine answers at once. */
const patience = 3000;

export const command: Verb<OpenOptions> = {
  usage: 'open [name]',
  description: 'Open the page of a dataset, version or namespace in the browser.',
  notes:
    'With --remote, it is a page of that server; else of the base_url in catalogue.yaml, or of a server on this machine. ' +
    'The browser is that of $BROWSER, or the default one of the system.',
  examples: ['catalogue open parks/trees', 'catalogue open parks/trees@latest --print', 'catalogue open parks'],
  options: () => [
    new Option('--port <number>', `Port of the server on this machine. Default: ${defaultPort}.`).argParser(
      wholeNumberParser(1, 65_535),
    ),
    new Option('--print', 'Print the address instead of opening it.'),
  ],
  async run(call, [name], { port, print }) {
    const { show, context } = call;
    const catalogue = await call.open();
    const ref = name === undefined ? undefined : await refFor(call, catalogue, name);
    const url = (await baseOf(call, catalogue, port)) + (ref ? apiPath(ref) : '/');
    if (print || show.asJson) {
      if (show.asJson) show.json({ url });
      else show.line(url);
      return 0;
    }
    show.message(`Opening ${url}`);
    if (await openBrowser(url, context.env)) return 0;
    throw new UnreachableError(`No browser could be started. Set BROWSER, or open this address yourself: ${url}`);
  },
};

/** The reference that a name stands for. @throws NotFoundError with a suggestion */
async function refFor(call: Call, catalogue: Catalogue, name: string): Promise<Ref> {
  if (name.includes('@')) return (await resolveVersionRef(call, catalogue, parseVersionRef(name))).ref;
  return refOf(
    await findEntityOrRenamed(
      call,
      catalogue,
      name.includes('/') ? parseDatasetRef(name) : refFromSlug('namespace', name),
    ),
  );
}

/** The base of the page's address, without a slash at the end. @throws UnreachableError if no server is found */
async function baseOf(call: Call, catalogue: Catalogue, port: number | undefined): Promise<string> {
  if (call.isRemote) return call.remoteUrl();
  // The settings are known once something was read.
  await catalogue.list('namespace', { pageSize: 1 });
  const { base_url } = catalogue.settings;
  if (port === undefined && base_url) return base_url.replace(/\/+$/, '');
  const base = `http://127.0.0.1:${port ?? defaultPort}`;
  if (await isServed(base)) return base;
  const serve = typedCommand(call, 'serve');
  throw new UnreachableError(
    `No catalogue is served at ${base}. Start one with: ${serve}${port === undefined ? '' : ` --port ${port}`}` +
      `${port === undefined ? ', name its port with --port, or set base_url in catalogue.yaml' : ''}`,
  );
}

async function isServed(base: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(patience);
    const answer = await fetch(base + apiRoot, { headers: { Accept: 'application/json' }, signal });
    return answer.ok && 'endpoints' in Object(await answer.json());
  } catch {
    return false;
  }
}

interface BrowserCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** True for a command of $BROWSER, which may need the terminal, as lynx does. */
  readonly isOwn: boolean;
}

/** The commands that may open an address, the best first: $BROWSER, else that of the system. No shell reads the address. */
export function commandsToOpenUrl(
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): readonly BrowserCommand[] {
  // As xdg-open reads $BROWSER: several commands are separated by colons, and %s is the address.
  const own = (env.BROWSER ?? '')
    .split(/:(?!\/\/|\\)/)
    .filter((command) => command.trim() !== '')
    .map((command) => {
      const line = command.includes('%s') ? command.replace(/'%s'|"%s"|%s/g, '"$1"') : `${command} "$1"`;
      return { program: 'sh', args: ['-c', line, 'browser', url], isOwn: true };
    });
  if (platform === 'win32') return [{ program: 'rundll32', args: ['url.dll,FileProtocolHandler', url], isOwn: false }];
  return [...own, { program: platform === 'darwin' ? 'open' : 'xdg-open', args: [url], isOwn: false }];
}

/** Opens an address in a browser. @returns true if a browser has taken it */
async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (const { program, args, isOwn } of commandsToOpenUrl(url, env, process.platform)) {
    const child = spawn(program, args, { env, stdio: isOwn ? 'inherit' : 'ignore' });
    const isOpened = await new Promise<boolean>((resolve) => {
      child.on('error', () => resolve(false));
      child.on('close', (code) => resolve(code === 0));
    });
    if (isOpened) return true;
  }
  return false;
}
