/** Chunks of steps that are locked, planned and performed together. */
import { parseUntrustedCataloguePath, type RecordRef } from '../../catalogue/layout.ts';
import type { Step } from './change.ts';

export type NumberedStep = readonly [i: number, step: Step];
export type StepChunk = readonly NumberedStep[];

/** The most steps of a chunk, if they change records, and if they add records, which are written together. */
const maxChanges = 64;
const maxAdditions = 250;

/**
 * Steps in their order; together those that write different records of one kind, which do not depend on each other.
 * @param together false for chunks of one step
 */
export function* splitIntoChunks(steps: readonly Step[], together: boolean): Generator<StepChunk> {
  let chunk: NumberedStep[] = [];
  let kind: RecordRef['kind'] | undefined;
  const paths = new Set<string>();
  for (const [i, step] of steps.entries()) {
    const [change, ...others] = typeof step.changes === 'function' ? [] : step.changes;
    const info = change?.do === 'write' && others.length === 0 ? parseUntrustedCataloguePath(change.path) : null;
    // Permissions depend on namespaces: later steps are planned after a namespace is written.
    const own = info?.kind === 'record' && info.ref.kind !== 'namespace' ? info.ref.kind : undefined;
    const isAdded = change?.do === 'write' && change.ifMatch === null;
    const max = together ? (isAdded ? maxAdditions : maxChanges) : 1;
    const isNext = own !== undefined && own === kind && chunk.length < max && !paths.has(change?.path ?? '');
    if (!isNext && chunk.length) {
      yield chunk;
      chunk = [];
      paths.clear();
    }
    chunk.push([i, step]);
    paths.add(change?.path ?? '');
    kind = own;
  }
  if (chunk.length) yield chunk;
}
