/**
 * A terminal for the commands of a page: `catalogue` runs in this process, everything else in bash. The folder's catalogue is
 * served at http://localhost:8000 as soon as a command names that address.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/program.ts';
import { type } from '../support/prompt.ts';
import { gitEnv } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';

const bin = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
const written = 'http://localhost:8000';

interface PlainCommand {
  readonly argv: readonly string[];
  /** File that the output is written to. */
  readonly file: string | undefined;
}

/** The words of a command that needs no shell; null if it does: for pipes, variables, or several commands. */
export function plainCommand(command: string): PlainCommand | null {
  const [, line = '', file] = /^(.*?)(?: > ([\w./-]+))?$/s.exec(command) ?? [];
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const isPlain = words.every(
    (word) => !/[|&;<>$`\\]|^#/.test(word.replace(/'[^']*'/g, '').replace(/"[^"$`\\]*"/g, '')),
  );
  if (!isPlain) return null;
  return { argv: words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2')), file };
}

export class Terminal {
  readonly #home = temporaryFolder();
  readonly #env: NodeJS.ProcessEnv;
  #server: Awaited<ReturnType<typeof serveFolder>> | undefined;
  cwd: string;

  constructor() {
    this.cwd = join(this.#home.path, 'here');
    const programs = join(this.#home.path, 'bin');
    for (const folder of [this.cwd, programs]) mkdirSync(folder);
    symlinkSync(bin, join(programs, 'catalogue'));
    this.#env = {
      ...gitEnv,
      PATH: `${programs}:${process.env.PATH}`,
      HOME: this.#home.path,
      XDG_CONFIG_HOME: join(this.#home.path, 'configuration'),
      NO_COLOR: '1',
      GIT_PAGER: 'cat',
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((role) => [
          [`GIT_${role}_NAME`, 'A. Person'],
          [`GIT_${role}_EMAIL`, 'person@example.org'],
        ]),
      ),
    };
  }

  /** The catalogue's folder. */
  get root(): string {
    return join(this.cwd, 'catalogue-data');
  }

  /** Runs a command. @returns what the terminal shows */
  async run(said: string): Promise<string> {
    const command = said.includes(written) ? said.replaceAll(written, await this.#base()) : said;
    const output = await this.#perform(command);
    const shown = this.#server ? output.replaceAll(this.#server.base, written) : output;
    return shown
      .replace(/\r+\n/g, '\n')
      .replace(/[^\n]*\r/g, '')
      .replaceAll(this.#home.path, '');
  }

  async end(): Promise<void> {
    await this.#server?.close();
    this.#home.remove();
  }

  async #base(): Promise<string> {
    this.#server ??= await serveFolder(this.root);
    return this.#server.base;
  }

  async #perform(command: string): Promise<string> {
    const { argv = [], file } = plainCommand(command) ?? {};
    const [program, ...args] = argv;
    if (program === 'cd') {
      this.cwd = resolve(this.cwd, args[0] ?? '');
      return '';
    }
    if (program !== 'catalogue') return this.#bash(command);
    const env = { ...this.#env, CATALOGUE_DATA: undefined };
    const root = existsSync(this.root) ? this.root : this.cwd;
    const { out, err, screen } = await type(args, {
      root,
      cwd: this.cwd,
      env,
      terminal: !file,
      columns: 120,
      answer: true,
    });
    if (!file) return screen;
    writeFileSync(join(this.cwd, file), out);
    return err;
  }

  /** Both streams come in one, as on a terminal. */
  async #bash(command: string): Promise<string> {
    const child = spawn('bash', ['--norc', '-c', `exec 2>&1\n${command}`], {
      cwd: this.cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return output;
  }
}
