/**
 * Large records: a table of 10,000 columns has a record of 600 kB, and parsing it takes a tenth of a second. A server lets
 * worker threads parse, compose and edit them. Code that asks for the value of such a text afterwards finds it parsed. If a
 * thread fails, nothing is lost: the text is then parsed where its value is needed.
 */

import { type RecordKind, schemas } from '../../catalogue/schemas.ts';
import { nextTurn } from '../../data/event-loop.ts';
import { moduleBeside } from '../../data/module-beside.ts';
import type { WorkerPool } from '../../data/worker-pool.ts';
import { editRecord, newRecordText } from '../../text/document.ts';
import { type Format, isParsedSoon, largeText, RecordText, rememberParsedText } from '../../text/parse.ts';
import { ParseError } from '../../text/parse-error.ts';
import type { ReadRecord } from './large-records-thread.ts';
import type { LargeRecord } from './unit-reader.ts';
import { rememberSchemaErrors } from './validate-record.ts';

type Tasks = typeof import('./large-records-thread.ts');
type Fields = Readonly<Record<string, unknown>>;

const tasks = moduleBeside(import.meta.url, './large-records-thread');

/** Checks a large record of a unit in a thread. @returns it with the result; without, if the thread fails */
export async function checkLargeRecord(workers: WorkerPool | undefined, record: LargeRecord): Promise<LargeRecord> {
  const { kind, text, format } = record;
  const result = await orUndefined(workers?.run<Tasks, 'checkRecord'>(tasks, 'checkRecord', [kind, text, format]));
  if (!result) return record;
  const { checked, positions } = result;
  if ('value' in checked) remember(kind, text, format, { value: checked.value, errors: [], positions });
  return { ...record, result };
}

/** Parses and validates the text of a record in a thread, if it is large. @returns the record */
export async function parseLargeRecord<Text extends Pick<RecordText, 'text' | 'format'>>(
  workers: WorkerPool | undefined,
  kind: RecordKind,
  record: Text,
): Promise<Text> {
  const { text, format } = record;
  if (!workers || isParsedSoon(text, format)) return record;
  const read = await orUndefined(workers.run<Tasks, 'readRecord'>(tasks, 'readRecord', [kind, text, format]));
  if (read) remember(kind, text, format, read);
  return record;
}

/**
 * `newRecordText`, in a thread if the record is large.
 * @param signal aborted if nobody needs it any more
 * @throws the signal's reason; TypeError for a value that isn't JSON
 */
export async function composeRecordText(
  workers: WorkerPool | undefined,
  kind: RecordKind,
  value: Fields,
  order: readonly string[],
  { header, signal }: { readonly header?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<string> {
  if (!workers || !isLarge(value)) return newRecordText(value, order, header);
  // Copying thousands of columns for the thread takes a turn of its own.
  await nextTurn();
  const composing = workers.run<Tasks, 'composeRecord'>(tasks, 'composeRecord', [kind, value, order, header], {
    signal,
  });
  const composed = await orUndefined(composing);
  signal?.throwIfAborted();
  if (!composed) return newRecordText(value, order, header);
  remember(kind, composed.text, 'yaml', composed.read);
  return composed.text;
}

/** `editRecord`, in a thread if the record or the change is large. @throws as it does */
export async function editLargeRecord(
  workers: WorkerPool | undefined,
  kind: RecordKind,
  record: RecordText,
  changes: Fields,
): Promise<RecordText> {
  const order = Object.keys(schemas[kind].properties);
  const { text, format } = record;
  if (!workers || (text.length < largeText && !isLarge(changes))) return editRecord(record, changes, order);
  await nextTurn();
  const plain = { text, format };
  const edited = await orUndefined(
    workers.run<Tasks, 'changeRecord'>(tasks, 'changeRecord', [kind, plain, changes, order]),
  );
  if (!edited) return editRecord(record, changes, order);
  if (edited.text === text) return record;
  remember(kind, edited.text, format, edited.read);
  return new RecordText(edited.text, format);
}

function remember(kind: RecordKind, text: string, format: Format, read: ReadRecord): void {
  if (isParsedSoon(text, format)) return;
  if ('error' in read) {
    const { message, pointer, ...position } = read.error;
    rememberParsedText(text, format, { error: new ParseError(text, position, message, pointer) });
    return;
  }
  const { value, errors, positions } = read;
  rememberSchemaErrors(kind, value as object, errors);
  rememberParsedText(text, format, { value }, positions);
}

/** True if the text of fields would be large, approximately. */
const isLarge = (fields: Fields): boolean => JSON.stringify(fields).length >= largeText;

const orUndefined = async <T>(result: Promise<T> | undefined): Promise<T | undefined> => result?.catch(() => undefined);
