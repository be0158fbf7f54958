/** A person at a terminal: one session of bash that gets commands, one at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { until } from '../support/folder.ts';

/** Ends the output of a command. */
const mark = '\x1e';
const loop = `shopt -s expand_aliases; while IFS= read -r -d '' -u 3 line; do eval "$line"; printf '\\x1e'; done 3<&3; kill $(jobs -p)`;

export class Session {
  readonly #child: ChildProcess;
  #text = '';

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    // `script` lends a terminal, since programs write otherwise to a pipe.
    this.#child = spawn(
      'script',
      ['-qefc', `exec bash --norc --noprofile -c '${loop.replaceAll("'", "'\\''")}'`, '/dev/null'],
      {
        cwd,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      },
    );
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#text += chunk;
    });
  }

  /**
   * Runs a command.
   * @returns what it wrote, with what was written in the background after it for as long as it isn't what is expected
   */
  async run(command: string, isExpected: (output: string) => boolean, patience: number): Promise<string> {
    this.#input.write(`${command}\0`);
    const start = this.#text.length;
    // As it looks in the end: a line that begins anew takes the place of what it said before.
    const output = () =>
      this.#text
        .slice(start)
        .replace(/\r+\n/g, '\n')
        .replace(/[^\n]*\r/g, '')
        .replace(mark, '');
    await wait(() => this.#text.includes(mark, start), 60_000);
    await wait(() => isExpected(output()), patience);
    return output();
  }

  async end(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#input.end();
    await closed;
  }

  get #input(): NodeJS.WritableStream {
    return this.#child.stdio[3] as NodeJS.WritableStream;
  }
}

/** Waits until a condition holds, or the time is over. */
const wait = (condition: () => boolean, milliseconds: number) => until(condition, milliseconds).catch(() => {});
