/** `--verbose`: what is asked of a catalogue, and how long the answer took. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { formatRef, type Ref } from '../catalogue/ref.ts';

/** Takes one line for each thing that was done. */
export type Trace = (line: string) => void;

/** The catalogue, telling of every question and every write. */
export function traced(catalogue: Catalogue, trace: Trace): Catalogue {
  return telling(catalogue, trace, '');
}

/** An object that tells of its methods' calls, and of those of the objects that it has. */
function telling<T extends object>(object: T, trace: Trace, prefix: string): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === 'replica' || name === 'trash') return telling(value as object, trace, `${name} `);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        return result instanceof Promise ? timed(result, trace, `${prefix}${name} ${wordsOf(name, args)}`) : result;
      };
    },
  });
}

async function timed<T>(work: Promise<T>, trace: Trace, what: string): Promise<T> {
  const started = performance.now();
  try {
    const result = await work;
    trace(`${what.trimEnd()}: ${since(started)}`);
    return result;
  } catch (error) {
    trace(`${what.trimEnd()}: ${error instanceof Error ? error.name : 'failed'} after ${since(started)}`);
    throw error;
  }
}

/** The time since a moment, as people read it. */
export function since(started: number): string {
  const milliseconds = performance.now() - started;
  return milliseconds < 1000
    ? `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Arguments in words. Of what is written only the fields' names: a password is one of them. */
function wordsOf(method: string, args: readonly unknown[]): string {
  const writes = method === 'create' || method === 'edit';
  return args.map((arg, i) => (writes && i > 0 ? namesOf(arg) : wordOf(arg))).join(' ');
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 1 ? wordOf(value[0]) : `${value.length} of them`;
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  if ('kind' in value && 'slug' in value) return `${value.kind} ${formatRef(value as Ref)}`;
  return Object.entries(value)
    .filter(([name, part]) => name !== 'text' && isShort(part))
    .map(([name, part]) => `${name}=${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join(' ');
}

const isShort = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (typeof value === 'object' && value !== null && JSON.stringify(value).length < 200 && !('pipe' in value));

const namesOf = (fields: unknown) => (typeof fields === 'object' && fields ? Object.keys(fields).join(', ') : '');
