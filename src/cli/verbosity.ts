/** The amount of messages: `--quiet` leaves them out, `--verbose` adds a line for each call and request, with its time. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { escapeToOneLine } from '../catalogue/printable-text.ts';
import { formatRef, type Ref } from '../catalogue/ref.ts';
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

/** A catalogue that writes a line for each call that ended. */
function traced(catalogue: Catalogue, trace: Trace): Catalogue {
  const { trash, replica } = catalogue;
  async function timed<T>(work: Promise<T>, ...call: readonly unknown[]): Promise<T> {
    const started = performance.now();
    const what = call.map(textOf).filter(Boolean).join(' ');
    try {
      const result = await work;
      trace(`${what}: ${timeSince(started)}`);
      return result;
    } catch (error) {
      trace(`${what}: ${error instanceof Error ? error.name : 'failed'} after ${timeSince(started)}`);
      throw error;
    }
  }
  return {
    get revision() {
      return catalogue.revision;
    },
    get settings() {
      return catalogue.settings;
    },
    language: () => timed(catalogue.language(), 'language'),
    list: (kind, options) => timed(catalogue.list(kind, options), 'list', kind, options),
    get: (ref) => timed(catalogue.get(ref), 'get', ref),
    payload: (ref) => timed(catalogue.payload(ref), 'payload', ref),
    rows: (ref, request) => timed(catalogue.rows(ref, request), 'rows', ref, request),
    difference: (from, to, options) => timed(catalogue.difference(from, to, options), 'difference', from, to, options),
    media: (path) => timed(catalogue.media(path), 'media', path),
    inspect: (files) => timed(catalogue.inspect(files), 'inspect', files),
    history: (ref, options) => timed(catalogue.history(ref, options), 'history', ref, options),
    changes: (options) => timed(catalogue.changes(options), 'changes', options),
    // Of what is written only the fields' names: a password is one of them.
    create: (kind, input) => timed(catalogue.create(kind, input), 'create', kind, Object.keys(input).join(', ')),
    edit: (ref, input, options) =>
      timed(catalogue.edit(ref, input, options), 'edit', ref, Object.keys(input).join(', ')),
    publish: (ref, upload) => timed(catalogue.publish(ref, upload), 'publish', ref, upload),
    remove: (ref, options) => timed(catalogue.remove(ref, options), 'remove', ref),
    trash: {
      list: () => timed(trash.list(), 'trash list'),
      restore: (id, options) => timed(trash.restore(id, options), 'trash restore', id, options),
      remove: (id) => timed(trash.remove(id), 'trash remove', id),
      empty: (before) => timed(trash.empty(before), 'trash empty', before),
    },
    replica: {
      manifest: (options) => timed(replica.manifest(options), 'replica manifest', options),
      digests: (count, options) => timed(replica.digests(count, options), 'replica digests', count, options),
      entry: (path) => timed(replica.entry(path), 'replica entry', path),
      read: (path, options) => timed(replica.read(path, options), 'replica read', path, options),
      apply: (changes) => timed(replica.apply(changes), 'replica apply', changes),
      put: (path, bytes) => timed(replica.put(path, bytes), 'replica put', path, bytes),
    },
  };
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
