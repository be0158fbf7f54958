/** The built program as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryParent } from './folder.ts';

const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));

/** Options of Node for a module: from the sources, it is compiled when it is loaded. @param module its path or URL */
export const compilerFor = (module: string): readonly string[] => (module.endsWith('.ts') ? ['--import', 'tsx'] : []);

export interface Ended {
  /** null where a signal ended it. */
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads on stdin; nothing otherwise. */
  readonly input?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  /** Another program than the one of this checkout. */
  readonly program?: string;
  /** Number of files and connections that it may have open. */
  readonly openFiles?: number;
  /** Descriptor of a file for its output; by default a pipe. */
  readonly output?: number;
}

/** Starts a command. */
export function start(args: readonly string[], options: RunOptions): ChildProcess {
  const { cwd, env, node = [], program = bin, openFiles, output = 'pipe' } = options;
  const {
    CATALOGUE_DATA: _data,
    CATALOGUE_REMOTE: _remote,
    CATALOGUE_TOKEN: _token,
    NODE_OPTIONS: _options,
    ...others
  } = process.env;
  const own = { XDG_CONFIG_HOME: join(cwd, '.config') };
  const command = [process.execPath, ...node, program, ...args];
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" "$@"`];
  const [file = '', ...rest] = [...limited, ...command];
  return spawn(file, rest, {
    cwd,
    env: { ...others, ...own, ...env },
    stdio: ['pipe', output, 'pipe'],
  });
}

/** Runs a command to its end. */
export async function run(args: readonly string[], options: RunOptions): Promise<Ended> {
  const child = start(args, options);
  child.stdin?.end(options.input ?? '');
  const [[exitCode], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
  ]);
  return { exitCode, out, err };
}

/** Runs a command whose output goes to a file. @returns with `out` empty */
export async function runInto(file: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const output = openSync(file, 'w');
  const child = start(args, { ...options, output });
  closeSync(output);
  child.stdin?.end();
  const [[exitCode], err] = await Promise.all([once(child, 'close'), text(child.stderr as NodeJS.ReadableStream)]);
  return { exitCode, out: '', err };
}

/** Runs a command whose output nobody reads to the end, as in `… | head -0`. */
export async function runUnread(args: readonly string[], options: RunOptions): Promise<Omit<Ended, 'out'>> {
  const child = start(args, options);
  child.stdin?.end();
  child.stdout?.destroy();
  const [[exitCode], err] = await Promise.all([once(child, 'close'), text(child.stderr as NodeJS.ReadableStream)]);
  return { exitCode, err };
}

export interface Server {
  /** What it said: `Serving … at http://…/`. */
  readonly line: string;
  /** `http://host:port` */
  readonly url: string;
  /** What it has said on stderr until now. */
  readonly err: string;
  /** Ends it as Ctrl-C (SIGINT) or a supervisor (SIGTERM) would. */
  end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<Ended>;
  /** Sends the signal and doesn't wait. */
  signal(signal: 'SIGINT' | 'SIGTERM'): void;
}

/** Starts a server, at any port that is free, and waits until it serves. */
export async function serve(args: readonly string[], options: RunOptions): Promise<Server> {
  const child = start(['serve', '--port', '0', ...args], options);
  child.stdin?.end();
  const closed = once(child, 'close');
  let out = '';
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')));
    });
    closed.then(() => reject(new Error(`The server ended: ${out}${err}`)));
  });
  const url = /(http:\/\/\S+)\/$/.exec(line)?.[1] ?? '';
  const end = async (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    const [exitCode] = await closed;
    return { exitCode, out, err };
  };
  const send = (signal: 'SIGINT' | 'SIGTERM') => void child.kill(signal);
  return {
    ...{ line, url, end, signal: send },
    get err() {
      return err;
    },
  };
}

/** A folder that is gone afterwards. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(temporaryParent(), 'catalogue-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
