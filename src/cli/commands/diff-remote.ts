/** `catalogue diff` alone: what the catalogue in the folder and its remote have to hand each other. */
import type { Call } from '../command.ts';
import { withPair } from '../elsewhere/pair.ts';
import { showChanges, showConflicts, tellTrouble } from '../elsewhere/syncing.ts';
import { painter } from '../output/show.ts';

/**
 * Compares the catalogue in the folder with its remote, and changes nothing.
 * @returns the exit code
 * @throws UsageError where no remote is known
 */
export function diffRemote(call: Call): Promise<number> {
  return withPair(call, 'diff', async (pair, other) => {
    const { context, global, show } = call;
    const [{ compare }, { summarizeChanges, summarizeConflicts }] = await Promise.all([
      import('../../sync/compare.ts'),
      import('../../sync/summary.ts'),
    ]);
    const comparison = await compare(pair);
    try {
      const { texts } = comparison;
      const plan = await comparison.plan();
      const incoming = await summarizeChanges(plan.incoming, pair, texts.theirs);
      const outgoing = await summarizeChanges(plan.outgoing, pair, texts.ours);
      const conflicts = await summarizeConflicts(plan.conflicts, pair, comparison);
      if (show.asJson) show.json({ remote: other.url, incoming, outgoing, conflicts, held: plan.blocked });
      else {
        const paint = painter(context, global.color);
        const headed = (title: string, count: number, rest: () => void) => {
          if (count && show.forPeople) context.out(`${paint('bold', title)}\n`);
          rest();
        };
        headed(`To pull from ${other.name}:`, incoming.length, () => showChanges(call, 'incoming', incoming));
        headed(`To push to ${other.name}:`, outgoing.length, () => showChanges(call, 'outgoing', outgoing));
        headed('Changed here and there:', conflicts.length, () => showConflicts(call, conflicts));
      }
      await tellTrouble(call, plan.blocked, []);
      if (incoming.length + outgoing.length + conflicts.length + plan.blocked.length === 0)
        show.message('Already in step.');
      return 0;
    } finally {
      await comparison.close();
    }
  });
}
