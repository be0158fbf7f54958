/** Records of datasets that are written after their versions: the target has given them the columns of the newest version meanwhile. */
import type { Replica } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { changedFields } from './field-conflicts.ts';
import { syncFileKind } from './files.ts';
import type { SyncState } from './state.ts';
import type { SyncStep } from './steps.ts';
import { collectRecordText, parseRecordFields } from './texts.ts';

/**
 * The checksum to expect of a dataset's record before a step writes it: of its present text, if that differs from the one of before
 * by its columns only; else the one of before.
 * @param state with the text that the record had on the target before
 * @throws as `Replica.read`
 */
export async function checksumAfterFitting(
  step: SyncStep,
  { target, state }: { readonly target: Replica; readonly state: SyncState },
): Promise<string | null> {
  if (step.do !== 'write') return step.ifMatch;
  const { path, from, ifMatch, replaces } = step;
  const isKnown = syncFileKind(path) === 'dataset' && state.files.get(from)?.checksum === ifMatch;
  const before = isKnown ? await state.text(from) : null;
  if (before === null) return ifMatch;
  const place = replaces ?? path;
  const now = await collectRecordText(await target.read(place));
  const [old, present] = [parseRecordFields(from, before), parseRecordFields(place, now)];
  const isFitted = old && present && changedFields(old, present).every((name) => name === 'columns');
  return isFitted ? computeChecksum(now) : ifMatch;
}
