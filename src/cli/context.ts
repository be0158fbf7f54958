/**
 * The context of a command: everything outside of it that it needs, in one small value. `main` gets it, and nothing below
 * reaches past it; a test hands in another one.
 */
import type { Readable, Writable } from 'node:stream';
import type { Credentials } from '../catalogue/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { escapeToOneLine } from '../catalogue/printable-text.ts';
import type { CheckOptions, CheckResult } from '../files/folder.ts';
import type { HttpOptions } from '../remote/http.ts';
import type { ServeOptions, Serving } from '../serve.ts';
import { InterruptedError } from './errors.ts';
import { systemErrorText } from './output/system-errors.ts';

/** A remote catalogue, with its accounts. */
export interface RemoteCatalogue extends Catalogue {
  readonly accounts: Credentials;
}

/** Only a remote catalogue brings its accounts along. */
export const isRemoteCatalogue = (catalogue: Catalogue): catalogue is RemoteCatalogue => 'accounts' in catalogue;

export interface Context {
  /** Writes a part of the result, on stdout. */
  out(text: string): void;
  /**
   * Writes bytes as a part of the result, on stdout, no faster than they are taken.
   * @param options.isWhole true if a part of them is of no use: then a reader that stops early is an error
   */
  write(bytes: Readable, options?: { readonly isWhole?: boolean }): Promise<void>;
  /** Writes a message, on stderr. */
  err(text: string): void;
  readonly isTerminal: { readonly in: boolean; readonly out: boolean; readonly err: boolean };
  /** Width of the terminal that shows results. */
  readonly columns: number;
  /** Width of the terminal that shows messages, at this moment. */
  columnsOfMessages(): number;
  /** True if only errors are written on stderr. */
  readonly quiet?: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Asks a yes-or-no question; without an answer it is no. @throws InterruptedError at Ctrl-C, as the others that ask */
  confirm(question: string): Promise<boolean>;
  /** Asks for a line of text; '' if nothing is typed. */
  ask(question: string): Promise<string>;
  /** Asks for a line that isn't shown while it is typed; '' if nothing is typed. */
  secret(question: string): Promise<string>;
  /** The text of a file; that of stdin for `-`. */
  read(path: string): Promise<string>;
  /** The bytes of stdin. */
  stdin(): Readable;
  /** Resolves at Ctrl-C or SIGTERM, or when the npm that started the program has ended. The second time, the program ends at once. */
  interrupted(): Promise<void>;
  /**
   * Opens the catalogue in a folder as its local admin, who may see and do everything.
   * @param options.whole true if all of it will be read: then a cache is kept for the next time
   * @param options.readOnly true to write nothing, not even caches
   */
  open(folder: string, options?: { readonly whole?: boolean; readonly readOnly?: boolean }): Promise<Catalogue>;
  /** The accounts of the catalogue in a folder. */
  accounts(folder: string): Promise<Credentials>;
  /** Opens the catalogue at an address, as the token's user. @throws UnreachableError, NotAuthenticatedError */
  connect(url: string, options: HttpOptions): Promise<RemoteCatalogue>;
  /** Checks the files of a catalogue. */
  check(folder: string, options: CheckOptions): Promise<CheckResult>;
  /** Serves a catalogue over HTTP; resolves once it answers. */
  serve(options: ServeOptions): Promise<Serving>;
  /** Closes what was opened. */
  close(): Promise<void>;
}

/** The context of this process. */
export function processContext(): Context {
  const { stdout } = process;
  // Node makes a stream at the first look at it: most commands need neither of these.
  const stdin = () => process.stdin;
  let errors: NodeJS.WriteStream | undefined;
  let interruption: Promise<void> | undefined;
  const stderr = (): NodeJS.WriteStream => {
    // Messages that can't be written have no reader; the work goes on.
    errors ??= process.stderr.on('error', () => {});
    return errors;
  };

  return {
    ...resultsOn(stdout, stderr),
    err: (text) => void stderr().write(text),
    isTerminal: {
      get in() {
        return Boolean(stdin().isTTY);
      },
      out: Boolean(stdout.isTTY),
      get err() {
        return Boolean(stderr().isTTY);
      },
    },
    columns: stdout.columns || 80,
    columnsOfMessages: () => stderr().columns || stdout.columns || 80,
    env: process.env,
    cwd: process.cwd(),
    ...promptsOn(stdin, stderr),

    async read(path) {
      if (path === '-') {
        const { text } = await import('node:stream/consumers');
        return text(stdin());
      }
      const { readFile } = await import('node:fs/promises');
      return readFile(path, 'utf8');
    },
    stdin,

    interrupted() {
      interruption ??= new Promise((resolve) => {
        let asked = false;
        // The listeners stay: without one of ours, signal-exit (which proper-lockfile brings) kills the process.
        const stop = (signal: keyof typeof exitSignals) => {
          if (asked) process.exit(128 + exitSignals[signal]);
          asked = true;
          resolve();
        };
        process.on('SIGINT', stop);
        process.on('SIGTERM', stop);
        // A signal to "npm start" ends npm and its shell, but isn't passed on to this process.
        const parent = process.ppid;
        const isOrphan = () => process.ppid !== parent && !asked && stop('SIGTERM');
        if (process.env.npm_lifecycle_event) setInterval(isOrphan, 500).unref();
      });
      return interruption;
    },

    ...opening((line) => void stderr().write(`${escapeToOneLine(line)}\n`)),
  };
}

/** Numbers of the signals that ask a process to end (POSIX, kill). */
const exitSignals = { SIGINT: 2, SIGTERM: 15 };

/**
 * Results on stdout. When nobody reads on (`catalogue dataset list | head`) the rest of them is dropped and the command goes
 * on: it may be at work. One that has nothing but bytes to write ends. Output that can't be written, as on a full disk, is
 * an error.
 */
function resultsOn(stdout: NodeJS.WriteStream, stderr: () => Writable): Pick<Context, 'out' | 'write'> {
  let isUnread = false;
  let isWhole = false;
  let isWriting = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isError = error.code !== 'EPIPE' || isWhole;
    if (isWriting && !isError) process.exit(0);
    // While bytes are written, the error is that of the command.
    if (isError && !isWriting && !isUnread) {
      stderr().write(`error: ${systemErrorText(error) ?? error.message}\n`);
      process.on('exit', () => {
        process.exitCode ||= 1;
      });
    }
    isUnread = true;
  });

  return {
    out(text) {
      if (!isUnread) stdout.write(text);
    },
    async write(bytes, options = {}) {
      isWhole = options.isWhole ?? false;
      isWriting = true;
      try {
        const { pipeline } = await import('node:stream/promises');
        await pipeline(bytes, stdout, { end: false });
      } finally {
        isWriting = false;
      }
    },
  };
}

/**
 * Questions to the person at the terminal: asked on stderr, answered on stdin. The end of the input is an empty answer;
 * Ctrl-C ends the command before it changes anything.
 */
function promptsOn(stdin: () => Readable, stderr: () => Writable): Pick<Context, 'confirm' | 'ask' | 'secret'> {
  /** @param isHidden true for an answer that the terminal doesn't show */
  async function ask(question: string, isHidden = false): Promise<string> {
    const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline'), import('node:stream')]);
    const shown = stderr();
    const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : shown;
    const prompt = createInterface({ input: stdin(), output, ...(isHidden && { terminal: true, historySize: 0 }) });
    let isInterrupted = false;
    try {
      return await new Promise<string>((resolve, reject) => {
        prompt.on('SIGINT', () => {
          isInterrupted = true;
          reject(new InterruptedError('Interrupted. Nothing was changed.'));
        });
        prompt.on('close', () => resolve(''));
        // From here on the terminal shows nothing by itself: somebody who reads the question may type.
        if (isHidden) shown.write(question);
        prompt.question(isHidden ? '' : question, resolve);
      });
    } finally {
      if (isHidden || isInterrupted) shown.write('\n');
      prompt.close();
    }
  }

  return {
    confirm: async (question) => /^\s*y(es)?\s*$/i.test(await ask(`${question} [y/N] `)),
    ask: (question) => ask(`${question} `),
    secret: (question) => ask(`${question} `, true),
  };
}

/** Opens folders, remotes and servers, and remembers them until they are closed. @param log takes warnings */
function opening(
  log: (line: string) => void,
): Pick<Context, 'open' | 'accounts' | 'connect' | 'check' | 'serve' | 'close'> {
  const opened: { close(): Promise<void> }[] = [];
  const door = () => import('../files/folder.ts');

  async function openFolder(folder: string, whole = false, readOnly = false) {
    // What a server has kept is read by commands that need everything; only those that often do write it.
    const cache = whole || 'read';
    const { openFolder: open } = await door();
    // No limit of time: only the person at the prompt waits, and Ctrl-C is at hand.
    const catalogue = await open(folder, { watch: false, cache, readOnly, patience: Number.POSITIVE_INFINITY, log });
    opened.push(catalogue);
    return catalogue;
  }

  return {
    open: async (folder, { whole, readOnly } = {}) => (await openFolder(folder, whole, readOnly)).for(),
    accounts: async (folder) => (await openFolder(folder)).accounts,
    async connect(url, options) {
      const { openRemoteCatalogue } = await import('../remote/remote-catalogue.ts');
      const catalogue = await openRemoteCatalogue(url, options);
      opened.push(catalogue);
      return catalogue;
    },
    check: async (folder, options) =>
      (await door()).checkFolder(folder, {
        findCommonTexts: async (paths) => (await import('./sync/common-texts.ts')).findCommonTexts(folder, paths),
        ...options,
      }),
    async serve(options) {
      const { startServer } = await import('../serve.ts');
      return startServer(options);
    },
    async close() {
      await Promise.all(opened.splice(0).map((catalogue) => catalogue.close()));
    },
  };
}
