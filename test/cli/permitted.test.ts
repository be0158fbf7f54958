/** Rights of the user of a remote: a dry run needs those of the write, and nothing is left of an interrupted one. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { filesIn, makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const content = {
  ...seed,
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] }, water: { id: 2, label: 'Water' } },
  groups: { gardeners: { id: 41, label: 'Gardeners' } },
  users: { alice: { id: 1, staff: true }, bob: { id: 2, groups: ['gardeners'] }, eve: { id: 3 } },
};

describe('the user of a remote', () => {
  let root: string;
  let base: string;
  const tokens: Record<string, string> = {};
  const closing: (() => Promise<unknown>)[] = [];
  before(async () => {
    root = await makeRoot(content);
    const files = await openFileCatalogue(root);
    for (const name of ['alice', 'bob', 'eve']) tokens[name] = (await files.accounts.addToken(name)).token;
    await files.close();
    const server = await serveFolder(root);
    base = server.base;
    closing.push(() => server.close());
  });
  after(async () => {
    for (const close of closing) await close();
  });
  const as = (name: string, argv: readonly string[], options: PromptOptions = {}) =>
    type(argv, {
      root,
      ...options,
      env: { CATALOGUE_TOKEN: tokens[name], CATALOGUE_REMOTE: base, CATALOGUE_DATA: undefined },
    });

  for (const line of [
    'namespace add roads --label Roads',
    'dataset add parks/paths --label Paths',
    'dataset edit parks/trees --label Oaks',
    'dataset remove parks/trees',
    'version add parks/trees a.csv',
    'version edit parks/trees@latest --notes x',
    'version remove parks/trees@latest',
    'publish a.csv --to parks/new',
    'publish a.csv --to parks/trees',
    'column edit parks/trees height --label x',
    'column rename parks/trees height x',
    'group add drivers --label Drivers',
    'user add carl',
    'user edit bob --name x',
    'user edit eve --staff true',
    'user passwd bob',
    'token add bob',
    'trash empty',
  ])
    it(`may not try "${line}" without the right to do it`, async () => {
      const before = filesIn(root);
      const tried = await as('eve', [...line.split(' '), '--dry-run'], { files: { 'a.csv': 'name,height\na,1\n' } });
      assert.equal(tried.exitCode, 4, tried.out + tried.err);
      assert.deepEqual(filesIn(root), before);
    });

  it('may not try a push without the right to do it', async () => {
    const cwd = join(dirname(root), 'copies');
    mkdirSync(cwd);
    const env = { CATALOGUE_TOKEN: tokens.eve, CATALOGUE_DATA: undefined };
    assert.equal((await type(['clone', base, 'copy'], { cwd, env: { ...env, CATALOGUE_REMOTE: base } })).exitCode, 0);
    const copy = join(cwd, 'copy');
    await type(['dataset', 'edit', 'parks/trees', '--label', 'Oaks'], { cwd: copy, env });
    const tried = await type(['push', '--dry-run'], { cwd: copy, env: { ...env, CATALOGUE_REMOTE: base } });
    assert.equal(tried.exitCode, 4, tried.out + tried.err);
  });

  it('is told that nothing was changed where only staff may', async () => {
    const refused = await as('eve', ['user', 'edit', 'eve', '--staff', 'true', '--name', 'Eve']);
    assert.deepEqual([refused.exitCode, refused.out], [4, '']);
    assert.match(refused.err, /Only staff may change these fields of a user: staff\. Nothing was changed\./);
    const shown = JSON.parse((await as('eve', ['user', 'show', 'eve', '--json'])).out);
    assert.deepEqual([shown.name, shown.staff], ['', false]);
    assert.equal((await as('eve', ['user', 'edit', 'eve', '--name', 'Eve'])).exitCode, 0);
    assert.equal((await as('alice', ['user', 'edit', 'eve', '--staff', 'true'])).exitCode, 0);
    assert.equal((await as('alice', ['user', 'edit', 'eve', '--staff', 'false', '--group', 'gardeners'])).exitCode, 0);
  });

  for (const name of ['alice', 'bob'])
    it(`leaves nothing of a new dataset that ${name} interrupts`, async () => {
      const before = filesIn(root);
      const stdin = new Readable({ read() {} });
      stdin.push('name,height\noak,3\n');
      const interrupted = new Promise<void>((resolve) => setTimeout(resolve, 300));
      const argv = ['publish', '-', '--name', 'x.csv', '--to', 'parks/new'];
      const { exitCode, err } = await as(name, argv, { stdin, interrupted });
      assert.deepEqual([exitCode, err], [130, 'error: Interrupted. Nothing was kept.\n']);
      assert.deepEqual(filesIn(root), before);
      const trash = JSON.parse((await as('alice', ['trash', 'list', '--json'])).out);
      assert.deepEqual(trash, []);
    });

  for (const where of ['remote', 'folder'])
    it(`leaves a new dataset that is interrupted to others who have added a version: ${where}`, async () => {
      const run = (argv: readonly string[], options: PromptOptions = {}) =>
        where === 'remote' ? as('alice', argv, options) : type(argv, { root, ...options });
      const dataset = `parks/shared-${where}`;
      const stdin = new Readable({ read() {} });
      stdin.push('name,height\noak,3\n');
      const interrupted = (async () => {
        const argv = ['version', 'add', dataset, 'b.csv'];
        while ((await run(argv, { files: { 'b.csv': 'name\nelm\n' } })).exitCode !== 0)
          await new Promise((resolve) => setTimeout(resolve, 50));
      })();
      const argv = ['publish', '-', '--name', 'x.csv', '--to', dataset];
      assert.equal((await run(argv, { stdin, interrupted })).exitCode, 130);
      assert.equal((await run(['data', dataset])).out, 'name\r\nelm\r\n');
    });
});
