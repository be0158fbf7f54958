/** Steps of a synchronisation: the changes of one side, and the stages in which they are made. Pure. */
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import type { AudienceChange } from './audience.ts';
import { withExtensionOf } from './extensions.ts';
import { containerFolder, dependencyRank, type FileState, syncFileKind } from './files.ts';

interface StepPaths {
  /** Path on the side that is changed. */
  readonly path: string;
  /**
   * Path in the last common state, and on the other side but for the extension (`sourcePath`): another one if the other side
   * lacks a move.
   */
  readonly from: string;
  /** Of a query: paths of the records of its dataset, and of the one that it belongs to before. */
  readonly datasetsOfQuery?: readonly string[] | undefined;
  /** The same step after the delayed move that follows it: it has the paths of then, which are those on the other side already. */
  readonly afterMove?: SyncStep | undefined;
}

/** A change of one side, so that it has what the other has. `ifMatch` is the checksum that the file has there now. */
export type SyncStep = StepPaths &
  (
    | { readonly do: 'put'; readonly now: FileState; readonly ifMatch: string | null }
    /** `replaces` is the path of the record's file on that side, if it has another extension. */
    | {
        readonly do: 'write';
        readonly now: FileState;
        readonly ifMatch: string | null;
        readonly replaces?: string | undefined;
        /** The text to write, if it isn't that of the other side, but has the aliases of both. */
        readonly merged?: string | undefined;
        /** Of the record of a namespace or dataset, if it changes who may see it. */
        readonly audience?: AudienceChange | undefined;
      }
    | { readonly do: 'remove'; readonly ifMatch: string }
    /**
     * `aliased`: the present text of the record with its former name, if no other step brings that: the last common state doesn't get
     * it. `isDelayed`: the other changes of the dataset are made at its former place, before the move.
     */
    | {
        readonly do: 'move';
        readonly to: string;
        readonly fromTo: string;
        readonly ifMatch: string;
        readonly aliased?: string | undefined;
        /** Slugs of the queries that get the new name of their dataset with it. */
        readonly queries?: readonly string[] | undefined;
        readonly isDelayed?: true | undefined;
      }
  );

/** Path that a written file gets in the common state. */
export const statePath = ({ path, from }: StepPaths): string => withExtensionOf(from, path);

/** Path of the file that a step writes, on the side that it comes from. */
export const sourcePath = (step: SyncStep): string => statePath(step.afterMove ?? step);

/** Path on the side that is changed, after all steps. */
export const finalPath = (step: SyncStep): string => (step.do === 'move' ? step.to : (step.afterMove ?? step).path);

/** Phases of a run, in order. */
const phases = [
  // Their datasets may be moved, and others take over the names.
  'remove queries',
  'add',
  'remove members',
  'show before move',
  'move delayed',
  'remove others',
  'show',
  // Their datasets may have been removed: people who saw one until then were never meant to see its new queries.
  'add queries',
] as const;

function phaseOf(step: SyncStep): (typeof phases)[number] {
  if (step.do === 'write' && step.audience === 'wider') return step.afterMove ? 'show before move' : 'show';
  if (step.do === 'move' && step.isDelayed) return 'move delayed';
  if (step.do === 'write' && step.ifMatch === null && syncFileKind(step.path) === 'query') return 'add queries';
  if (step.do !== 'remove') return 'add';
  const kind = syncFileKind(step.path);
  if (kind === 'query') return 'remove queries';
  return kind === 'version' ? 'remove members' : 'remove others';
}

/**
 * Stage of a step: its phase, and in that the order of dependencies, which is reversed for removals. Moves come right before the first
 * step that may need them, unless they are delayed. Steps of one stage don't depend on each other, except moves.
 */
export function stepStage(step: SyncStep): number {
  const [phase, rank] = [phaseOf(step), dependencyRank(step.path)];
  // The ranks of all kinds fit between two phases.
  const first = 100 * phases.indexOf(phase);
  if (step.do === 'remove') return first - rank;
  return phase === 'add' ? first + (step.do === 'move' ? rank - 0.5 : rank) : first;
}

export const sortByStage = (steps: readonly SyncStep[]): readonly SyncStep[] =>
  steps
    .map((step) => [stepStage(step), step] as const)
    .sort(([a], [b]) => a - b)
    .map(([, step]) => step);

/** Bytes that a step transfers. */
export const transferSize = (step: SyncStep): number => ('now' in step ? step.now.size : 0);

/** Folder of the namespace or dataset that a step shows to more people; of a dataset that moves, the former and the new one. */
export function shownFolders(step: SyncStep): readonly string[] {
  if (step.do === 'move')
    return step.isDelayed ? [step.path, step.to].flatMap((path) => containerFolder(path) ?? []) : [];
  return step.do === 'write' && step.audience === 'wider' ? [containerFolder(step.path) ?? ''] : [];
}

/** The folders of the namespaces and datasets that a step belongs to. */
export const foldersOfStep = (step: SyncStep): readonly string[] => [
  ...(step.datasetsOfQuery ?? [step.path]).flatMap(enclosingContainerFolders),
  ...(step.do === 'move' ? enclosingContainerFolders(step.to) : []),
];
