import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type } from '../support/prompt.ts';

describe('wrong usage', () => {
  const wrong: readonly [argv: string[], message: RegExp][] = [
    [['dtaset', 'list'], /unknown command 'dtaset'\n\(Did you mean dataset\?\)/],
    [['dataset', 'lst'], /unknown command 'lst'\n\(Did you mean list\?\)\nSee: catalogue dataset --help/],
    [
      ['dataset', 'rename'],
      /unknown command 'rename'\n\(To rename: catalogue dataset edit <dataset> --slug NEW\)\nSee: catalogue dataset --help/,
    ],
    [['group', 'mv', 'a', 'b'], /\(To rename: catalogue group edit <group> --slug NEW\)/],
    [['version', 'rename'], /^error: unknown command 'rename'\nSee: /],
    [['dataset', 'remoev'], /\(Did you mean remove\?\)/],
    [['dataset', 'delete', 'parks/trees'], /unknown command 'delete'\n\(Did you mean remove\?\)/],
    [['user', 'create', 'bob'], /unknown command 'create'\n\(Did you mean add\?\)/],
    [['version', 'withdraw'], /\n\(To withdraw: catalogue version edit <version> --ready false\)\n/],
    [['dataset', 'withdraw'], /^error: unknown command 'withdraw'\nSee: /],
    [['dataset', 'removal'], /^error: unknown command 'removal'\nSee: /],
    [['dataset', 'list', '--serch', 'x'], /unknown option '--serch'\n\(Did you mean --search\?\)/],
    [['--dat', 'x'], /unknown option '--dat'\n\(Did you mean --data\?\)/],
    [['dataset'], /^Usage: catalogue dataset/],
    [['dataset', 'show'], /missing required argument 'dataset'\nSee: catalogue dataset show --help/],
    [['dataset', 'show', 'a/b', 'c'], /too many arguments/],
    [['dataset', 'show', 'parks'], /"parks" names no dataset\. A dataset is written <namespace>\/<dataset>/],
    [['dataset', 'add', 'parks/x'], /required option '--label <text>' not specified/],
    [['dataset', 'add', 'parks/x', '--label'], /'--label <text>' argument missing/],
    [['dataset', 'add', 'parks/x', '--label', 'X', '--visibility', 'secret'], /Allowed choices are public, private/],
    [['dataset', 'add', 'parks/x', '--label', ' '], /--label: This field may not be blank\./],
    [
      ['dataset', 'add', 'parks', '--label', '!!!'],
      /No name can be made from the label "!!!"\. Give one: catalogue dataset add parks\/<dataset>/,
    ],
    [['dataset', 'add', 'a b', '--label', 'X'], /"a b" is no namespace's name/],
    [['dataset', 'add', 'parks/x', '--label', 'x'.repeat(201)], /--label: Ensure this field has no more than 200 char/],
    [['dataset', 'edit', 'parks/trees', '--keyword', 'x'.repeat(101)], /--keyword: Ensure/],
    [['dataset', 'edit', 'parks/trees'], /Nothing to change: give at least one field/],
    [['import', 'trees.csv', '--save', ' '], /Give the source a name, as in: --save city/],
    [['dataset', 'list', '--limit', '0'], /It must be a whole number of at least 1/],
    [['dataset', 'list', '--ordering', 'colour'], /The fields are id, label, slug, namespace/],
    [['dataset', 'remove', 'parks/trees'], /There is no terminal to ask .* add --yes/],
    [
      ['dataset', 'add', 'parks/x', '--label', 'X', '--description', 'a', '--description-file', 'b'],
      /cannot be used with/,
    ],
    [['serve', '--port', '70000'], /It must be a whole number from 0 to 65535/],
    [['serve', '--base-url', 'example.org'], /Write it like https:/],
    [['serve', '--base-url', 'https://u:p@data.example.org'], /Leave out the user name and the password/],
    [['check', '--format', 'xml'], /Allowed choices are text, json, github/],
    [
      ['check', '--format', 'github', '--json'],
      /--json and --format github ask for two formats: leave out one of them/,
    ],
    [['data', 'parks/trees', '--format', 'csv', '--json'], /--json and --format csv ask for two formats/],
    [['diff', 'main', '--format', 'markdown', '--json'], /--json and --format markdown ask for two formats/],
  ];
  for (const [argv, message] of wrong)
    it(`is said: ${argv.join(' ').slice(0, 70)}`, async () => {
      const { exitCode, out, err } = await type(argv);
      assert.match(err, message);
      assert.equal(exitCode, 2);
      assert.equal(out, '');
    });

  it('is found before anything is opened', async () => {
    for (const [argv] of wrong.slice(0, 15)) assert.deepEqual((await type(argv)).opened, [], argv.join(' '));
  });

  it('has nothing in its message that a terminal would obey', async () => {
    for (const argv of [['\x1b[31m'], ['dataset', 'show', 'parks/\x9b31m'], ['--\x1b]0;x\x07']]) {
      const { err } = await type(argv);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      assert.doesNotMatch(err, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    }
  });
});

describe('global options', () => {
  it('are taken before the noun, before the verb and behind it', async () => {
    const list = ['dataset', 'list', 'water'];
    const { out } = await type([...list, '--json']);
    assert.equal(JSON.parse(out)[0].slug, 'wells');
    for (const at of [0, 1, 2, 3]) {
      const argv = list.toSpliced(at, 0, '--json');
      assert.equal((await type(argv)).out, out, argv.join(' '));
    }
  });

  it('count most where they stand last', async () => {
    const { opened } = await type(['--data', '/nowhere', 'dataset', 'list', '--data', '/']);
    assert.deepEqual(opened, ['/']);
  });

  it('are values where values stand', async () => {
    const { catalogue, exitCode } = await type(['namespace', 'add', 'x', '--label', '--json']);
    assert.equal(exitCode, 0);
    assert.equal((await catalogue.get<'namespace'>({ kind: 'namespace', slug: 'x' })).label, '--json');
  });

  it('mean a folder or a remote catalogue, and not both', async () => {
    const both = await type(['--remote', 'https://data.example.org', '--data', '/', 'dataset', 'list']);
    assert.deepEqual([both.exitCode, both.opened], [2, []]);
    assert.match(both.err, /--data means a folder and --remote a remote catalogue: give one of them/);
    const serve = await type(['serve', '--remote', 'prod']);
    assert.equal(serve.exitCode, 2);
    assert.match(serve.err, /catalogue serve works on a folder, not on a remote/);
  });
});

describe('the folder', () => {
  const home = mkdtempSync(join(tmpdir(), 'catalogue-cli-'));
  after(() => rmSync(home, { recursive: true }));
  const there = (name: string, ...folders: string[]) => {
    for (const folder of ['', ...folders]) mkdirSync(join(home, name, folder), { recursive: true });
    return { cwd: join(home, name), env: { CATALOGUE_DATA: '' } };
  };
  const opened = async (options: object, ...argv: string[]) =>
    (await type([...argv, 'dataset', 'list'], options)).opened;

  it('is --data, then CATALOGUE_DATA, then ./catalogue-data, then the current one', async () => {
    const both = there('both', 'catalogue-data', 'namespaces', 'other');
    assert.deepEqual(await opened(both), ['catalogue-data']);
    assert.deepEqual(await opened(both, '--data', 'other'), ['other']);
    const { cwd } = both;
    assert.deepEqual(await opened({ cwd, env: { CATALOGUE_DATA: 'other' } }), ['other']);
    assert.deepEqual(await opened({ cwd, env: { CATALOGUE_DATA: '/' } }, '--data', 'other'), ['other']);
    const itself = there('itself', 'namespaces');
    assert.deepEqual(await opened(itself), ['.']);
  });

  it('is missed with a word about init', async () => {
    const nothing = there('nothing');
    const none = await type(['dataset', 'list'], nothing);
    assert.equal(none.exitCode, 1);
    assert.match(none.err, /There is no catalogue here.*catalogue init/);
    const named = await type(['--data', 'data', 'dataset', 'list'], nothing);
    assert.equal(named.exitCode, 1);
    assert.match(named.err, /There is no folder data\. Make one with: catalogue init data/);
    const env = await type(['dataset', 'list'], { ...nothing, env: { CATALOGUE_DATA: 'data' } });
    assert.match(env.err, /There is no folder data \(CATALOGUE_DATA\)/);
  });
});
