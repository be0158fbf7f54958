/** How much somebody wants to hear: `--quiet` and `--verbose`. */
import type { GlobalOptions } from './command.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';
import { oneLine } from './output/text.ts';
import { since, type Trace, traced } from './trace.ts';

/**
 * The world with as much said on stderr as was asked for.
 * @throws UsageError where both much and little was
 */
export function hearing(context: Context, { quiet = false, verbose = false }: GlobalOptions): Context {
  if (quiet && verbose) throw new UsageError('Give --quiet or --verbose, and not both.');
  if (!verbose) return { ...context, quiet };
  const trace: Trace = (line) => context.err(`${oneLine(line)}\n`);
  return {
    ...context,
    trace,
    async open(folder, options) {
      const started = performance.now();
      const catalogue = await context.open(folder, options);
      trace(`opened the folder ${folder}: ${since(started)}`);
      return traced(catalogue, trace);
    },
    connect: (url, options) =>
      context.connect(url, {
        ...options,
        onRequest: ({ method, url: asked, status, milliseconds }) =>
          trace(`${method} ${asked}: ${status} after ${milliseconds.toFixed(0)} ms`),
      }),
  };
}
