/** The command line against a catalogue in a temporary folder: what was typed, what came out, what is in the folder. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Context } from '../../src/cli/context.ts';
import { main } from '../../src/cli/main.ts';
import { FileCatalogue, openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type CheckResult, checkFolder } from '../../src/files/folder.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import type { ServeOptions, Serving } from '../../src/serve.ts';
import { CatalogueFolder, type FolderContent, homeOf, removeFolder, temporaryParent } from './folder.ts';

export interface PromptOptions {
  /** What a catalogue of its own has in it. */
  readonly seed?: FolderContent;
  /** The catalogue that an earlier command line left, by its folder. */
  readonly root?: string;
  /** What the catalogue does otherwise than it would: a fault that nothing else brings about. */
  readonly faults?: Partial<Catalogue>;
  readonly terminal?: boolean;
  readonly columns?: number;
  /** Width of the terminal of stderr at each look at it, the last one from then on; by default that of stdout. */
  readonly columnsOfMessages?: readonly number[];
  readonly env?: NodeJS.ProcessEnv;
  /** Default: the folder that the catalogue's lies in. */
  readonly cwd?: string;
  /** The answer to every question; without it there must be none. */
  readonly answer?: boolean;
  /** What is typed, shown or not, question by question. */
  readonly secrets?: readonly string[];
  /** Files in the current folder; `-` is what comes on stdin. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly stdin?: Readable;
  /** When Ctrl-C is pressed; never otherwise. */
  readonly interrupted?: Promise<void>;
  /** What the check finds, in place of what it would. */
  readonly report?: CheckResult;
  serve?(options: ServeOptions): Promise<Serving>;
}

export interface Result {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** What a terminal shows: both, in the order in which they were written. */
  readonly screen: string;
  /** The folder's catalogue, opened anew. */
  readonly catalogue: Catalogue;
  readonly root: string;
  readonly cwd: string;
  /** Every file of the catalogue but caches and locks. */
  files(): readonly string[];
  readonly questions: readonly string[];
  /** Folders that were opened. */
  readonly opened: readonly string[];
  /** What was asked of the check. */
  readonly checks: readonly unknown[];
}

export const trees = 'name,height,longitude,latitude\noak,12.5,4.5,51.9\nelm,9,4.6,51.8\nash,10,4.7,51.7\n';
const sumOfTrees = '1d815fe423aa96641b97f8ccb15ec0325b3263fe32d493fc876d7d2bbdb9d4b5';

export const seed: FolderContent = {
  namespaces: { parks: { id: 1, label: 'Parks department' }, water: { id: 2, label: 'Water works' } },
  datasets: {
    'parks/trees': {
      id: 11,
      label: 'Trees',
      keywords: ['nature'],
      licence: 'CC0-1.0',
      columns: [
        { type: 'geometry', name: 'geometry' },
        { type: 'string', name: 'name' },
        { type: 'float', name: 'height', unit: 'm' },
        { type: 'float', name: 'longitude' },
        { type: 'float', name: 'latitude' },
      ],
    },
    'parks/benches': { id: 12, label: 'Benches', description: 'To sit on.' },
    'water/wells': { id: 13, label: '井戸', visibility: 'private' },
  },
  versions: {
    'parks/trees@20200102030405000000': {
      id: 21,
      checksum: sumOfTrees,
      rows: 3,
      file: { name: 'trees.csv', format: 'csv', size: trees.length },
    },
  },
  files: { [`${homeOf('parks/trees')}/data/trees.csv`]: trees },
};

const home = mkdtempSync(join(temporaryParent(), 'catalogue-prompt-'));
after(() => removeFolder(home));
let count = 0;

/** Makes a catalogue folder that is gone when the file's tests end. @returns its path */
export async function makeRoot(content: FolderContent = seed): Promise<string> {
  const root = join(home, String(count++), 'catalogue-data');
  new CatalogueFolder(root, content);
  return root;
}

/** Types a command line. */
export async function type(argv: readonly string[], options: PromptOptions = {}): Promise<Result> {
  const { terminal = false, answer, files = {}, faults } = options;
  const root = options.root ?? (await makeRoot(options.seed));
  const cwd = options.cwd ?? dirname(root);
  for (const [name, content] of Object.entries(files)) if (name !== '-') writeIn(cwd, name, content);
  const out: Buffer[] = [];
  const err: string[] = [];
  const screen: Buffer[] = [];
  const show = (bytes: Buffer, list: Buffer[] = []) => void [list, screen].map((one) => one.push(bytes));
  const questions: string[] = [];
  const widths = [...(options.columnsOfMessages ?? [])];
  const opened: string[] = [];
  const checks: unknown[] = [];
  const closing: { close(): Promise<void> }[] = [];
  const stdin = () => options.stdin ?? Readable.from([Buffer.from(files['-'] ?? '')]);
  const context: Context = {
    out: (text) => show(Buffer.from(text), out),
    async write(bytes) {
      for await (const chunk of bytes) show(Buffer.from(chunk), out);
    },
    err(text) {
      err.push(text);
      show(Buffer.from(text));
    },
    isTerminal: { in: terminal, out: terminal, err: terminal },
    columns: options.columns ?? 80,
    columnsOfMessages: () => (widths.length > 1 ? widths.shift() : widths[0]) ?? options.columns ?? 80,
    // What the one who runs the tests has signed in to is nothing to touch.
    env: { CATALOGUE_DATA: root, NO_COLOR: '1', XDG_CONFIG_HOME: join(cwd, '.config'), ...options.env },
    cwd,
    async confirm(question) {
      questions.push(question);
      if (answer === undefined) throw new Error(`Nobody expected to be asked: ${question}`);
      return answer;
    },
    async ask(question) {
      const typed = (options.secrets ?? [])[questions.push(question) - 1];
      if (typed === undefined) throw new Error(`Nobody expected to be asked: ${question}`);
      return typed;
    },
    async secret(question) {
      const typed = (options.secrets ?? [])[questions.push(question) - 1];
      if (typed === undefined) throw new Error(`Nobody expected to be asked: ${question}`);
      return typed;
    },
    read: async (path) => (path === '-' ? text(stdin()) : readFile(resolve(cwd, path), 'utf8').catch(named(path))),
    stdin,
    interrupted: () => options.interrupted ?? new Promise(() => {}),
    async accounts(folder) {
      const catalogue = await openFileCatalogue(resolve(cwd, folder));
      closing.push(catalogue);
      return catalogue.accounts;
    },
    async open(folder, { readOnly = false } = {}) {
      opened.push(folder);
      const catalogue = await openFileCatalogue(resolve(cwd, folder), { readOnly });
      closing.push(catalogue);
      const view = catalogue.for();
      return faults ? withFaults(view, faults) : view;
    },
    async connect(url, asked) {
      const catalogue = await openRemoteCatalogue(url, asked);
      closing.push(catalogue);
      return catalogue;
    },
    async check(folder, { onProgress = () => {}, ...asked }) {
      checks.push({ folder, ...asked });
      if (!options.report) return checkFolder(resolve(cwd, folder), { ...asked, onProgress });
      for (const done of [0, 1, 1, 2]) onProgress(done, 2);
      return options.report;
    },
    serve: options.serve ?? (() => Promise.reject(new Error('Nobody expected to serve.'))),
    async close() {
      for (const catalogue of closing.splice(0)) await catalogue.close();
    },
  };
  const exitCode = await main(argv, context);
  return {
    exitCode,
    out: Buffer.concat(out).toString(),
    err: err.join(''),
    screen: Buffer.concat(screen).toString(),
    // Not by `openFileCatalogue`, which makes the schemas for editors.
    catalogue: new FileCatalogue(root, {}).for(),
    root,
    cwd,
    files: () => filesIn(root),
    questions,
    opened,
    checks,
  };
}

function writeIn(folder: string, name: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

/** Errors name the file as it was typed. */
const named = (path: string) => (error: NodeJS.ErrnoException) => {
  throw Object.assign(error, { path });
};

function withFaults(catalogue: Catalogue, faults: Partial<Catalogue>): Catalogue {
  return new Proxy(catalogue, {
    get(target, name) {
      const value = Reflect.get(name in faults ? faults : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Every file in a catalogue folder but caches and locks, hidden ones too. Links aren't followed (Node 26 does with `recursive`). */
export function filesIn(root: string): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return path === '.catalogue' ? [] : below(path);
      return entry.isFile() ? [path] : [];
    });
  return [...below('')].sort();
}
