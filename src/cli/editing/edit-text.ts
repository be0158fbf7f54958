/** A record's text in a person's editor, until it is good or the person gives up. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import type { Context } from '../context.ts';
import { DeclinedError } from '../errors.ts';
import { manyLines } from '../output/text.ts';
import { openEditor } from './editor.ts';

export interface Edited {
  /** Where the record lies in its catalogue. */
  readonly path: string;
  readonly text: string;
  /** Takes the new text. @throws ValidationError, ConflictError where another text might do */
  save(text: string): Promise<void>;
}

/**
 * Opens the editor on a text and saves what comes of it. Where it is refused, the editor is opened again with the reason
 * at the top. What isn't saved in the end is kept in a file, which the message names.
 * @returns whether something was changed
 * @throws DeclinedError where the person gave up; what `save` throws
 */
export async function editText(context: Context, { path, text, save }: Edited): Promise<boolean> {
  const folder = await mkdtemp(join(context.env.TMPDIR || tmpdir(), 'catalogue-'));
  const file = join(folder, nameOf(path));
  let last = text;
  let isKept = false;
  let header: readonly string[] = [];
  try {
    for (;;) {
      await writeFile(file, header.map((line) => `${line}\n`).join('') + last, { mode: 0o600 });
      await openEditor(context, file);
      const typed = withoutHeader(await readFile(file, 'utf8'));
      if (typed.trim() === '') throw new DeclinedError('The text is empty. Nothing was changed.');
      if (typed === text) return false;
      if (header.length && typed === last)
        throw new DeclinedError('Nothing was changed: the text is as it was refused.');
      last = typed;
      try {
        await save(typed);
        return true;
      } catch (error) {
        if (!(error instanceof ValidationError || error instanceof ConflictError)) throw error;
        header = headerFor(reasonsOf(error), path);
      }
    }
  } catch (error) {
    // Whoever has typed something shall not have done so for nothing.
    const typed = withoutHeader(await readFile(file, 'utf8').catch(() => ''));
    const worth = typed.trim() === '' ? last : typed;
    if (worth === text || !(error instanceof Error)) throw error;
    isKept = true;
    await writeFile(file, worth, { mode: 0o600 });
    error.message += ` Your text is kept in ${file}`;
    throw error;
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

/** A name by which the editor knows the format, and the person the record: `trees.yaml`. */
function nameOf(path: string): string {
  const extension = extname(path) === '.json' ? '.json' : '.yaml';
  const stem = basename(path, extname(path));
  return (stem === 'dataset' || stem === 'namespace' ? basename(dirname(path)) : stem) + extension;
}

const mark = '#>';

/** The reasons as comments; places are those in the file as the editor shows it. */
function headerFor(reasons: readonly string[], path: string): readonly string[] {
  const lines = [
    'This was not saved:',
    ...reasons.flatMap((reason) => manyLines(reason).split('\n')),
    'Change it, or empty the file to leave everything as it was. These lines go away by themselves.',
  ];
  const placed = (line: string) => {
    const [, row, column, message] =
      (line.startsWith(`${path}:`) && /^(\d+):(\d+): (.*)$/s.exec(line.slice(path.length + 1))) || [];
    return row === undefined ? line : `Line ${Number(row) + lines.length}, column ${column}: ${message}`;
  };
  return lines.map((line) => `${mark} ${placed(line)}`);
}

function reasonsOf(error: Error): readonly string[] {
  if (!(error instanceof ValidationError)) return [error.message];
  return Object.entries(error.fields).flatMap(([field, messages]) =>
    messages.map((message) => (field === 'non_field_errors' ? message : `${field}: ${message}`)),
  );
}

/** The text without the comments that stood before it. */
const withoutHeader = (text: string) => text.replace(new RegExp(`^(?:${mark}.*(?:\\r?\\n|$))*`), '');
