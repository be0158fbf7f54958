/** The error of a step that the rules refuse, in words that don't tell of records which the viewer may not see. */
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { restrictSnapshotToVisible } from '../../catalogue/permissions.ts';
import type { RecordDiagnostic, RecordSet } from '../../catalogue/record-set.ts';
import type { Access } from '../catalogue-files.ts';
import { makeRecordPositionFinder } from '../records/record-positions.ts';

/**
 * @param found what the rules say
 * @param step.next the records as they would be
 * @param step.textOf text that a record would have, by its path
 * @param step.refusal makes the error; default: one that names path, line and column
 */
export function refusalError(
  { files, viewer, visible }: Access,
  found: readonly RecordDiagnostic[],
  step: {
    readonly next: RecordSet;
    readonly textOf: (path: string) => string | undefined;
    readonly refusal: ((diagnostics: readonly Diagnostic[]) => Error) | undefined;
  },
): Error {
  const { next, textOf, refusal = defaultRefusal } = step;
  const after = restrictSnapshotToVisible(viewer, next.snapshot);
  // Afterwards, the name would be that of the record that is refused.
  const isHidden = ({ code, other }: RecordDiagnostic) =>
    other !== undefined &&
    (code === 'name' ? !findEntity(visible(), other) && findEntity(files.snapshot, other) : !findEntity(after, other));
  const findPosition = makeRecordPositionFinder(textOf);
  return refusal(
    found.map((one) => {
      const { fix: _, other: __, ...rest } = isHidden(one) ? withoutNames(one) : one;
      return { ...rest, ...(findPosition(one.path, one.pointer) ?? { line: 1, column: 1 }) };
    }),
  );
}

/** A diagnostic that doesn't name the other record, which the viewer may not see. */
function withoutNames(found: RecordDiagnostic): RecordDiagnostic {
  if (found.code === 'name') return { ...found, message: 'This name is not available. Choose another.' };
  if (found.code !== 'id') return found;
  return { ...found, message: found.message.replace(/by .*/, `by another ${found.other?.kind}.`) };
}

/** The error for changes of whole files: conflicts of names and ids, else the place of every problem. */
function defaultRefusal(diagnostics: readonly Diagnostic[]): Error {
  const conflict = diagnostics.find(({ code }) => code === 'name' || code === 'id');
  if (conflict) return new ConflictError(conflict.message);
  const lines = diagnostics.map(({ path, line, column, message }) => `${path}:${line}:${column}: ${message}`);
  return new ValidationError({ non_field_errors: lines });
}
