/** Owners of what root writes in the folder of another user. Others than root can't give files away: they skip this. */
import assert from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { foreignIn, group, service } from '../support/owners.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const skip = process.geteuid?.() !== 0;

function giveAll(root: string): void {
  for (const path of ['.', ...readdirSync(root, { recursive: true }).map(String)])
    chownSync(join(root, path), service, group);
}

describe('what root writes in the folder of another user', { skip }, () => {
  it('belongs to that user: records, payloads, accounts, the trash, caches', async () => {
    const root = await makeRoot({ ...seed, users: { ann: { id: 1, staff: true, groups: [] } } });
    giveAll(root);
    writeFileSync(join(root, '../new.csv'), 'name,height\noak,12\n');
    for (const line of [
      'token add ann',
      'namespace add roads --label Roads',
      'dataset edit parks/trees --label Wood',
      'dataset add roads/lamps --label Lamps',
      'publish new.csv --to roads/lamps',
      'publish new.csv --to parks/trees --force',
      'data parks/trees',
      'dataset remove parks/benches --yes',
      'dataset edit parks/trees --slug wood',
      'check --fix',
    ]) {
      const { exitCode, err } = await type(line.split(' '), { root });
      assert.equal(exitCode, 0, `${line}: ${err}`);
      assert.deepEqual(foreignIn(root), [], line);
    }
    for (const path of ['accounts.json', 'cache/tables', 'journal', 'trash'])
      assert.ok(existsSync(join(root, '.catalogue', path)), path);
  });

  it('belongs to that user in a clone, and after a pull', async (t) => {
    const root = await makeRoot();
    const server = await serveFolder(root);
    t.after(server.close);
    const clone = join(root, '../clone');
    mkdirSync(clone);
    chownSync(clone, service, group);
    const cloned = await type(['clone', server.base, 'clone'], { root });
    assert.equal(cloned.exitCode, 0, cloned.err);
    assert.deepEqual(foreignIn(clone), []);
    for (const ref of ['parks/trees', 'parks/benches'])
      await type(['dataset', 'edit', ref, '--label', 'New'], { root });
    const labelOf = async (slug: string) => {
      const response = await fetch(`${server.base}/api/v1/namespaces/parks/datasets/${slug}/`);
      return ((await response.json()) as { label: string }).label;
    };
    for (const slug of ['trees', 'benches']) await until(async () => (await labelOf(slug)) === 'New');
    const pulled = await type(['pull', '--data', 'clone'], { root });
    assert.equal(pulled.exitCode, 0, pulled.err);
    assert.match(readFileSync(join(clone, 'namespaces/parks/datasets/trees/dataset.yaml'), 'utf8'), /New/);
    assert.deepEqual(foreignIn(clone), []);
  });

  it('belongs to that user also in a restored backup', async () => {
    const root = await makeRoot();
    const cwd = join(root, '..');
    await type(['backup', 'a.tar.gz'], { root });
    mkdirSync(join(cwd, 'volume'));
    chownSync(join(cwd, 'volume'), service, group);
    const { exitCode } = await type(['restore', 'a.tar.gz', 'volume'], { root });
    assert.deepEqual([exitCode, foreignIn(join(cwd, 'volume'))], [0, []]);
  });
});
