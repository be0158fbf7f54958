/** Lines for cron in docs/ find the command: cron knows none of the folders that a terminal looks in. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, temporaryFolder } from '../support/program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

interface Crontab {
  readonly page: string;
  /** Variables, as crontab(5) has them. */
  readonly env: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
}

/** The blocks of a page that have a line for cron. */
const crontabsOf = (page: string): readonly Crontab[] =>
  [...readFileSync(join(checkout, 'docs', page), 'utf8').matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(
    ([, block = '']) => {
      const commands = [...block.matchAll(/^(?:[\d*/,-]+ ){5}(.*)$/gm)].map(([, command = '']) => command);
      const env = Object.fromEntries([...block.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
      return commands.length > 0 ? [{ page, env, commands }] : [];
    },
  );

describe('lines for cron', () => {
  const home = temporaryFolder();
  after(home.remove);
  const programs = join(home.path, 'bin');
  mkdirSync(programs);
  symlinkSync(join(checkout, 'bin/catalogue.js'), join(programs, 'catalogue'));
  symlinkSync(process.execPath, join(programs, 'node'));

  /** Runs a command as cron does, in /bin/sh. @param env what the crontab sets */
  const runAsCron = (command: string, env: Crontab['env']) => {
    const path = (env.PATH ?? '/usr/bin:/bin').replace('/usr/local/bin', programs);
    const options = { cwd: home.path, env: { HOME: home.path, ...env, PATH: path }, encoding: 'utf8' } as const;
    return execFileSync('/bin/sh', ['-c', command.replaceAll('\\%', '%')], options);
  };
  const crontabs = readdirSync(join(checkout, 'docs'))
    .filter((page) => page.endsWith('.md'))
    .flatMap(crontabsOf)
    .filter(({ commands }) => commands.some((command) => /\bcatalogue -|\bcatalogue [a-z]+ -/.test(command)));

  it('are in the pages on backups and imports', () => {
    assert.deepEqual(
      crontabs.map(({ page }) => page),
      ['backup.md', 'importing.md'],
    );
  });

  for (const { page, env } of crontabs)
    it(`find the command in ${page}`, () => {
      assert.equal(
        runAsCron('command -v catalogue; command -v node', env),
        `${programs}/catalogue\n${programs}/node\n`,
      );
    });

  it('make the backup', async () => {
    const folder = join(home.path, 'data');
    assert.equal((await run(['init', folder], { cwd: home.path })).exitCode, 0);
    const [{ env, commands } = { env: {}, commands: [] }] = crontabs.filter(({ page }) => page === 'backup.md');
    mkdirSync(join(home.path, 'backups'));
    runAsCron(
      (commands[0] ?? '').replace('/var/lib/catalogue', folder).replace(/ \S*(?=\/\$\()/, ` ${home.path}/backups`),
      env,
    );
    const [file = ''] = readdirSync(join(home.path, 'backups'));
    assert.match(file, /^\w+\.tar\.gz$/);
  });
});
