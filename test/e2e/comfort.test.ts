/** The same comforts on a remote catalogue, with the built program at a terminal of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CatalogueFolder, until } from '../support/folder.ts';
import { run, type Server, serve, temporaryFolder } from '../support/program.ts';
import { seed } from '../support/prompt.ts';
import { programFolder, terminal } from '../support/terminal.ts';

const password = 'down the rabbit hole';

describe('at a terminal, on a remote catalogue', () => {
  const home = temporaryFolder();
  const cwd = home.path;
  const record = join(cwd, 'there', 'namespaces', 'parks', 'datasets', 'benches', 'dataset.yaml');
  let server: Server;

  const done = async (args: readonly string[], input = '') => {
    const { exitCode, out, err } = await run(args, { cwd, input, env: { XDG_CONFIG_HOME: join(cwd, 'config') } });
    assert.equal(exitCode, 0, `${args.join(' ')}: ${err}`);
    return { out, err };
  };

  before(async () => {
    new CatalogueFolder(join(cwd, 'there'), seed);
    writeFileSync(record, '# Ours.\nid: 12\nlabel: Benches\nx-team: green\n');
    const add = ['user', 'add', 'alice', '--staff', 'true', '--password-stdin', '--data', 'there'];
    await done(add, `${password}\n`);
    server = await serve(['--data', 'there'], { cwd });
    await done(['remote', 'add', 'prod', server.url]);
    await done(['login', 'prod', '--username', 'alice', '--password-stdin'], `${password}\n`);
  });
  after(async () => {
    await server?.end('SIGTERM');
    home.remove();
  });

  const skip = spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script is not installed';

  it('edit keeps comments and keys of its own, and asks again where something is wrong', { skip }, async () => {
    writeFileSync(
      join(cwd, 'editor.sh'),
      `[ -f once ] && sed -i 's/^label.*/label: Seats/' "$1" || sed -i 's/^label.*/label: 7/' "$1"; touch once\n`,
    );
    const { CATALOGUE_DATA: _data, ...env } = process.env;
    const PATH = [programFolder(cwd), process.env.PATH].join(delimiter);
    const own = { PATH, HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), TMPDIR: cwd, TERM: 'xterm' };
    const program = terminal('catalogue --remote prod dataset edit parks/benches', {
      cwd,
      env: { ...env, ...own, VISUAL: `sh '${join(cwd, 'editor.sh')}'`, EDITOR: 'false' },
    });
    await program.until('Changed dataset parks/benches.');
    await program.end();
    assert.ok(existsSync(join(cwd, 'once')));
    assert.equal(readFileSync(record, 'utf8'), '# Ours.\nid: 12\nlabel: Seats\nx-team: green\n');
  });

  it('names are completed', async () => {
    // On a busy machine, the names may come too late for the shell, which doesn't wait long.
    const offered = (line: string) =>
      until(async () => {
        const { out } = await done(['completion', 'fish', '--', '--remote', 'prod', ...line.split(' ')]);
        return out.trim() !== '' && out.trim().split('\n');
      });
    assert.deepEqual(await offered('dataset show parks/'), ['parks/benches\tSeats', 'parks/trees\tTrees']);
    assert.match((await offered('version show parks/trees@2')).join(), /^parks\/trees@20200102030405000000\t/);
    assert.deepEqual(await offered('user show '), ['alice']);
    assert.deepEqual(await offered('data parks/trees heig'), ['height=\tfloat, in m', 'height__\tfloat, in m']);
  });

  it('open knows the page, doctor the server, and --verbose every request', async () => {
    const { out } = await done(['open', 'parks/trees', '--print', '--remote', 'prod']);
    assert.equal(out, `${server.url}/api/v1/namespaces/parks/datasets/trees/\n`);
    const { findings } = JSON.parse((await done(['doctor', '--json', '--data', 'there'])).out);
    const remote = findings.filter(({ name }: { name: string }) => name === 'prod');
    assert.deepEqual(
      remote.map(({ state }: { state: string }) => state),
      ['ok', 'ok'],
    );
    assert.match(remote[1].message, /^signed in as alice, which ends in /);
    const { err } = await done(['dataset', 'show', 'parks/trees', '--remote', 'prod', '--verbose']);
    assert.match(err, /^GET http:.*\/datasets\/trees\/.*: 200 after \d+ ms$/m);
    assert.doesNotMatch(err, /Token|Bearer/);
  });
});
