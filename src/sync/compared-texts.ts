/** Records of both sides by their paths after the moves, and their fields, which are read at the paths before. */
import type { RecordFields } from './field-conflicts.ts';
import type { Files, Side } from './files.ts';
import { locateFile, type Move } from './moves.ts';
import { nullIfRefused } from './run.ts';
import { parseRecordFields, type TextReaders } from './texts.ts';

/** The files of both sides, by their paths after the moves, with readers of their texts. */
export interface ComparedTexts extends Readonly<Record<Side, Files>> {
  readonly moves: readonly Move[];
  readonly texts: TextReaders;
}

/** The fields of a record on a side; null if it is missing, or can't be read. @param path after the moves */
export async function readSideFields(compared: ComparedTexts, side: Side, path: string): Promise<RecordFields | null> {
  const file = locateFile(compared, side, path);
  const text = file && (await compared.texts[side].get(file.path, file.checksum).catch(nullIfRefused));
  return file === null || text === null ? null : parseRecordFields(file.path, text);
}
