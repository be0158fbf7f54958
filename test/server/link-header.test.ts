/** The header Link, and what is said of a payload that is a Git LFS pointer. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { homeOf } from '../support/folder.ts';
import { type } from '../support/prompt.ts';
import { resolvedLinks } from '../support/raw.ts';
import { served } from '../support/served.ts';

const slug = '20200101000000000000';
const csv = 'a,b\n1,2\n3,4\n5,6\n';
const version = {
  checksum: createHash('sha256').update(csv).digest('hex'),
  file: { name: 'a.csv', format: 'csv', size: csv.length },
};
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${version.checksum}\nsize ${csv.length}\n`;
const { base, folder } = await served({
  settings: { licence: 'CC0-1.0' },
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': { label: 'Trees', licence: 'CC-BY-4.0' },
    'parks/lawns': { label: 'Lawns', licence: 'https://example.org/licence' },
    'parks/odd': { label: 'Odd', licence: 'ask us <first>' },
    'parks/large': { label: 'Large' },
  },
  versions: { [`parks/trees@${slug}`]: version, [`parks/large@${slug}`]: version },
  files: { [`${homeOf('parks/trees')}/data/a.csv`]: csv, [`${homeOf('parks/large')}/data/a.csv`]: pointer },
});
const api = `${base}/api/v1/`;
const parks = `${api}namespaces/parks/datasets/`;

/** The links of a response, keyed by relation; of alternates, by relation and type. */
async function linksOf(url: string): Promise<Record<string, string>> {
  let answer = await fetch(url);
  // On a busy machine, rows take their time.
  for (let tries = 0; answer.status === 503 && tries < 6; tries++) answer = await fetch(url);
  assert.equal(answer.status, 200, await answer.text());
  const header = resolvedLinks(answer.headers.get('link'), url);
  const links = [...header.matchAll(/<([^>]*)>; rel="(\w+)"(?:; type="([^"]*)")?/g)];
  return Object.fromEntries(links.map(([, target = '', rel, type]) => [type ? `${rel} ${type}` : rel, target]));
}

describe('the header Link', () => {
  it('of a list names the pages', async () => {
    const list = `${api}datasets/`;
    assert.deepEqual(await linksOf(`${list}?page_size=1&page=2`), {
      next: `${list}?page=3&page_size=1`,
      prev: `${list}?page_size=1`,
      first: `${list}?page_size=1`,
      last: `${list}?page=4&page_size=1`,
      self: `${list}?page=2&page_size=1`,
      'alternate text/html': `${list}?format=html&page=2&page_size=1`,
    });
    assert.deepEqual(await linksOf(list), {
      first: list,
      last: list,
      self: list,
      'alternate text/html': `${list}?format=html`,
    });
    assert.equal((await linksOf(`${list}?format=html`))['alternate application/json'], `${list}?format=json`);
  });

  it('of a dataset and its versions names the licence, the page, and the collection of its features', async () => {
    const cc = 'https://spdx.org/licenses/CC-BY-4.0.html';
    const described = `${parks}trees/dcat.jsonld`;
    const path = `trees/version/${slug}/`;
    assert.deepEqual(await linksOf(parks + path), {
      self: parks + path,
      license: cc,
      collection: `${parks}trees/`,
      'describedby application/ld+json': described,
      'alternate text/html': `${parks}${path}?format=html`,
    });
    const { self, license, collection, ...others } = await linksOf(`${parks}trees/`);
    assert.deepEqual([self, license, collection], [`${parks}trees/`, cc, `${api}namespaces/parks/`]);
    assert.equal(others['items application/geo+json'], `${new URL(parks).origin}/ogc/collections/parks.trees/items`);
    assert.deepEqual(await linksOf(`${parks}trees/download/`), {
      license: cc,
      collection: `${parks}trees/`,
      describedby: described,
    });
    assert.equal((await linksOf(`${parks}lawns/`)).license, 'https://example.org/licence');
    assert.equal((await linksOf(`${parks}odd/`)).license, undefined);
    assert.equal((await linksOf(`${parks}large/`)).license, 'https://spdx.org/licenses/CC0-1.0.html');
  });

  it('of rows names the parts and the formats', async () => {
    const rows = `${parks}trees/data/`;
    assert.deepEqual(await linksOf(`${rows}?_limit=1&_offset=1&_format=csv`), {
      next: `${rows}?_format=csv&_limit=1&_offset=2`,
      prev: `${rows}?_format=csv&_limit=1&_offset=0`,
      first: `${rows}?_format=csv&_limit=1`,
      last: `${rows}?_format=csv&_limit=1&_offset=2`,
      self: `${rows}?_format=csv&_limit=1&_offset=1`,
      license: 'https://spdx.org/licenses/CC-BY-4.0.html',
      collection: `${parks}trees/`,
      describedby: `${parks}trees/dcat.jsonld`,
      'alternate application/geo+json': `${rows}?_format=geojson&_limit=1&_offset=1`,
      'alternate application/vnd.apache.parquet': `${rows}?_format=parquet&_limit=1&_offset=1`,
    });
    for (const [rel, target] of Object.entries(await linksOf(`${parks}trees/data.geojson?a__gte=2`)))
      if (rel !== 'license') assert.equal((await fetch(target)).status, 200, target);
  });

  it('of a long query names the next part, and what fits into 4 KB', async () => {
    const rows = `${parks}trees/data/`;
    const filter = (count: number) => `a+NOT+IN+%28${Array(count).fill('1234567').join('%2C')}%29`;
    const names = async (url: string) => Object.keys(await linksOf(url)).sort();
    const known = ['collection', 'describedby', 'license'];
    const some = `${rows}?_limit=1&_offset=1&_filter=${filter(90)}`;
    assert.deepEqual(await names(some), [...known, 'next', 'prev']);
    assert.equal((await linksOf(some)).next, `${rows}?_filter=${filter(90)}&_limit=1&_offset=2`);
    assert.deepEqual(await names(`${rows}?_limit=1&_offset=1&_filter=${filter(700)}`), [...known, 'next']);
    assert.deepEqual(await names(`${rows}?_filter=${filter(700)}`), known);
    const keywords = Array.from({ length: 10 }, (_, i) => `keyword=${i}${'k'.repeat(60)}`).join('&');
    assert.deepEqual(await names(`${api}datasets/?${keywords}`), []);
    for (const url of [some, `${api}datasets/?${keywords}`]) {
      const head = [...(await fetch(url)).headers].map((pair) => pair.join(': ')).join('\r\n');
      assert.ok(head.length < 4096, head);
    }
  });
});

describe('a payload that is a Git LFS pointer', () => {
  const message = `The payload of version ${slug} is a Git LFS pointer, and not the file itself. Run "git lfs pull" in the folder of the catalogue.`;

  it('says so over HTTP', async () => {
    for (const path of ['data/', 'download/', 'data.csv', `version/${slug}/data/`, `version/${slug}/download/`]) {
      const answer = await fetch(`${parks}large/${path}`);
      assert.equal(answer.status, 404);
      assert.deepEqual(await answer.json(), { detail: message }, path);
    }
  });

  it('says so at the command line, local and remote', async () => {
    for (const command of [['data'], ['download']])
      for (const remote of [[], ['--remote', base]]) {
        const { err, exitCode } = await type([...command, 'parks/large', ...remote], { root: folder.root });
        assert.equal(exitCode, 3);
        assert.match(err, /parks\/large@latest: The payload of version \d+ is a Git LFS pointer.* Run "git lfs pull"/);
      }
  });
});
