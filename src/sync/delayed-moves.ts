/**
 * Moves that are made after the other changes of a dataset, because it becomes visible to more people by them. Its changes are made at
 * its former place. Pure.
 */
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import { computeChecksum } from '../disk/checksum.ts';
import type { MoveBetweenNamespaces } from './audience.ts';
import { containerFolder, syncFileKind } from './files.ts';
import { pathAfterMove } from './moves.ts';
import type { SyncStep } from './steps.ts';

/**
 * True for a step that must be done before more people see the dataset. Where others lose sight of it by the move, its record is written
 * after it, as what is added.
 */
const isUrgent = (step: SyncStep, { isMixed }: MoveBetweenNamespaces): boolean =>
  step.do === 'remove' || (!isMixed && step.do === 'write' && step.ifMatch !== null);

/** The steps of one side, in which moves that make a dataset visible to more people come last, if it has other changes. */
export function delayWideningMoves(
  steps: readonly SyncStep[],
  moves: readonly MoveBetweenNamespaces[],
): readonly SyncStep[] {
  const widening = new Map(moves.flatMap((move) => (move.isWidening ? [[containerFolder(move.record), move]] : [])));
  if (widening.size === 0) return steps;
  const stepsByFolder = new Map<string | null, SyncStep[]>(Array.from(widening.keys(), (folder) => [folder, []]));
  for (const step of steps)
    if (step.do !== 'move') stepsByFolder.get(enclosingContainerFolders(step.path)[0] ?? null)?.push(step);
  const changed = new Map<SyncStep, SyncStep>();
  for (const step of steps) {
    const moved = step.do === 'move' ? widening.get(containerFolder(step.to)) : undefined;
    if (step.do !== 'move' || !moved) continue;
    const own = stepsByFolder.get(containerFolder(step.to)) ?? [];
    if (!own.some((one) => isUrgent(one, moved))) continue;
    const former = own.map((one) => [one, atFormerPlace(one, step)] as const);
    for (const [one, there] of former) changed.set(one, there);
    const written = former
      .map(([, one]) => one)
      .find((one) => one.do === 'write' && syncFileKind(one.path) === 'dataset');
    changed.set(step, {
      ...step,
      ...(written?.do === 'write' && { path: written.path, ifMatch: checksumOf(written) }),
      isDelayed: true as const,
    });
  }
  return steps.map((step) => changed.get(step) ?? step);
}

const checksumOf = ({ now, merged }: Extract<SyncStep, { do: 'write' }>): string =>
  merged === undefined ? now.checksum : computeChecksum(merged);

function atFormerPlace(step: SyncStep, move: Extract<SyncStep, { do: 'move' }>): SyncStep {
  const back = { path: move.to, to: move.path };
  const path = pathAfterMove(step.path, back);
  const from = pathAfterMove(step.from, { path: move.fromTo, to: move.from });
  const replaces = step.do === 'write' && step.replaces !== undefined && pathAfterMove(step.replaces, back);
  return { ...step, path, from, ...(replaces && { replaces }), afterMove: step } as SyncStep;
}
