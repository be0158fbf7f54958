/** How pages name versions that have the same date, and what they say of a draft that is the newest. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf } from '../support/folder.ts';
import { served } from '../support/served.ts';

const trees = '/api/v1/namespaces/lab/datasets/trees/';

const text = 'height\n2\n';
const checksum = createHash('sha256').update(text).digest('hex');
const version = (datetime: string, draft: boolean) => ({
  ...{ datetime, checksum, rows: 1, ...(draft && { ready: false, draft }) },
  file: { name: 'a.csv', format: 'csv', size: text.length },
  columns: [{ name: 'height', type: 'integer' }],
});
const server = await served({
  namespaces: { lab: { label: 'Lab' } },
  datasets: {
    'lab/trees': { label: 'Trees', columns: [{ name: 'height', type: 'integer' }] },
    'lab/plan': { label: 'Plan' },
  },
  versions: {
    'lab/trees@20261127053100000000': version('2026-11-27T05:31:00Z', false),
    'lab/trees@20261128053100000000': version('2026-11-28T05:31:00Z', false),
    'lab/trees@20261128093000000000': version('2026-11-28T09:30:00Z', false),
    'lab/trees@20261129053100000000': version('2026-11-29T05:31:00Z', false),
    'lab/trees@20261129055400000000': version('2026-11-29T05:54:00Z', true),
    'lab/plan@20261129055400000000': version('2026-11-29T05:54:00Z', true),
  },
  files: Object.fromEntries(['trees', 'plan'].map((slug) => [`${homeOf(`lab/${slug}`)}/data/a.csv`, text])),
  users: { kim: { staff: true } },
});
const files = await openFileCatalogue(server.folder.root);
const { token } = await files.accounts.addToken('kim');
await files.close();

describe('versions of one day', () => {
  const page = async (path: string) => {
    const headers = { Accept: 'text/html', Authorization: `Token ${token}` };
    const text = await (await fetch(server.base + path, { headers })).text();
    return { text, words: text.replaceAll(/<[^>]*>/g, '').replace(/\s+/g, ' ') };
  };

  it('have their times, and a draft is called a draft', async () => {
    const { words } = await page(trees);
    const first = '29 November 2026, 05:31 UTC';
    assert.ok(words.includes('The newest version is a draft'), words);
    assert.match(words, /Only the owners see the version of 29 November 2026, 05:54 UTC, until it is made ready/);
    assert.ok(words.includes(`Shown here is that of ${first}.`));
    assert.doesNotMatch(words, /no data to show/);
    assert.ok(words.includes(`version of ${first}`), 'the citation');
  });

  it('have different links and titles', async () => {
    const { text } = await page(trees);
    const links = [...text.matchAll(/<time [^>]*>([^<]*)<\/time><\/a>/g)].map(([, date]) => date);
    const times = ['28 Nov 2026, 09:30 UTC', '28 Nov 2026, 05:31 UTC'];
    assert.deepEqual(links, ['29 Nov 2026, 05:54 UTC', '29 Nov 2026, 05:31 UTC', ...times, '27 Nov 2026']);
    assert.match((await page(`${trees}version/20261129053100000000/`)).text, /<title>Trees, 29 Nov 2026, 05:31 UTC/);
    assert.match((await page(`${trees}version/20261127053100000000/`)).text, /<title>Trees, 27 Nov 2026 /);
    const { words } = await page(`${trees}columns/height/`);
    for (const time of times) assert.ok(words.includes(time), time);
  });

  it('have seconds if they are of one minute, and their fractions if they are of one second', async (test) => {
    const times = [
      ...['2026-11-29T05:31:00Z', '2026-11-29T05:31:07Z', '2026-11-29T05:31:07.250Z', '2026-11-29T05:40:00Z'],
      '2026-11-28T05:31:00Z',
    ];
    const minutes = await served(
      {
        namespaces: { lab: { label: 'Lab' } },
        datasets: { 'lab/trees': { label: 'Trees', columns: [{ name: 'height', type: 'integer' }] } },
        versions: Object.fromEntries(
          times.map((time, at) => [`lab/trees@2026112905310${at}000000`, { ...version(time, false) }]),
        ),
        files: { [`${homeOf('lab/trees')}/data/a.csv`]: text },
      },
      test,
    );
    const shown = async (language: string) => {
      const headers = { Accept: 'text/html', 'Accept-Language': language };
      const page = await (await fetch(minutes.base + trees, { headers })).text();
      return [...page.matchAll(/<time [^>]*>([^<]*)<\/time><\/a>/g)].map(([, date]) => date);
    };
    assert.deepEqual(await shown('en'), [
      ...['29 Nov 2026, 05:40 UTC', '29 Nov 2026, 05:31:07.250 UTC', '29 Nov 2026, 05:31:07.000 UTC'],
      ...['29 Nov 2026, 05:31:00 UTC', '28 Nov 2026'],
    ]);
    assert.equal((await shown('de'))[3], '29. Nov. 2026, 05:31:00 UTC');
    assert.equal((await shown('fr'))[3], '29 nov. 2026, 05:31:00 UTC');
  });

  it('are not called withdrawn if the only one is a draft', async () => {
    const { words } = await page('/api/v1/namespaces/lab/datasets/plan/');
    assert.match(words, /No version of this dataset is ready ?Only the owners see it, until it is made ready/);
  });
});
