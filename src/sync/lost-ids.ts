/** Records whose line `id:` was lost by an edit: a push must not give them another id, by which nobody knows them. */
import { ValidationError } from '../catalogue/errors.ts';
import type { SyncState } from './state.ts';
import type { SyncStep } from './steps.ts';
import { parseRecordFields } from './texts.ts';

/**
 * The error for a step that writes a record without the id that it had in the last common state; null for other steps.
 * @param text of the record
 */
export async function lostIdError(step: SyncStep, text: string, state: SyncState): Promise<ValidationError | null> {
  // Nearly all have one: they needn't be parsed.
  if (step.do !== 'write' || step.ifMatch === null || /^\s*["']?id["']?\s*:/m.test(text)) return null;
  const before = await state.text(step.from);
  const id = before === null ? undefined : parseRecordFields(step.from, before)?.id;
  const fields = parseRecordFields(step.path, text);
  if (id === undefined || fields === null || fields.id !== undefined) return null;
  const message = `Its id is missing, by which programs and other copies know it. Add the line "id: ${id}".`;
  return new ValidationError({ non_field_errors: [message] });
}
