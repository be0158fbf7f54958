/**
 * The world, as far as the command line needs it, in one small value: `main` gets it and nothing below reaches past it.
 * A test hands in another one.
 */
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { Credentials } from '../catalogue/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Diagnostic } from '../catalogue/types.ts';
import type { RequestTold } from '../remote/http.ts';
import { oneLine } from './output/text.ts';

/** What is wrong with a file. */
export interface CheckProblem extends Diagnostic {
  readonly severity: 'error' | 'warning';
  /** Whether `catalogue check --fix` mends it. */
  readonly fixable: boolean;
}

export interface CheckAsked {
  /** Mend what can be mended. */
  readonly fix: boolean;
  /** Read the payloads as well. */
  readonly deep: boolean;
  /** Only what changed in git since a commit, or what is staged in the index or in another. */
  readonly changed?:
    | { readonly since: string | undefined }
    | { readonly staged: true; readonly index: string | undefined };
  onProgress(done: number, total: number): void;
}

export interface CheckReport {
  readonly problems: readonly CheckProblem[];
  readonly fixed: readonly CheckProblem[];
  /** How many files were looked at. */
  readonly files: number;
  /** Where only what changed was looked at: since when. */
  readonly since?: string;
}

export interface ServeOptions {
  readonly folder: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly baseUrl?: string;
  readonly readOnly?: boolean;
  readonly logFormat?: 'text' | 'json';
  readonly metrics?: boolean;
  log(line: string): void;
}

export interface Served {
  readonly url: string;
  readonly title: string;
  close(): Promise<void>;
}

/** A catalogue elsewhere, with those who may sign in to it. */
export interface RemoteCatalogue extends Catalogue {
  readonly accounts: Credentials;
}

export interface ConnectOptions {
  readonly token?: string | undefined;
  /** Told of every request that was answered. */
  readonly onRequest?: ((told: RequestTold) => void) | undefined;
}

export interface Context {
  /** Writes a part of the result, on stdout. */
  out(text: string): void;
  /** Writes bytes as a part of the result, on stdout, no faster than they are taken. */
  write(bytes: Readable): Promise<void>;
  /** Writes a message, on stderr. */
  err(text: string): void;
  readonly isTerminal: { readonly in: boolean; readonly out: boolean; readonly err: boolean };
  /** Width of the terminal. */
  readonly columns: number;
  /** Whether nothing but errors is wanted on stderr. */
  readonly quiet?: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Asks a question that is answered by yes or no; no answer is no. */
  confirm(question: string): Promise<boolean>;
  /** Asks for a line of text; '' where nothing is typed. */
  ask(question: string): Promise<string>;
  /** Asks for something that isn't shown while it is typed; '' where nothing is. */
  secret(question: string): Promise<string>;
  /** The text of a file; that of stdin for `-`. */
  read(path: string): Promise<string>;
  /** The bytes of stdin. */
  stdin(): Readable;
  /** Waits until somebody wants the program to end: Ctrl-C or SIGTERM. The second time, it ends at once. */
  interrupted(): Promise<void>;
  /**
   * Opens the catalogue in a folder, for one who may see and do everything.
   * @param options.whole whether all of it will be read: then what was read is kept for the next time
   */
  open(folder: string, options?: { readonly whole?: boolean }): Promise<Catalogue>;
  /** Who may sign in to the catalogue in a folder. */
  accounts(folder: string): Promise<Credentials>;
  /** Opens the catalogue at an address, for whom the token stands for. @throws UnreachableError, NotAuthenticatedError */
  connect(url: string, options: ConnectOptions): Promise<RemoteCatalogue>;
  /** Looks at every file of a catalogue. */
  check(folder: string, options: CheckAsked): Promise<CheckReport>;
  /** Serves a catalogue over HTTP; resolves when it answers. */
  serve(options: ServeOptions): Promise<Served>;
  /** Lets go of what was opened. */
  close(): Promise<void>;
}

/** The world of this process. */
export function processContext(): Context {
  const { stdin, stdout, stderr } = process;
  // `catalogue dataset list | head` ends quietly: whoever stops reading has seen enough.
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  const opened: { close(): Promise<void> }[] = [];

  async function filesIn(folder: string, cache = false) {
    const { openFolder } = await import('../files/file-catalogue.ts');
    const log = (line: string) => void stderr.write(`${oneLine(line)}\n`);
    // Nobody but the one who typed waits for the answer, and Ctrl-C is at hand.
    const files = await openFolder(folder, { watch: false, cache, patience: Number.POSITIVE_INFINITY, log });
    opened.push(files);
    return files;
  }

  return {
    out: (text) => void stdout.write(text),
    async write(bytes) {
      const { pipeline } = await import('node:stream/promises');
      await pipeline(bytes, stdout, { end: false });
    },
    err: (text) => void stderr.write(text),
    isTerminal: { in: Boolean(stdin.isTTY), out: Boolean(stdout.isTTY), err: Boolean(stderr.isTTY) },
    columns: stdout.columns || 80,
    env: process.env,
    cwd: process.cwd(),

    async confirm(question) {
      const { createInterface } = await import('node:readline');
      const prompt = createInterface({ input: stdin, output: stderr });
      try {
        return await new Promise<boolean>((resolve) => {
          prompt.on('close', () => resolve(false));
          prompt.question(`${question} [y/N] `, (answer) => resolve(/^\s*y(es)?\s*$/i.test(answer)));
        });
      } finally {
        prompt.close();
      }
    },

    async ask(question) {
      const { createInterface } = await import('node:readline');
      const prompt = createInterface({ input: stdin, output: stderr });
      try {
        return await new Promise<string>((resolve) => {
          prompt.on('close', () => resolve(''));
          prompt.question(`${question} `, resolve);
        });
      } finally {
        prompt.close();
      }
    },

    async secret(question) {
      const { createInterface } = await import('node:readline');
      const { Writable } = await import('node:stream');
      const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
      stderr.write(`${question} `);
      const prompt = createInterface({ input: stdin, output: unseen, terminal: true, historySize: 0 });
      try {
        return await new Promise<string>((resolve) => {
          prompt.on('close', () => resolve(''));
          prompt.question('', resolve);
        });
      } finally {
        prompt.close();
        stderr.write('\n');
      }
    },

    async read(path) {
      if (path === '-') {
        const { text } = await import('node:stream/consumers');
        return text(stdin);
      }
      const { readFile } = await import('node:fs/promises');
      return readFile(path, 'utf8');
    },

    stdin: () => stdin,

    interrupted: () =>
      new Promise((resolve) => {
        let asked = false;
        // The listeners stay: without one that is ours, signal-exit (which proper-lockfile brings) kills the process.
        const stop = (signal: NodeJS.Signals) => {
          if (asked) process.exit(128 + constants.signals[signal]);
          asked = true;
          resolve();
        };
        process.on('SIGINT', stop);
        process.on('SIGTERM', stop);
      }),

    open: async (folder, { whole } = {}) => (await filesIn(folder, whole)).for(),
    accounts: async (folder) => (await filesIn(folder)).accounts,

    async connect(url, options) {
      const { connect } = await import('../remote/connect.ts');
      const catalogue = await connect(url, options);
      opened.push(catalogue);
      return catalogue;
    },

    async check(folder, options) {
      const { checkFolder } = await import('../files/checking/check.ts');
      return checkFolder(folder, options);
    },

    async serve(options) {
      const { startServer } = await import('../serve.ts');
      return startServer(options);
    },

    async close() {
      await Promise.all(opened.splice(0).map((files) => files.close()));
    },
  };
}
