/** Payloads and media: the stored bytes, why there are none, and nothing of any other file. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { homeOf, until } from '../support/folder.ts';
import { raw, statusesIn } from '../support/raw.ts';
import { served } from '../support/served.ts';

const csv = 'a,b\n1,2\n';
const checksum = createHash('sha256').update(csv).digest('hex');
const file = { name: 'a.csv', format: 'csv', size: csv.length };
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${checksum}\nsize 9000000\n`;
const slug = '20200101000000000000';
const datasets = [
  'whole',
  'missing',
  'short',
  'pointer',
  'sized-pointer',
  'elsewhere',
  'nowhere',
  'withdrawn',
  'none',
  'unsummed',
];
const named = (name: string) => `files/${name}@${slug}`;
const { base, folder } = await served({
  namespaces: { files: { label: 'x' } },
  datasets: Object.fromEntries(datasets.map((name) => [`files/${name}`, { label: name }])),
  versions: {
    [named('whole')]: { checksum, file },
    [named('missing')]: { checksum, file },
    [named('short')]: { checksum, file: { ...file, size: 9 } },
    [named('pointer')]: { checksum, file: { name: 'a.csv', format: 'csv' } },
    [named('sized-pointer')]: { checksum, file: { ...file, size: 9_000_000 } },
    [named('elsewhere')]: { checksum, file: { url: 'https://data.example/a b"<.csv'.replace(' ', '%20'), size: 9 } },
    [named('nowhere')]: { checksum, file: { url: 'https://[' } },
    [named('withdrawn')]: { checksum, ready: false, file },
    [named('unsummed')]: { file: { name: 'a.constructor' } },
  },
  files: {
    ...Object.fromEntries(
      ['whole', 'short', 'withdrawn'].map((name) => [`${homeOf(`files/${name}`)}/data/a.csv`, csv]),
    ),
    ...Object.fromEntries(
      ['pointer', 'sized-pointer'].map((name) => [`${homeOf(`files/${name}`)}/data/a.csv`, pointer]),
    ),
    [`${homeOf('files/unsummed')}/data/a.constructor`]: csv,
    'site_media/images/tree.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    'site_media/empty.png': '',
    'site_media/odd.constructor': 'odd',
    'site_media/.hidden': 'secret',
    'site_media/ä b.txt': 'text',
    'users/ann.yaml': 'email: secret@example.org\n',
  },
});
const at = (name: string) => `${base}/api/v1/namespaces/files/datasets/${name}/`;
const get = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

describe('a download', () => {
  it('is the bytes, and says all about them', async () => {
    const answer = await get(`${at('whole')}download/`);
    assert.equal(await answer.text(), csv);
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="whole-${slug}.csv"`);
    assert.equal(answer.headers.get('etag'), `"${checksum}"`);
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    assert.match(
      (await get(`${at('whole')}version/${slug}/download/`)).headers.get('cache-control') ?? '',
      /^public, .*immutable/,
    );
  });

  it('whatever type is asked for', async () => {
    for (const accept of ['text/csv', 'image/png', 'application/xml;q=0.1', 'text/html', '*/*']) {
      const answer = await get(`${at('whole')}download/`, { headers: { Accept: accept } });
      assert.equal(answer.status, 200, accept);
      assert.equal(await answer.text(), csv);
    }
  });

  it('without a checksum, and of no known type', async () => {
    const answer = await get(`${at('unsummed')}download/`);
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
    assert.match(answer.headers.get('etag') ?? '', /^"8-\d+/);
    assert.equal(answer.headers.get('repr-digest'), null);
    assert.equal(await answer.text(), csv);
  });

  const refused: readonly (readonly [string, RegExp, problem?: RegExp])[] = [
    ['missing', /^No version of this dataset is ready\.$/, /payload data\/a\.csv is missing/],
    ['short', /^No version of this dataset is ready\.$/, /has 8 bytes, not 9/],
    ['pointer', /is a Git LFS pointer/, /Git LFS pointer: run "git lfs pull"/],
    ['sized-pointer', /is a Git LFS pointer/, /Git LFS pointer: run "git lfs pull"/],
    ['withdrawn', /^No version of this dataset is ready\.$/],
    ['none', /^Not found\.$/],
    ['nowhere', /not a URL/],
  ];
  for (const [name, message, problem] of refused)
    it(`${name}: says why there is none`, async () => {
      const answer = await get(`${at(name)}download/`);
      assert.equal(answer.status, 404);
      assert.match(((await answer.json()) as { detail: string }).detail, message);
      if (name === 'none' || name === 'nowhere') return;
      const { ready, size } = (await (await get(`${at(name)}version/${slug}/`)).json()) as {
        ready: boolean;
        size: number;
      };
      assert.equal(ready, false);
      if (name === 'sized-pointer') assert.equal(size, 9_000_000);
      assert.equal((await get(`${at(name)}version/${slug}/download/`)).status, 404);
      if (!problem) return;
      const { results } = (await (await get(`${base}/api/v1/intrinsecus/?status=invalid&page_size=99`)).json()) as {
        results: { path: string; problems: { message: string }[] }[];
      };
      const entry = results.find(({ path }) => path === `${homeOf(`files/${name}`)}/versions/${slug}.yaml`);
      assert.match(entry?.problems[0]?.message ?? '', problem);
    });

  it('that lies elsewhere is there, and the address can do no harm', async () => {
    const answer = await get(`${at('elsewhere')}download/`);
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get('location'), 'https://data.example/a%20b%22%3C.csv');
    assert.doesNotMatch(await answer.text(), /[<]/);
  });

  it('becomes ready when its payload comes', async () => {
    folder.write(`${homeOf('files/missing')}/data/a.csv`, csv);
    await until(async () => (await get(`${at('missing')}download/`)).status === 200);
  });
});

describe('site_media', () => {
  const media = `${base}/site_media`;

  it('is served as it is, with ranges, whatever type is asked for', async () => {
    const url = `${media}/images/tree.svg`;
    const whole = await get(url, { headers: { Accept: 'image/png,image/*' } });
    const text = await whole.text();
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get('content-type'), 'image/svg+xml');
    assert.match(whole.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    const part = await get(url, { headers: { Range: 'bytes=0-3', 'If-Range': whole.headers.get('etag') ?? '' } });
    assert.equal(part.status, 206);
    assert.equal(await part.text(), text.slice(0, 4));
    assert.equal((await get(url, { headers: { 'If-None-Match': whole.headers.get('etag') ?? '' } })).status, 304);
    const stale = await get(url, { headers: { 'If-Match': '"another"' } });
    const kept = ['cache-control', 'repr-digest'].map((name) => stale.headers.get(name));
    assert.deepEqual(
      [stale.status, ...kept],
      [412, 'no-cache', null],
      'An error is not kept for as long as the bytes.',
    );
    const modified = whole.headers.get('last-modified') ?? '';
    const dated = async (name: string, date: string) => (await get(url, { headers: { [name]: date } })).status;
    const [old, coming] = ['Sunday, 06-Nov-94 08:49:37 GMT', 'Fri Nov  6 08:49:37 2199'];
    for (const date of [modified, coming]) {
      assert.equal(await dated('If-Modified-Since', date), 304, date);
      assert.equal(await dated('If-Unmodified-Since', date), 200, date);
    }
    assert.deepEqual([await dated('If-Modified-Since', old), await dated('If-Unmodified-Since', old)], [200, 412]);
    for (const noDate of ['2199', '2199-01-01', 'tomorrow']) {
      assert.equal(await dated('If-Modified-Since', noDate), 200, `${noDate} is no date of HTTP`);
      assert.equal(await dated('If-Unmodified-Since', noDate), 200, `${noDate} is no date of HTTP`);
    }
    const beyond = await get(url, { headers: { Range: 'bytes=999999-' } });
    assert.deepEqual([beyond.status, beyond.headers.get('content-type')], [416, 'application/json']);
    const head = await get(url, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(text.length));
  });

  it('are not modified later than they are sent, though their file has a time to come', async () => {
    const path = folder.path(`${homeOf('files/unsummed')}/data/a.constructor`);
    const tomorrow = new Date(Date.now() + 86_400_000);
    await utimes(path, tomorrow, tomorrow);
    const url = `${at('unsummed')}version/${slug}/download/`;
    const response = await get(url);
    const [modified = 0, date = 0] = ['last-modified', 'date'].map((name) =>
      Date.parse(response.headers.get(name) ?? ''),
    );
    assert.equal(await response.text(), csv);
    assert.ok(modified <= date + 1000 && date - modified < 10_000, `${modified} ${date}`);
    const since = async (time: Date) =>
      (await get(url, { headers: { 'If-Modified-Since': time.toUTCString() } })).status;
    assert.deepEqual([await since(new Date(Date.now() - 10_000)), await since(tomorrow)], [200, 304]);
  });

  it('may be empty, of any type, and have any name', async () => {
    const empty = await get(`${media}/empty.png`);
    assert.equal(empty.headers.get('content-length'), '0');
    assert.equal(await empty.text(), '');
    assert.equal((await get(`${media}/empty.png`, { headers: { Range: 'bytes=0-' } })).status, 416);
    assert.equal((await get(`${media}/odd.constructor`)).headers.get('content-type'), 'application/octet-stream');
    assert.equal(await (await get(`${media}/%C3%A4%20b.txt`)).text(), 'text');
  });

  it('is no way to anything else', async () => {
    const outside = join(tmpdir(), `outside-${process.pid}`);
    await symlink('/etc/passwd', folder.path('site_media/passwd'));
    await symlink('..', folder.path('site_media/up'));
    await symlink(outside, folder.path('site_media/dangling'));
    folder.write('.catalogue/private.txt', 'secret');
    await symlink('../.catalogue/private.txt', folder.path('site_media/private.txt'));
    await symlink('../.catalogue', folder.path('site_media/private'));
    await symlink('circle', folder.path('site_media/circle'));
    await mkdir(folder.path('site_media/folder.png'));
    const paths = [
      '/..%2fcatalogue.yaml',
      '/%2e%2e/users/ann.yaml',
      '/images/..%2f..%2fusers/ann.yaml',
      '/..%5cusers%5cann.yaml',
      '/.hidden',
      '/images/.%2e/.hidden',
      '/%00',
      '/images/tree.svg%00.png',
      '/images',
      '/images/',
      '/images//tree.svg',
      '/folder.png',
      '/passwd',
      '/private.txt',
      '/private/private.txt',
      '/dangling',
      '/circle',
      `/${'x'.repeat(3000)}`,
      `/${'x/'.repeat(3000)}y`,
      '/%ff%fe',
      '/',
    ];
    for (const path of paths) {
      const text = await raw(base, `GET /site_media${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.deepEqual(statusesIn(text), [404], `${path}: ${text.slice(0, 300)}`);
      assert.doesNotMatch(text, /secret|root:|tmp/);
    }
    const raws = [
      '/site_media/../users/ann.yaml',
      '/site_media/images/../../users/ann.yaml',
      '/site_media\\..\\users\\ann.yaml',
    ];
    for (const path of raws) {
      const text = await raw(base, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.doesNotMatch(text, /secret@/, path);
    }
  });

  it('that may not be read is unavailable, without its place on the machine', {
    skip: process.getuid?.() === 0,
  }, async () => {
    folder.write('site_media/locked.png', 'x');
    await chmod(folder.path('site_media/locked.png'), 0);
    const answer = await get(`${media}/locked.png`);
    assert.equal(answer.status, 503);
    assert.ok(!(await answer.text()).includes(folder.root));
  });
});
