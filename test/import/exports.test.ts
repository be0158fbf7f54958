/** Import of a static export: behind nginx with its snippet, and on a plain host, by each of its addresses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { serveFiles } from '../support/folder-server.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx, withoutNginx } from '../support/nginx.ts';
import { makeRoot, type } from '../support/prompt.ts';

/** Exports a catalogue of a few datasets, none of which has what a data.json requires. */
async function exportTo(site: string, url: string): Promise<void> {
  const root = await makeRoot();
  const { exitCode, err } = await type(['export', site, '--url', url], { root });
  assert.equal(exitCode, 0, err);
}

async function assertImported(url: string): Promise<void> {
  const root = await makeRoot({ settings: { title: 'Empty' } });
  const args = ['--to', 'copy', '--with-data', '--delay', '0', '--json'];
  const { out, err, catalogue } = await type(['import', url, ...args], { root });
  const { created = [], versions = [], links } = out ? JSON.parse(out) : {};
  assert.deepEqual(
    created.map(({ dataset }: { dataset: string }) => dataset).sort(),
    ['copy/benches', 'copy/trees'],
    err,
  );
  assert.deepEqual(
    versions.map(({ file }: { file: string }) => file),
    ['trees-20200102030405000000.csv'],
    JSON.stringify(links),
  );
  const trees = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'copy', slug: 'trees' });
  assert.equal(trees.columns.find(({ name }) => name === 'height')?.unit, 'm');
}

describe('an import of a static export', () => {
  it('takes its datasets, their files and the texts of columns from a plain host', async () => {
    const site = join(await makeRoot(), '..', 'site');
    const { base, close } = await serveFiles(site, '/open');
    try {
      await exportTo(site, `${base}/`);
      for (const path of ['/', '/api/v1/', '/api/v1/index.json']) await assertImported(base + path);
    } finally {
      close();
    }
  });

  it('takes them from nginx', { skip: withoutNginx }, async () => {
    const folder = join(await makeRoot(), '..');
    const site = join(folder, 'site');
    const port = await freePort();
    const base = `http://127.0.0.1:${port}/open`;
    await exportTo(site, `${base}/`);
    const snippet = readFileSync(`${site}/_nginx.conf`, 'utf8')
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('/srv/site', site);
    const end = await startNginx(join(folder, 'nginx'), snippet, `${base}/`);
    try {
      for (const path of ['/', '/api/v1/']) await assertImported(base + path);
    } finally {
      await end();
    }
  });
});
