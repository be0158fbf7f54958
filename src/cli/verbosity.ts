/** The amount of messages: `--quiet` leaves them out, `--verbose` adds a line for each call and request, with its time. */
import type { Catalogue, Input } from '../catalogue/catalogue.ts';
import { escapeToOneLine } from '../catalogue/printable-text.ts';
import { formatRef, type Ref } from '../catalogue/ref.ts';
import type { Replica } from '../catalogue/replica.ts';
import type { Trash } from '../catalogue/trash.ts';
import type { GlobalOptions } from './command.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';

/** Takes a line for the person who gave --verbose. */
type Trace = (line: string) => void;

/**
 * The context with as many messages as the options ask for.
 * @throws UsageError where both options are given
 */
export function contextWithVerbosity(context: Context, { quiet = false, verbose = false }: GlobalOptions): Context {
  if (quiet && verbose) throw new UsageError('Give --quiet or --verbose, and not both.');
  if (!verbose) return { ...context, quiet };
  const trace: Trace = (line) => context.err(`${escapeToOneLine(line)}\n`);
  return {
    ...context,
    async open(folder, options) {
      const started = performance.now();
      const catalogue = await context.open(folder, options);
      trace(`opened the folder ${folder}: ${timeSince(started)}`);
      return traced(catalogue, trace);
    },
    connect: (url, options) =>
      context.connect(url, {
        ...options,
        onRequest: ({ method, url: address, status, milliseconds }) =>
          trace(`${method} ${address}: ${status} after ${milliseconds.toFixed(0)} ms`),
      }),
  };
}

/** A catalogue that writes a line for each call that ended. Each call gets all of its arguments. */
function traced(catalogue: Catalogue, trace: Trace): Catalogue {
  const { trash, replica } = catalogue;
  /** Wraps one method of an object. @param shown arguments that the line has; by default all */
  function method<T, Name extends string & keyof T>(
    object: T,
    name: Name,
    label: string = name,
    shown: (args: readonly unknown[]) => readonly unknown[] = (args) => args,
  ): T[Name] {
    const call = (...args: readonly unknown[]) => {
      const work = () => (object[name] as (...args: unknown[]) => Promise<unknown>).apply(object, [...args]);
      return timed(work, [label, ...shown(args)], trace);
    };
    return call as T[Name];
  }
  // Of what is written only the fields' names: a password is one of them.
  const fieldNames = ([target, input]: readonly unknown[]) => [target, Object.keys(input as Input).join(', ')];
  const ofReplica = <Name extends string & keyof Replica>(name: Name) => method(replica, name, `replica ${name}`);
  const ofTrash = <Name extends string & keyof Trash>(name: Name) => method(trash, name, `trash ${name}`);
  return {
    get revision() {
      return catalogue.revision;
    },
    get settings() {
      return catalogue.settings;
    },
    language: method(catalogue, 'language'),
    list: method(catalogue, 'list'),
    get: method(catalogue, 'get'),
    payload: method(catalogue, 'payload'),
    rows: method(catalogue, 'rows'),
    map: method(catalogue, 'map'),
    profile: method(catalogue, 'profile'),
    difference: method(catalogue, 'difference'),
    media: method(catalogue, 'media'),
    inspect: method(catalogue, 'inspect'),
    history: method(catalogue, 'history'),
    changes: method(catalogue, 'changes'),
    create: method(catalogue, 'create', 'create', fieldNames),
    edit: method(catalogue, 'edit', 'edit', fieldNames),
    publish: method(catalogue, 'publish'),
    remove: method(catalogue, 'remove', 'remove', ([ref]) => [ref]),
    trash: {
      list: ofTrash('list'),
      restore: ofTrash('restore'),
      remove: ofTrash('remove'),
      empty: ofTrash('empty'),
    },
    replica: {
      manifest: ofReplica('manifest'),
      digests: ofReplica('digests'),
      entry: ofReplica('entry'),
      read: ofReplica('read'),
      apply: ofReplica('apply'),
      put: ofReplica('put'),
      ...(replica.fitColumns && { fitColumns: ofReplica('fitColumns') }),
    },
  };
}

/** Calls a function, and writes a line with its time when it has ended. @param call name and arguments for the line */
async function timed<T>(work: () => Promise<T>, call: readonly unknown[], trace: Trace): Promise<T> {
  const started = performance.now();
  const what = call.map(textOf).filter(Boolean).join(' ');
  try {
    const result = await work();
    trace(`${what}: ${timeSince(started)}`);
    return result;
  } catch (error) {
    trace(`${what}: ${error instanceof Error ? error.name : 'failed'} after ${timeSince(started)}`);
    throw error;
  }
}

/** The time since a moment, as people read it. */
function timeSince(started: number): string {
  const milliseconds = performance.now() - started;
  return milliseconds < 1000
    ? `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** An argument in a few words: the texts of records and long values are left out. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length === 1 ? textOf(value[0]) : `${value.length} of them`;
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
