/** Work on large records that a worker thread does (`large-records.ts`). Results are as plain as a message between threads. */

import type { RecordKind } from '../../catalogue/schemas.ts';
import type { SchemaDiagnostic } from '../../catalogue/validators.ts';
import { editRecord, newRecordText } from '../../text/document.ts';
import { type Format, makePositionFinder, RecordText, type TextPosition } from '../../text/parse.ts';
import { checkRecordText } from './check-record.ts';
import type { LargeRecord } from './unit-reader.ts';
import { validateRecord } from './validate-record.ts';

/** A text that was parsed and validated: its value, or its syntax error. */
export type ReadRecord =
  | {
      readonly value: unknown;
      readonly errors: readonly SchemaDiagnostic[];
      /** Places of the errors, and of values that other messages are about. */
      readonly positions: ReadonlyMap<string, TextPosition>;
    }
  | { readonly error: TextPosition & { readonly message: string; readonly pointer: string } };

export function readRecord(kind: RecordKind, text: string, format: Format): ReadRecord {
  return describe(kind, new RecordText(text, format));
}

/** Checks a record of a unit. The contents of a broken one, which may be large, stay here: nobody needs them. */
export function checkRecord(kind: RecordKind, text: string, format: Format): NonNullable<LargeRecord['result']> {
  const checked = checkRecordText(kind, text, format);
  const positions = new Map<string, TextPosition>();
  if ('value' in checked) addOtherPositions(positions, kind, makePositionFinder(text, format));
  return { checked, positions };
}

export function composeRecord(
  kind: RecordKind,
  value: Readonly<Record<string, unknown>>,
  order: readonly string[],
  header: string | undefined,
): { readonly text: string; readonly read: ReadRecord } {
  const text = newRecordText(value, order, header);
  return { text, read: readRecord(kind, text, 'yaml') };
}

export function changeRecord(
  kind: RecordKind,
  { text, format }: Pick<RecordText, 'text' | 'format'>,
  changes: Readonly<Record<string, unknown>>,
  order: readonly string[],
): { readonly text: string; readonly read: ReadRecord } {
  const edited = editRecord(new RecordText(text, format), changes, order);
  return { text: edited.text, read: describe(kind, edited) };
}

function describe(kind: RecordKind, record: RecordText): ReadRecord {
  const { text, format, parsed } = record;
  if ('error' in parsed) {
    const { line, column, message, pointer } = parsed.error;
    return { error: { line, column, message, pointer } };
  }
  const { value } = parsed;
  const checked = validateRecord(kind, value);
  const errors = 'errors' in checked ? checked.errors : [];
  const positions = new Map<string, TextPosition>();
  const find = makePositionFinder(text, format);
  for (const { pointer } of errors) positions.set(pointer, find(pointer));
  addOtherPositions(positions, kind, find);
  return { value, errors, positions };
}

/** A message about a missing payload has the place of /file. */
function addOtherPositions(
  positions: Map<string, TextPosition>,
  kind: RecordKind,
  find: (pointer: string) => TextPosition,
): void {
  if (kind === 'version') positions.set('/file', find('/file'));
}
