/** A person at a terminal: one session of bash that gets commands, one at a time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ends the output of a command. */
const mark = '\x1e';
const loop = `shopt -s expand_aliases; while IFS= read -r -d '' -u 3 line; do eval "$line"; printf '\\x1e'; done 3<&3; kill $(jobs -p)`;

export class Session {
  readonly #child: ChildProcess;
  #text = '';
  #seen = 0;

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

  /** Runs a command; what it wrote, and what was written in the background after it, until it is what is expected. */
  async run(command: string, isExpected: (output: string) => boolean, patience = 15_000): Promise<string> {
    this.#input.write(`${command}\0`);
    const deadline = Date.now() + patience;
    const output = () => this.#text.slice(this.#seen).replaceAll('\r', '');
    while (Date.now() < deadline && !(output().includes(mark) && isExpected(output().replace(mark, ''))))
      await sleep(20);
    const written = output().replace(mark, '');
    this.#seen = this.#text.length;
    return written;
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
