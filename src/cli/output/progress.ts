/** The progress of long work: a line on stderr that is overwritten and removed at the end; at a terminal only. */

import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { Context } from '../context.ts';
import { bytesText } from './quantities.ts';
import { lineStart } from './terminal.ts';
import { padToWidth, textWidth, truncateText } from './width.ts';

export interface Progress {
  at(done: number, total: number): void;
  /** Removes the line. */
  end(): void;
}

/** A percentage. @param what the work, such as `Checking` */
export function showPercentProgress(context: Context, what: string): Progress {
  const { show, end } = statusLine(context);
  return { at: (done, total) => show(`${what}: ${total ? Math.floor((done / total) * 100) : 100} %`), end };
}

export interface CountProgress {
  /**
   * @param total null if it isn't known
   * @param bytes received of the present one
   */
  at(done: number, total: number | null, bytes?: number): void;
  end(): void;
}

/** Things done, with a bar if their number is known. */
export function showCountProgress(context: Context, what: string): CountProgress {
  const { show, end } = statusLine(context);
  const isDue = throttle();
  return {
    at(done, total, bytes) {
      if (!isDue() && done !== total) return;
      const received = bytes ? `, ${bytesText(bytes)}` : '';
      show(total ? `${what}  ${bar(done / total)}  ${done} of ${total}${received}` : `${what}  ${done}${received}`);
    },
    end,
  };
}

export interface Transfer {
  /** @param bytes transferred so far */
  at(bytes: number): void;
  end(): void;
}

const barLength = 24;

/**
 * Bytes transferred, and their speed; with a bar if the total is known.
 * @param already bytes transferred earlier, which don't count for the speed
 */
export function showByteProgress(context: Context, what: string, total: number | null, already = 0): Transfer {
  const { show, end } = statusLine(context);
  const isDue = throttle();
  const started = performance.now();
  return {
    at(bytes) {
      if (!isDue() && bytes !== total) return;
      const seconds = (performance.now() - started) / 1000;
      // The speed of the first moments is misleading.
      const speed = seconds < 0.3 ? '' : `  ${bytesText((bytes - already) / seconds)}/s`;
      show(`${what}  ${total ? `${bar(bytes / total)}  ` : ''}${bytesText(bytes)}${speed}`);
    },
    end,
  };
}

export interface SyncProgress {
  at(progress: { readonly done: number; readonly of: number; readonly bytes: number; readonly ofBytes: number }): void;
  end(): void;
}

/** Things done and bytes transferred, of all. */
export function showSyncProgress(context: Context, what: string): SyncProgress {
  const { show, end } = statusLine(context);
  const isDue = throttle();
  return {
    at({ done, of, bytes, ofBytes }) {
      if (!isDue() && done !== of) return;
      const share = ofBytes ? bytes / ofBytes : of ? done / of : 1;
      show(`${what}  ${bar(share)}  ${done} of ${of}, ${bytesText(bytes)} of ${bytesText(ofBytes)}`);
    },
    end,
  };
}

/** Milliseconds between two updates. */
const interval = 100;

/** A test that is true once in an interval. */
function throttle(): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    const isDue = now - last >= interval;
    if (isDue) last = now;
    return isDue;
  };
}

function bar(share: number): string {
  const full = Math.min(1, share);
  const filled = Math.floor(full * barLength);
  return `[${'#'.repeat(filled)}${'-'.repeat(barLength - filled)}] ${String(Math.floor(full * 100)).padStart(3)} %`;
}

/** A line that is overwritten; it has to fit, since a wrapped line can't be overwritten. */
function statusLine(context: Context): { show(line: string): void; end(): void } {
  if (!context.isTerminal.err || context.quiet) return { show: () => {}, end: () => {} };
  let shown = '';
  // At each update: the terminal may have become narrower.
  const fit = (text: string) => truncateText(text, context.columnsOfMessages() - 1);
  return {
    show(line) {
      const fitted = fit(escapeToOneLine(line));
      if (fitted !== shown) context.err(`${lineStart()}${padToWidth(fitted, textWidth(fit(shown)))}`);
      shown = fitted;
    },
    end() {
      if (shown) context.err(`${lineStart()}${' '.repeat(textWidth(fit(shown)))}${lineStart()}`);
      shown = '';
    },
  };
}
