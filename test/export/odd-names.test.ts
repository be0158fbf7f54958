/** An export of datasets with odd columns, and of one that is a file now: no dead link, and behind nginx the responses of a server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { exportCatalogue } from '../../src/export/export-catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type Answer, headerOf, send } from '../conformance/replay.ts';
import { deadLinks, filesIn } from '../support/exported.ts';
import { type CatalogueFolder, makeLastingFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx, withoutNginx } from '../support/nginx.ts';
import { serveFolder } from '../support/server.ts';

const names = [
  ...['a', 'a/index.html', 'a/index.json', '.', '..', 'Art des Baumes', 'He said ""hi""', 'a|b', '100%', 'a?b#c', 'ü'],
  ...['two\nlines', '🌳', 'constructor', 'Sind Sie mit den Bäumen in Ihrer Straße zufrieden? '.repeat(5)],
];
const csv = (columns: readonly string[]) =>
  `${columns.map((name) => `"${name}"`).join()}\n${columns.map((_, i) => i).join()}\n`;

describe('an export of columns with odd names', () => {
  let folder: CatalogueFolder;
  let site: string;
  let base: string;
  const dataset = '/api/v1/namespaces/parks/datasets/odd/';

  before(async () => {
    folder = makeLastingFolder({
      namespaces: { parks: { label: 'Parks' } },
      datasets: {
        'parks/odd': { label: 'Odd' },
        'parks/page': { label: 'Page' },
        'parks/lost': { label: 'Lost', columns: [{ name: 'a', type: 'string' }] },
      },
      // Its rows aren't shown, since it has no checksum.
      versions: {
        'parks/lost@20200101000000000000': { file: { name: 'lost.csv', format: 'csv', size: 4 } },
      },
      files: { 'namespaces/parks/datasets/lost/data/lost.csv': 'a\n1\n' },
    });
    const files = await openFileCatalogue(folder.root, { cache: false });
    const publish = (slug: string, text: string, fileName: string, renames: { from: string; to: string }[] = []) =>
      files
        .for()
        .publish(
          { kind: 'dataset', namespace: 'parks', slug },
          { source: Readable.from([text]), fileName, renames, force: true, replace: true },
        );
    await publish('odd', csv(['gone', 'constructor', 'former']), 'odd.csv');
    await publish('odd', csv(names), 'odd.csv', [{ from: 'former', to: 'a' }]);
    await publish('page', csv(['a', 'b']), 'page.csv');
    await publish('page', '<script>alert(1)</script>', 'page.html');
    await files.close();
    base = `http://127.0.0.1:${await freePort()}/open`;
    site = folder.beside('site');
    await exportCatalogue({ folder: folder.root, to: site, url: base });
  });
  after(() => folder?.remove());

  it('offers no rows of a dataset whose newest version is a file without rows, and says why others can’t be read', () => {
    const { collections } = JSON.parse(readFileSync(`${site}/ogc/collections/index.json`, 'utf8'));
    assert.deepEqual(
      collections.map(({ id }: { id: string }) => id),
      ['parks.lost', 'parks.odd'],
    );
    // As a server answers it, and not a dead link.
    const { detail } = JSON.parse(readFileSync(`${site}/ogc/collections/parks.lost/items/index.json`, 'utf8'));
    assert.match(detail, /without a checksum/);
  });

  it('has no dead link, not to columns that are gone, renamed, or can’t be the name of a folder either', () => {
    assert.deepEqual(deadLinks(site, base), []);
    const page = readFileSync(`${site}${dataset}index.html`, 'utf8');
    assert.match(page, /href="[^"]+\/columns\/Art%20des%20Baumes\/"/);
    assert.match(page, /<span class="name" dir="auto">Sind Sie/);
  });

  it('has the responses of a server behind nginx', { skip: withoutNginx }, async () => {
    const snippet = readFileSync(`${site}/_nginx.conf`, 'utf8')
      .replace('listen 8080', `listen 127.0.0.1:${new URL(base).port}`)
      .replace('/srv/site', site);
    const endNginx = await startNginx(folder.beside('nginx'), snippet, `${base}/`);
    const server = await serveFolder(folder.root, { baseUrl: base });
    try {
      const columns = filesIn(site).filter((file) => /\/odd\/columns\/[^/]+\/index.html$/.test(file));
      assert.equal(columns.length, names.length - 5);
      const different: string[] = [];
      for (const file of [...columns, `${dataset.slice(1)}index.html`])
        for (const Accept of ['text/html,*/*;q=0.8', 'application/json', '*/*', 'text/csv', 'text/turtle']) {
          const path = `/${file.replace('index.html', '')}`.split('/').map(encodeURIComponent).join('/');
          const request = { method: 'GET', path, headers: { Accept } };
          const [ours, wanted] = await Promise.all([send(base, { request }), send(server.base, { request })]);
          const headOf = (answer: Answer) => `${answer.status} ${headerOf(answer, 'content-type')?.split(';')[0]}`;
          if (headOf(ours) !== headOf(wanted))
            different.push(`${path} as ${Accept}: ${headOf(ours)}, not ${headOf(wanted)}`);
        }
      assert.deepEqual(different, []);
      const path = '/api/v1/namespaces/parks/datasets/page/download/page.html';
      const payload = await send(base, { request: { method: 'GET', path, headers: {} } });
      assert.match(headerOf(payload, 'content-disposition') ?? '', /^attachment/);
    } finally {
      await endNginx();
      await server.close();
    }
  });
});
