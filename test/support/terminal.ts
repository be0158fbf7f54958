/** A program at a terminal of its own, by script(1): what is typed, and what is seen. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

export interface Terminal {
  /** All that was to be seen so far, without colours and other sequences. */
  seen(): string;
  /** All that came so far, with its control sequences. */
  raw(): string;
  type(text: string): void;
  /** Waits until something is seen that wasn't there yet when it was last waited for. */
  until(what: string | RegExp): Promise<void>;
  /** Waits for the program to end, and takes the terminal away from one that doesn't. */
  end(): Promise<void>;
}

const deadline = 30_000;
/** Starts a command line of sh at a terminal of 100 columns. */
export function terminal(
  command: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Terminal {
  const child = spawn('script', ['-qec', `stty cols 100 rows 40; ${command}`, '/dev/null'], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let raw = '';
  let from = 0;
  let looked = () => {};
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    raw += chunk;
    looked();
  });
  const seen = (since = 0) => stripVTControlCharacters(raw.slice(since)).replace(/(?!\n)\p{Cc}/gu, '');
  return {
    seen: () => seen(),
    raw: () => raw,
    type: (text) => void child.stdin.write(text),
    async until(what) {
      const find = () => {
        const text = seen(from);
        const isThere = typeof what === 'string' ? text.includes(what) : what.test(text);
        if (isThere) from = raw.length;
        return isThere;
      };
      await new Promise<void>((resolve, reject) => {
        const give = (error?: Error) => {
          clearTimeout(timer);
          looked = () => {};
          if (error) reject(error);
          else resolve();
        };
        const missed = (why: string) => give(new Error(`${why}: ${what}\n${seen(from)}`));
        const timer = setTimeout(() => missed('This was never seen'), deadline);
        looked = () => find() && give();
        void closed.then(() => (find() ? give() : missed('It ended before this was seen')));
        looked();
      });
    },
    async end() {
      await Promise.race([closed, sleep(5_000, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await closed;
    },
  };
}

const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));

/** A folder with the program in it, for a PATH: as it is called once it is installed. */
export function programFolder(home: string): string {
  const folder = join(home, 'bin');
  const path = join(folder, 'catalogue');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(path, 0o755);
  return folder;
}
