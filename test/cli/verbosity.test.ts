import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { ServeOptions } from '../../src/serve.ts';
import { makeRoot, trees, type } from '../support/prompt.ts';

describe('--quiet', () => {
  it('leaves results, and takes messages and progress away', async () => {
    const add = ['namespace', 'add', 'roads', '--label', 'Roads'];
    assert.equal((await type(add)).err, 'Added namespace roads.\n');
    for (const argv of [
      ['--quiet', ...add],
      [...add, '-q'],
    ]) {
      const { exitCode, out, err } = await type(argv);
      assert.deepEqual({ exitCode, out, err }, { exitCode: 0, out: 'roads\n', err: '' });
    }
    const publish = ['publish', 'trees.csv', '--to', 'parks/trees'];
    const files = { 'trees.csv': `${trees}yew,3,4.8,51.6\n` };
    assert.match((await type(publish, { files, terminal: true })).err, /Uploading/);
    const hushed = await type([...publish, '-q'], { files, terminal: true });
    assert.deepEqual([hushed.exitCode, hushed.err], [0, '']);
  });

  it('leaves errors, and questions', async () => {
    const { exitCode, err } = await type(['-q', 'dataset', 'show', 'parks/tree']);
    assert.equal(exitCode, 3);
    assert.equal(err, 'error: There is no dataset parks/tree. Did you mean parks/trees?\n');
    const asked = await type(['-q', 'dataset', 'remove', 'parks/trees'], { terminal: true, answer: true });
    assert.deepEqual([asked.exitCode, asked.questions.length, asked.err], [0, 1, '']);
  });

  it("leaves what a server says of problems, and isn't --verbose as well", async () => {
    const serve = async ({ log }: ServeOptions) => {
      log?.('parks: broken');
      return { url: 'http://localhost:1/', title: 'Parks', close: async () => {} };
    };
    const { err } = await type(['serve', '-q'], { serve, interrupted: Promise.resolve() });
    assert.equal(err, 'parks: broken\n');
    const both = await type(['dataset', 'list', '-q', '-v']);
    assert.equal(both.exitCode, 2);
    assert.match(both.err, /--quiet or --verbose, and not both/);
  });
});

describe('--verbose', () => {
  it('says what is asked of the catalogue and how long it took, and results stay as they are', async () => {
    const root = await makeRoot();
    const list = ['dataset', 'list', 'parks', '--json'];
    const plain = await type(list, { root });
    const told = await type([...list, '--verbose'], { root });
    assert.equal(told.out, plain.out);
    assert.match(told.err, /^opened the folder .*catalogue-data: [\d.]+ ms$/m);
    assert.match(told.err, /^list dataset .*namespace=parks.*: [\d.]+ ms$/m);
    const missing = await type(['-v', 'dataset', 'show', 'parks/oaks'], { root });
    assert.match(missing.err, /^get dataset parks\/oaks: NotFoundError after [\d.]+ ms$/m);
  });

  it('says of what is written the names only', async () => {
    const argv = ['user', 'add', 'alice', '--email', 'alice@example.org', '--password-stdin', '-v'];
    const { exitCode, err } = await type(argv, { files: { '-': 'wonderland' } });
    assert.equal(exitCode, 0, err);
    assert.match(err, /^create user username, email, password: /m);
    assert.doesNotMatch(err, /wonderland|example\.org/);
  });

  it('changes nothing of what is done: with --dry-run, nothing is written', async () => {
    const root = await makeRoot();
    const records = () =>
      readdirSync(root, { recursive: true })
        .map(String)
        .filter((path) => !path.startsWith('.catalogue'))
        .sort();
    const before = records();
    const options = { root, files: { 'trees.csv': `${trees}yew,3,4.8,51.6\n` } };
    for (const argv of [
      ['dataset', 'add', 'parks/new', '--label', 'New'],
      ['publish', 'trees.csv', '--to', 'parks/trees'],
      ['dataset', 'remove', 'parks/trees', '--yes'],
    ]) {
      const { exitCode, err } = await type([...argv, '--dry-run', '--verbose'], options);
      assert.equal(exitCode, 0, err);
      assert.deepEqual(records(), before, argv.join(' '));
    }
  });
});
