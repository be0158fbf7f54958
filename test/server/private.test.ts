/** What is private is nowhere for one who isn't signed in: no list, count, search, file, redirect or byte tells of it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { homeOf } from '../support/folder.ts';
import { served } from '../support/served.ts';

const bytes = '{"type":"FeatureCollection","features":[]}';
const version = {
  checksum: createHash('sha256').update(bytes).digest('hex'),
  notes: 'classified',
  file: { name: 'a.geojson', format: 'geojson', size: bytes.length },
};
const slug = '20200101000000000000';
const { base } = await served({
  namespaces: {
    parks: { label: 'Parks' },
    hushhush: { label: 'Classified', visibility: 'private', aliases: ['washush'] },
  },
  datasets: {
    'parks/trees': { label: 'Trees' },
    'parks/veiled': { label: 'Classified', visibility: 'private', aliases: ['wasveiled'], keywords: ['classified'] },
    'hushhush/inner': { label: 'Classified' },
  },
  versions: { [`parks/veiled@${slug}`]: version, [`hushhush/inner@${slug}`]: version },
  queries: {
    open: { label: 'Open', dataset: 'parks/trees' },
    classified1: { label: 'Classified', dataset: 'parks/veiled' },
    classified2: { label: 'Classified', dataset: 'hushhush/inner' },
  },
  files: {
    [`${homeOf('parks/veiled')}/data/a.geojson`]: bytes,
    [`${homeOf('hushhush/inner')}/data/a.geojson`]: bytes,
    [`${homeOf('parks/veiled')}/versions/20210101000000000000.yaml`]: 'classified: [',
    [`${homeOf('hushhush/inner')}/versions/20210101000000000000.yaml`]: 'classified: [',
  },
});

const traces = /hush|veiled|classified|inner/i;
const api = '/api/v1';

describe('lists', () => {
  const collections = ['datasets', 'versions', 'namespaces', 'queries', 'groups', 'users', 'intrinsecus'];
  const questions = [
    '',
    '?page_size=1000',
    '?search=classified',
    '?search=hush',
    '?search=inner',
    '?ready=true',
    '?ordering=-label',
    '?namespace=hushhush',
    '?dataset=veiled',
    '?dataset=hushhush/inner',
    '?visibility=private',
    '?keyword=classified',
    '?slug=veiled',
    '?status=invalid',
    '?kind=payload',
    '?format=api',
  ];
  for (const collection of collections)
    it(`${collection} have no trace of it`, async () => {
      for (const question of questions) {
        const answer = await fetch(`${base}${api}/${collection}/${question}`);
        const text = await answer.text();
        const told = text.replaceAll(encodeURIComponent(question.slice(1)), '').replaceAll(question.slice(1), '');
        assert.doesNotMatch(told, traces, `${collection}${question}`);
        const headers = [...answer.headers].join().replaceAll(encodeURIComponent(question.slice(1)), '');
        const [name = '', value = ''] = question.slice(1).split('=');
        assert.doesNotMatch(headers.replaceAll(`${name}=${encodeURIComponent(value)}`, ''), traces);
      }
    });

  it('count what is seen', async () => {
    const counts = await Promise.all(
      ['datasets', 'versions', 'namespaces', 'queries'].map(async (collection) => {
        const { count } = (await (await fetch(`${base}${api}/${collection}/`)).json()) as { count: number };
        return [collection, count];
      }),
    );
    assert.deepEqual(Object.fromEntries(counts), { datasets: 1, versions: 0, namespaces: 1, queries: 1 });
    assert.deepEqual(await (await fetch(`${base}/readyz`)).json(), { status: 'ok', datasets: 1 });
  });
});

describe('addresses', () => {
  const homes = [
    '/namespaces/parks/datasets/veiled/',
    '/namespaces/parks/datasets/wasveiled/',
    '/namespaces/hushhush/datasets/inner/',
    '/namespaces/washush/datasets/inner/',
  ];
  const below = ['', 'data/', 'data.csv', 'download/', 'version/', `version/${slug}/`, `version/${slug}/data/`];
  const paths = [
    ...homes.flatMap((home) =>
      [...below, 'version/latest/', `version/${slug}/download/`, 'version/latest/download/'].map((path) => home + path),
    ),
    '/namespaces/hushhush/',
    '/namespaces/hushhush/datasets/',
    '/namespaces/washush/',
    '/namespaces/washush/datasets/',
    '/queries/classified1/',
    '/queries/classified2/data/',
  ];

  it('answer as those of what is not there, to the byte', async () => {
    for (const path of paths) {
      const nothing = path.replace(/hushhush|washush|veiled|wasveiled|inner|classified\d/, 'nothing-here');
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
        const tell = async (at: string) => {
          const answer = await fetch(`${base}${api}${at}`, { method, redirect: 'manual' });
          const headers = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
          return { status: answer.status, headers, body: await answer.text() };
        };
        assert.deepEqual(await tell(path), await tell(nothing), `${method} ${path}`);
      }
    }
  });
});
