/** How far long work has come: a line on stderr that is written over and then taken away, at a terminal only. */
import type { Context } from './context.ts';

export interface Progress {
  at(done: number, total: number): void;
  /** Takes the line away. */
  end(): void;
}

/** @param what is being done, as in `Checking` */
export function progress(context: Context, what: string): Progress {
  if (!context.isTerminal.err) return { at: () => {}, end: () => {} };
  let shown = '';
  return {
    at(done, total) {
      const line = `${what}: ${total ? Math.floor((done / total) * 100) : 100} %`;
      if (line !== shown) context.err(`\r${line}`);
      shown = line;
    },
    end() {
      if (shown) context.err(`\r${' '.repeat(shown.length)}\r`);
      shown = '';
    },
  };
}
