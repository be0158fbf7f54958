/** How fast the machine is just now: a virtual machine can take twice as long for the same work as on the day before. */
import { createHash } from 'node:crypto';

/** The lowest of so many times: what else the machine does makes each longer. */
const rounds = 7;

/** Milliseconds that a fixed calculation takes, always the same: JSON is written and parsed, texts are sorted, bytes hashed. */
export function timeFixedCalculation(): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    calculate();
    return performance.now() - started;
  });
  return Math.min(...times);
}

function calculate(): string {
  const records = Array.from({ length: 20_000 }, (_, i) => ({
    id: Math.imul(i, 2_654_435_761) >>> 0,
    label: `Record ${i}`,
    columns: ['name', 'height', 'year'],
  }));
  const parsed = JSON.parse(JSON.stringify(records)) as typeof records;
  const labels = parsed.map(({ id, label, columns }) => `${id} ${label} ${columns.join(' ')}`).sort();
  return createHash('sha256').update(labels.join('\n')).digest('hex');
}
