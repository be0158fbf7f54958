/** Completion in real shells: somebody types, presses Tab, and the command does what it says. */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CatalogueFolder } from '../support/folder.ts';
import { temporaryFolder } from '../support/program.ts';
import { seed } from '../support/prompt.ts';
import { programFolder, type Terminal, terminal } from '../support/terminal.ts';

const shells: Readonly<Record<string, { readonly command: string; readonly begin: readonly string[] }>> = {
  bash: {
    command: 'bash --norc --noprofile -i',
    begin: ["bind 'set bell-style none'", 'source <(catalogue completion bash)'],
  },
  zsh: {
    command: 'zsh -f -i',
    begin: [
      'unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D',
      'source <(catalogue completion zsh)',
    ],
  },
  // Fish's suggestions would start the command at each key.
  fish: {
    command: 'fish --no-config -i',
    begin: ['set -g fish_autosuggestion_enabled 0', 'catalogue completion fish | source'],
  },
};

const version = '20200102030405000000';

for (const [name, { command, begin }] of Object.entries(shells)) {
  const missing = ['script', name].filter((program) => spawnSync(program, ['--version']).status !== 0);
  // Where all have to pass, none may be missing.
  const skip = missing.length > 0 && !process.env.CI && `${missing.join(' and ')} is not installed`;

  describe(`completion in ${name}`, { skip }, () => {
    const home = temporaryFolder();
    let shell: Terminal;

    before(async () => {
      new CatalogueFolder(join(home.path, 'catalogue-data'), seed);
      const { CATALOGUE_DATA: _data, CATALOGUE_REMOTE: _remote, ...env } = process.env;
      const PATH = [programFolder(home.path), process.env.PATH].join(delimiter);
      shell = terminal(command, {
        cwd: home.path,
        env: {
          ...env,
          PATH,
          HOME: home.path,
          TERM: 'xterm',
          LC_ALL: 'C.UTF-8',
          NO_COLOR: '1',
          HISTFILE: '',
          PS1: '$ ',
        },
      });
      for (const [n, line] of begin.entries()) {
        shell.type(`${line}\r`);
        // Parted, so that it is the answer that is seen and not the question.
        shell.type(`echo begun''${n}\r`);
        await shell.until(`begun${n}`);
      }
    });
    after(async () => {
      // Ctrl-U: whatever a test that failed has left there.
      shell.type('\x15exit\r');
      await shell.end();
      home.remove();
    });

    /** Types, with Tab where there is one, and waits for what is completed there. */
    const type = async (...parts: readonly (readonly [typed: string, completed: string])[]) => {
      for (const [typed, completed] of parts) {
        shell.type(`${typed}\t`);
        await shell.until(completed);
      }
    };

    it('completes commands, namespaces and datasets', async () => {
      await type(['catalogue nam', 'namespace'], ['sh', 'show']);
      shell.type('water\r');
      await shell.until('Water works');
      await type(['catalogue dataset show pa', 'parks/'], ['tr', 'trees']);
      shell.type('\r');
      await shell.until(/licence +CC0-1\.0/);
    });

    it('completes versions behind @, and columns before =', async () => {
      await type(['catalogue version show parks/trees@20', version]);
      shell.type('\r');
      await shell.until(/checksum +1d815/);
      await type(['catalogue data parks/trees --format cs', 'csv'], [' height__gt', 'height__gt']);
      shell.type('e=12\r');
      await shell.until('oak,12.5');
    });

    it('completes options, and files where files are meant', async () => {
      await type(['catalogue dataset list --vis', '--visibility'], [' pri', 'private']);
      shell.type('\r');
      await shell.until('water/wells');
      await type(['catalogue --data catalogue-d', 'catalogue-data']);
      shell.type(' dataset list parks\r');
      await shell.until('parks/benches');
    });
  });
}
