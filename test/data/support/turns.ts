/** Measures of work on the main thread, in time of the processor: however busy the machine is. */
import assert from 'node:assert/strict';

const sum = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

/** Milliseconds that a function takes. */
export function cpuTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return sum(process.cpuUsage(before));
}

/** Milliseconds of processor time that no turn takes, also on a slow machine: the work as a whole takes far longer. */
const mostOfTurn = 100;

/** Asserts that no turn of the event loop is long. Work is tried three times: a turn may have garbage of others to collect. */
export async function assertTurnsAreShort(work: () => Promise<unknown>): Promise<void> {
  let least = Infinity;
  for (let attempt = 0; attempt < 3 && least >= mostOfTurn; attempt++) least = Math.min(least, await longestTurn(work));
  assert.ok(least < mostOfTurn, `a turn takes ${least} ms`);
}

/** Milliseconds of the longest turn of the event loop while a promise is waited for. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.cpuUsage();
  let next: NodeJS.Immediate | undefined;
  const look = () => {
    longest = Math.max(longest, sum(process.cpuUsage(before)));
    before = process.cpuUsage();
    next = setImmediate(look);
  };
  next = setImmediate(look);
  try {
    await work();
    longest = Math.max(longest, sum(process.cpuUsage(before)));
  } finally {
    clearImmediate(next);
  }
  return longest;
}
