/** Changes of the machine's clock, as the journal of the feed notices them by the times of its events. */
import type { FeedHistory } from '../catalogue/feed-history.ts';
import { isAhead } from './changes-feed.ts';

/** A change of the clock after which the journal begins anew. */
export interface ClockChange {
  /** For the log. */
  readonly message: string;
  /** Time from which the clock was set back; 0 if it is past it again. */
  readonly setBackFrom: number;
}

/** The time at which a history was last known to be right. */
export const lastTimeOf = ({ lastTime, completeSince }: FeedHistory): number => Math.max(lastTime, completeSince);

/**
 * The change of the clock since the last event; null if it has not changed. A clock that was set back may have been ahead before, or may
 * be behind now, as of a machine without a battery: only later it is known, when it is past that time again.
 * @param lastTime of the history
 * @param setBackFrom time from which the clock was set back before the history began; 0 if it wasn't
 */
export function clockChange(lastTime: number, setBackFrom: number): ClockChange | null {
  const anew = 'the journal begins anew, and harvesters list everything once more.';
  if (isAhead(lastTime)) {
    const message = `The clock was ahead when the journal of changes was written, or is behind now: ${anew}`;
    return { message, setBackFrom: Math.max(lastTime, setBackFrom) };
  }
  if (setBackFrom === 0 || Date.now() < setBackFrom) return null;
  return { message: `The clock was behind when the journal of changes began: ${anew}`, setBackFrom: 0 };
}
