/** The person's own editor: `$VISUAL`, else `$EDITOR`. */
import { spawn } from 'node:child_process';
import type { Context } from '../context.ts';
import { DeclinedError } from '../errors.ts';

const isWindows = process.platform === 'win32';

/** The command, as the person wrote it: it may have arguments and quotes. */
export const editorOf = ({ VISUAL, EDITOR }: NodeJS.ProcessEnv): string =>
  VISUAL?.trim() || EDITOR?.trim() || (isWindows ? 'notepad' : 'vi');

/**
 * Lets a person edit a file; resolves when the editor has ended.
 * @throws DeclinedError where it can't be started, or ends with an error
 */
export async function openEditor({ env }: Context, path: string): Promise<void> {
  const editor = editorOf(env);
  // The command is a shell's, as for git and crontab; the path is handed over beside it, so nothing in it is read as one.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit', env })
    : spawn('sh', ['-c', `${editor} "$1"`, 'editor', path], { stdio: 'inherit', env });
  // Ctrl-C is the editor's as long as it has the terminal.
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
