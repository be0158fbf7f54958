/** Metadata of versions where people read them: at the prompt, in differences, in conflicts, in pages. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { homeOf, until } from '../support/folder.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { makeRepository } from '../support/repository.ts';
import { served } from '../support/served.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const json = '{"format":"csv","rows":3,"source":"trees.csv","columns":[{"name":"height","nulls":0,"max":12.5}]}';
const version = 'parks/trees@20200102030405000000';
const path = `${homeOf('parks/trees')}/versions/20200102030405000000.yaml`;
interface Shown {
  readonly metadata: string;
}

/** The catalogue with metadata as they are in the file. */
const withMetadata = (metadata: unknown) => ({
  ...seed,
  versions: { [version]: { ...seed.versions?.[version], metadata } },
});

describe('metadata', () => {
  for (const [form, metadata] of [
    ['YAML', JSON.parse(json)],
    ['base64', base64(json)],
  ] as const)
    it(`in ${form} are shown in lines to people, and as the API has them to programs`, async () => {
      const root = await makeRoot(withMetadata(metadata));
      const shown = (await type(['version', 'show', version], { root, terminal: true })).out;
      assert.match(
        shown,
        /^metadata {2}format: csv\n {10}rows: 3\n {10}source: trees\.csv\n {10}columns:\n {10}- name height, nulls 0, max 12\.5$/m,
      );
      assert.ok((await type(['version', 'show', version], { root })).out.includes(`metadata\t${json}\n`));
      const { out } = await type(['version', 'show', version, '--json'], { root });
      assert.equal(JSON.parse(out).metadata, base64(json));
      const dataset = (await type(['dataset', 'show', 'parks/trees'], { root, terminal: true })).out;
      assert.match(dataset, /^metadata +format: csv\n +rows: 3\n +source: trees\.csv$/m);
      assert.doesNotMatch(dataset, /nulls/);
    });

  it('with spaces in their JSON are shown as JSON, and opaque ones are cut', async () => {
    const spaced = await makeRoot(withMetadata(base64('{"rows": 3}')));
    assert.match(
      (await type(['version', 'show', version], { root: spaced, terminal: true })).out,
      /^metadata +\{"rows": 3\}$/m,
    );
    const opaque = await makeRoot(withMetadata('x'.repeat(100)));
    assert.match(
      (await type(['version', 'show', version], { root: opaque, terminal: true })).out,
      /^metadata +x{59}…$/m,
    );
  });

  it('nested more deeply than a record are opaque: in the prompt, in pages, and to the API', async () => {
    const deep = base64(`{"a":${'['.repeat(8000)}${']'.repeat(8000)}}`);
    const root = await makeRoot(withMetadata(deep));
    const shown = (await type(['version', 'show', version], { root, terminal: true })).out;
    assert.match(shown, new RegExp(`^metadata +${deep.slice(0, 59)}…$`, 'm'));
    assert.equal((await type(['check', '--fix'], { root })).exitCode, 0);
    const { base } = await served(withMetadata(deep));
    for (const format of ['api', 'json']) {
      const answer = await fetch(`${base}/api/v1/versions/?format=${format}`);
      assert.equal(answer.status, 200);
      assert.ok((await answer.text()).includes(deep.slice(0, 59)));
    }
  });

  it('that differ between two commits are told key by key, and their form is no difference', async (test) => {
    const repository = await makeRepository(withMetadata(base64(json)), test);
    const file = join(repository.root, path);
    const text = readFileSync(file, 'utf8');
    const write = (metadata: string) => {
      writeFileSync(file, text.replace(/^metadata: .*$/m, `metadata: ${metadata}`));
      repository.commit('Change');
    };
    write(json);
    const diff = async () => (await type(['diff', 'HEAD~1..HEAD'], { root: repository.root })).out;
    assert.equal(await diff(), '');
    write(json.replace('"rows":3', '"rows":4').replace('12.5', '9'));
    assert.match(await diff(), /metadata: rows 3 → 4, columns changed$/m);
  });

  it('of both forms differ in layout only for pull and push, and their keys are those of conflicts', async () => {
    const { base, folder } = await served(withMetadata(base64(json)), undefined, { readOnly: true });
    const env = { CATALOGUE_REMOTE: base };
    await type(['clone', base, 'catalogue-data'], { seed: {}, cwd: folder.beside('.') });
    const clone = folder.beside('catalogue-data');
    const url = `${base}/api/v1/namespaces/parks/datasets/trees/version/20200102030405000000/?format=json`;
    const there = async (text: string, source: string) => {
      folder.write(path, text);
      const seen = async () => Buffer.from(((await (await fetch(url)).json()) as Shown).metadata, 'base64').toString();
      await until(async () => (await seen()).includes(source));
    };
    const before = readFileSync(folder.path(path), 'utf8');
    const yaml = (text: string) => before.replace(/^metadata: .*$/m, `metadata: ${text}`);
    await there(yaml(json), 'trees.csv');
    const lines = async () => (await type(['diff'], { root: clone, env })).out;
    await until(async () => /^incoming\tchange\tparks\/trees@20200102030405000000\t\t$/m.test(await lines()));
    writeFileSync(join(clone, path), yaml(base64(json.replace('"rows":3', '"rows":5'))));
    await there(yaml(json.replace('trees.csv', 'other.csv')), 'other.csv');
    const conflicts = (await lines()).split('\n').filter((line) => line.startsWith('conflict'));
    assert.deepEqual(
      conflicts.map((line) => line.split('\t')[3]),
      ['metadata.rows', 'metadata.source'],
    );
  });

  it('in a page are readable, and in the API as they were', async () => {
    const { base } = await served(withMetadata(JSON.parse(json)));
    const url = `${base}/api/v1/namespaces/parks/datasets/trees/version/20200102030405000000/`;
    const object = (await (await fetch(url)).json()) as Shown;
    assert.equal(object.metadata, base64(json));
    for (const address of [url, `${base}/api/v1/versions/`, `${base}/api/v1/namespaces/parks/datasets/trees/`]) {
      const page = await (await fetch(`${address}?format=api`)).text();
      assert.match(page, /&quot;source&quot;<\/b>: <i class="text">&quot;trees\.csv&quot;/, address);
      assert.ok(!page.includes(base64(json).slice(0, 20)), address);
    }
    const schema = (await (await fetch(`${base}/schemas/version.json`)).json()) as {
      properties: { metadata: { type: unknown } };
    };
    assert.deepEqual(schema.properties.metadata.type, ['string', 'object']);
  });
});
