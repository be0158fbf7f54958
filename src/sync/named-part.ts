/** The part of a plan that is asked for by the names of records. Pure. */
import {
  describeFilePath,
  enclosingContainerFolders,
  kindAndRefOfPath,
  parseCataloguePath,
} from '../catalogue/layout.ts';
import { containerFolder } from './files.ts';
import type { SyncPlan } from './plan.ts';
import { finalPath, foldersOfStep, type SyncStep, shownFolders } from './steps.ts';

/**
 * True if a name means a path: the path itself, or the name of a record (`parks/trees`, `groups/gardeners`) for the
 * record and everything in it.
 */
export function nameCoversPath(name: string, path: string): boolean {
  const own = describeFilePath(path);
  return path === name || own === name || own.startsWith(`${name}/`) || own.startsWith(`${name}@`);
}

/**
 * The part of a plan that names mean, with the namespaces, datasets and payloads that it needs.
 * @param names none for the whole plan
 */
export function selectNamedPartOfPlan(plan: SyncPlan, names: readonly string[]): SyncPlan {
  if (names.length === 0) return plan;
  const isNamed = ({ path }: { readonly path: string }) => names.some((name) => nameCoversPath(name, path));
  const isChosen = (step: SyncStep) => isNamed(step) || isNamed({ path: finalPath(step) });
  const select = (steps: readonly SyncStep[]) => {
    const containers = foldersWithMoves(steps, steps.filter(isChosen).flatMap(foldersOfStep));
    const isNeeded = (step: SyncStep) =>
      ((step.do === 'write' && (step.ifMatch === null || step.audience === 'narrower')) || step.do === 'move') &&
      containers.has(containerFolder(step.do === 'move' ? step.to : step.path) ?? '');
    const isPayload = makePayloadSelector(steps, isChosen);
    const chosen = steps.filter((step) => isChosen(step) || isNeeded(step) || isPayload(step));
    // What more people will see is brought up to date before.
    const shown = new Set(chosen.flatMap(shownFolders));
    if (shown.size === 0) return chosen;
    const all = new Set(chosen);
    return steps.filter((step) => all.has(step) || foldersOfStep(step).some((folder) => shown.has(folder)));
  };
  return {
    ...plan,
    incoming: select(plan.incoming),
    outgoing: select(plan.outgoing),
    conflicts: plan.conflicts.filter(isNamed),
    blocked: plan.blocked.filter(isNamed),
  };
}

/** The folders, with those of the moves from or to them: the last one of several may be at a name that was to make room only. */
function foldersWithMoves(steps: readonly SyncStep[], folders: readonly string[]): ReadonlySet<string> {
  const moves = steps.filter((step) => step.do === 'move');
  const found = new Set(folders);
  const ends = (move: (typeof moves)[number]) => [move.path, move.to].flatMap((path) => containerFolder(path) ?? []);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const move of moves)
      if (ends(move).some((folder) => found.has(folder))) for (const folder of ends(move)) found.add(folder);
  }
  return found;
}

/**
 * A function that returns true for the payloads that versions may need. Which one is a version's own is in its record: one
 * that is named after another version is not.
 * @param isChosen true for the versions
 */
function makePayloadSelector(
  steps: readonly SyncStep[],
  isChosen: (step: SyncStep) => boolean,
): (step: SyncStep) => boolean {
  const folderOf = (step: SyncStep) => enclosingContainerFolders(step.path)[0] ?? '';
  const chosen = new Set<string>();
  const others = new Set<string>();
  for (const step of steps) {
    const { ref } = kindAndRefOfPath(step.path);
    if (step.do !== 'write' || ref?.kind !== 'version') continue;
    if (isChosen(step)) chosen.add(folderOf(step));
    else others.add(`${folderOf(step)}${ref.slug}`);
  }
  return (step) => {
    const info = step.do === 'put' && chosen.has(folderOf(step)) ? parseCataloguePath(step.path) : null;
    return info?.kind === 'payload' && !others.has(`${folderOf(step)}${info.file.split('.')[0]}`);
  };
}
