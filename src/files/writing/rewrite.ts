/** Records that get another text and another extension at once, and those that get their former text back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConflictError, StaleError } from '../../catalogue/errors.ts';
import { recordFormat } from '../../catalogue/layout.ts';
import { writeDurably } from '../../disk/durable.ts';
import { isTargetTaken, moveDurably } from '../../disk/move.ts';
import { ChangedMeanwhileError, type RecordFile } from './record-file.ts';

export interface Rewriting {
  readonly do: 'rewrite';
  /** Path of the present file. */
  readonly from: string;
  /** Path of the same record with another extension. */
  readonly path: string;
  readonly text: string;
  /** The present file, and its bytes. */
  readonly file: RecordFile;
  readonly before: Buffer;
}

/**
 * Gives a record another text and another extension. At each moment, and after a crash, there is one file, and it can be read:
 * JSON is YAML, too. So what becomes JSON gets its text first, and what was JSON gets its name first.
 * @returns a function that undoes it
 * @throws StaleError if another program has written the file; ConflictError if one has the new name; UnavailableError
 */
export async function rewriteRecord(
  root: string,
  { from, path, text, file, before }: Rewriting,
): Promise<() => Promise<void>> {
  const [former, target] = [join(root, from), join(root, path)];
  const isNamedFirst = recordFormat(from) === 'json';
  // Otherwise, a file with the new name is that of another program.
  let isRenamed = false;
  const rename = async () => {
    await moveDurably(former, target).catch((error) => {
      throw isTargetTaken(error) ? new ConflictError(`${path} exists already.`) : error;
    });
    isRenamed = true;
  };
  const undo = async () => {
    if (isRenamed && isNamedFirst) await writeBack(root, path, text, before).catch(() => {});
    if (isRenamed) await moveDurably(target, former, { isUndo: true }).catch(() => {});
    if (!isNamedFirst) await writeBack(root, from, text, before).catch(() => {});
  };
  try {
    if (isNamedFirst) {
      file.assertUnchanged();
      await rename();
      const beforeRename = () => {
        if (!readFileSync(target).equals(before)) throw new ChangedMeanwhileError(path);
      };
      await writeDurably(target, text, { beforeRename });
    } else {
      await file.replace(text);
      await rename();
    }
  } catch (error) {
    await undo();
    throw error instanceof ChangedMeanwhileError ? new StaleError() : error;
  }
  return undo;
}

/**
 * Restores the former contents of a record.
 * @throws ChangedMeanwhileError if another program has written it since
 */
export async function writeBack(root: string, path: string, text: string, before: Buffer): Promise<void> {
  const file = join(root, path);
  const beforeRename = () => {
    if (readFileSync(file, 'utf8') !== text) throw new ChangedMeanwhileError(path);
  };
  await writeDurably(file, before, { beforeRename });
}
