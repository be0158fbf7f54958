/** The command line against a catalogue in memory: what was typed, what came out. */
import type { CheckReport, Context, Served, ServeOptions } from '../../src/cli/context.ts';
import { main } from '../../src/cli/main.ts';
import { MemoryCatalogue, type Seed } from './memory-catalogue.ts';

export interface PromptOptions {
  readonly seed?: Seed;
  readonly catalogue?: MemoryCatalogue;
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The answer to every question; without it there must be none. */
  readonly answer?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly report?: CheckReport;
  serve?(options: ServeOptions): Promise<Served>;
}

export interface Result {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly catalogue: MemoryCatalogue;
  readonly questions: readonly string[];
  /** Folders that were opened. */
  readonly opened: readonly string[];
  /** What was asked of the check. */
  readonly checks: readonly unknown[];
}

export const seed: Seed = {
  namespaces: { parks: { id: 1, label: 'Parks department' }, water: { id: 2, label: 'Water works' } },
  datasets: {
    'parks/trees': {
      id: 11,
      label: 'Trees',
      keywords: ['nature'],
      licence: 'CC0-1.0',
      columns: [{ type: 'geometry', name: 'geometry' }],
    },
    'parks/benches': { id: 12, label: 'Benches', description: 'To sit on.' },
    'water/wells': { id: 13, label: '井戸', visibility: 'private' },
  },
  versions: { 'parks/trees@20200102030405000000': { id: 21, rows: 3, file: { name: 'trees.csv', format: 'csv' } } },
};

/** Types a command line. */
export async function type(argv: readonly string[], options: PromptOptions = {}): Promise<Result> {
  const { terminal = false, answer } = options;
  const catalogue = options.catalogue ?? new MemoryCatalogue(options.seed ?? seed);
  const out: string[] = [];
  const err: string[] = [];
  const questions: string[] = [];
  const opened: string[] = [];
  const checks: unknown[] = [];
  const cwd = options.cwd ?? '/';
  const context: Context = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    isTerminal: { in: terminal, out: terminal, err: terminal },
    columns: options.columns ?? 80,
    // The root folder is there on every system; the catalogue in memory doesn't mind.
    env: { CATALOGUE_DATA: '/', NO_COLOR: '1', ...options.env },
    cwd,
    async confirm(question) {
      questions.push(question);
      if (answer === undefined) throw new Error(`Nobody expected to be asked: ${question}`);
      return answer;
    },
    async read(path) {
      const text = options.files?.[path];
      if (text === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT', path });
      return text;
    },
    interrupted: () => Promise.resolve(),
    async open(folder) {
      opened.push(folder);
      return catalogue;
    },
    async check(folder, { onProgress, ...asked }) {
      checks.push({ folder, ...asked });
      for (const done of [0, 1, 1, 2]) onProgress(done, 2);
      return options.report ?? { problems: [], fixed: [], files: 0 };
    },
    serve: options.serve ?? (() => Promise.reject(new Error('Nobody expected to serve.'))),
    close: () => Promise.resolve(),
  };
  const exitCode = await main(argv, context);
  return { exitCode, out: out.join(''), err: err.join(''), catalogue, questions, opened, checks };
}
