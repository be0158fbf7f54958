/** A record's text in a person's editor, until it is valid or the person gives up. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import { escapeKeepingLines } from '../../catalogue/printable-text.ts';
import type { Context } from '../context.ts';
import { DeclinedError } from '../errors.ts';

export interface Edited {
  /** Path of the record, relative to the catalogue folder. */
  readonly path: string;
  readonly text: string;
  /** Saves the new text. @throws ValidationError, ConflictError: the editor is opened again */
  save(text: string): Promise<void>;
}

/**
 * Opens the editor on a text and saves the new one. If it is refused, the editor is opened again with the reasons at the
 * top. A text that isn't saved in the end is kept in a file, which the message names.
 * @returns true if something was changed
 * @throws DeclinedError where the person gives up; the errors of `save`
 */
export async function editTextUntilSaved(context: Context, { path, text, save }: Edited): Promise<boolean> {
  const folder = await mkdtemp(join(context.env.TMPDIR || tmpdir(), 'catalogue-'));
  const file = join(folder, nameOf(path));
  let last = text;
  let isKept = false;
  let header: readonly string[] = [];
  try {
    for (;;) {
      await writeFile(file, header.map((line) => `${line}\n`).join('') + last, { mode: 0o600 });
      await openEditor(context, file);
      const typed = withoutHeader(await readFile(file, 'utf8'), header.length);
      if (typed.trim() === '') throw new DeclinedError('The text is empty. Nothing was changed.');
      if (typed === text) return false;
      if (header.length && typed === last)
        throw new DeclinedError('Nothing was changed: the text is the one that was refused.');
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
    // Text that a person has typed is never lost.
    const typed = withoutHeader(await readFile(file, 'utf8').catch(() => ''), header.length);
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

/** A file name that shows the editor the format, and the person the record: `trees.yaml`. */
function nameOf(path: string): string {
  const extension = extname(path) === '.json' ? '.json' : '.yaml';
  const stem = basename(path, extname(path));
  return (stem === 'dataset' || stem === 'namespace' ? basename(dirname(path)) : stem) + extension;
}

const mark = '#>';

/** The reasons as comments; line numbers are those of the file with these comments. */
function headerFor(reasons: readonly string[], path: string): readonly string[] {
  const lines = [
    'The text was not saved:',
    ...reasons.flatMap((reason) => escapeKeepingLines(reason).split('\n')),
    'Correct it; or empty the file to cancel. These lines are removed by themselves.',
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

/** The text without the comments above it. @param lines the most of them: others are the person's own */
const withoutHeader = (text: string, lines: number) =>
  text.replace(new RegExp(`^(?:${mark}.*(?:\\r?\\n|$)){0,${lines}}`), '');

const isWindows = process.platform === 'win32';

/** The command of the editor, as the person has written it: it may have arguments and quotes. */
const editorCommand = ({ VISUAL, EDITOR }: NodeJS.ProcessEnv): string =>
  VISUAL?.trim() || EDITOR?.trim() || (isWindows ? 'notepad' : 'vi');

/**
 * Opens a file in the person's editor, $VISUAL or $EDITOR; resolves when the editor has ended.
 * @throws DeclinedError where the editor can't be started, or ends with an error
 */
async function openEditor({ env }: Context, path: string): Promise<void> {
  const editor = editorCommand(env);
  // A shell reads the command, as with git and crontab; the path is an argument of its own, which no shell reads.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit', env })
    : spawn('sh', ['-c', `${editor} "$1"`, 'editor', path], { stdio: 'inherit', env });
  // Ctrl-C belongs to the editor as long as it has the terminal.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const ended = await new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1));
  }).finally(() => process.off('SIGINT', ignore));
  if (ended === 0) return;
  const hint = 'Set VISUAL or EDITOR, as in: EDITOR=nano';
  if (ended === 127) throw new DeclinedError(`The editor ${editor} was not found. ${hint}`);
  if (ended === 126) throw new DeclinedError(`The editor ${editor} can't be run. ${hint}`);
  throw new DeclinedError(`The editor ${editor} ended with an error (${ended}).`);
}
