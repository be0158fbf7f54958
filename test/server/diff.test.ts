/** How the rows of two versions differ, over HTTP: counts first, rows streamed; and what is refused. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { DifferenceCounts, DifferenceKey, RowChange } from '../../src/catalogue/difference.ts';
import { createApp } from '../../src/server/app.ts';
import { listenForRequests } from '../../src/server/listen.ts';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

interface Head {
  readonly from: string;
  readonly to: string;
  readonly columns: { readonly added: unknown[]; readonly dropped: unknown[]; readonly retyped: unknown[] };
  readonly key: DifferenceKey;
  readonly counts: DifferenceCounts;
}
type Told = Head & { readonly rows: readonly RowChange[] };

/** As many rows as anybody could take. */
async function* repeated<T>(rows: () => AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  for (let times = 0; times < 100; times++) yield* rows();
}

/** Rows of about 100 bytes, with a value that may be changed. */
const many = (value: string) =>
  `id,value,text\n${Array.from({ length: 30_000 }, (_, id) => `${id},${value},${'text '.repeat(17)}\n`).join('')}`;

describe('differences', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let address: string;
  const slugs: Record<string, string[]> = {};

  before(async () => {
    workshop = await makeWorkshop();
    const publish = async (slug: string, text: string, name = `${slug}.csv`) => {
      const { version } = await workshop.publish(slug, name, text);
      slugs[slug] = [...(slugs[slug] ?? []), version.slug];
    };
    await publish('trees', 'id,kind,height\n1,oak,3\n2,elm,4\n3,ash,5\n');
    await publish('trees', 'id,kind,height,crown\n1,oak,3,1\n3,ash,6,2\n4,"fir & <b>",1,3\n');
    await publish('trees', 'id,kind,height,crown\n4,"fir & <b>",1,3\n3,ash,6,2\n1,oak,3,1\n');
    await publish('alone', 'id\n1\n');
    await publish('many', many('1'));
    await publish('many', many('2'));
    await publish('report', '%PDF-1.4 one', 'report.pdf');
    await publish('report', '%PDF-1.4 two', 'report.pdf');
    await publish('gone', 'id\n1\n');
    await publish('gone', 'id\n2\n');
    const [first = ''] = slugs.gone ?? [];
    const ref = { kind: 'version', namespace: 'lab', dataset: 'gone', slug: first } as const;
    await workshop.catalogue.edit<'version'>(ref, { ready: false });
    server = await serveFolder(workshop.root);
    address = `${server.base}/api/v1/namespaces/lab/datasets`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  /** `trees@1?_key=id` */
  const at = (short: string) => {
    const [, slug = '', place = '', query = ''] = /^(\w+)@(\w+)(.*)$/.exec(short) ?? [];
    return `${address}/${slug}/version/${slugs[slug]?.[Number(place)] ?? place}/diff/${query}`;
  };
  const ask = (short: string, headers: Record<string, string> = {}) => fetch(at(short), { headers });
  const told = async (short: string) => {
    const response = await ask(short);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Told;
  };

  it('are told from the version before, what is known at once first', async () => {
    const response = await ask('trees@1');
    assert.equal(response.headers.get('content-type'), 'application/json');
    const [old, now] = slugs.trees ?? [];
    assert.equal(response.headers.get('content-disposition'), `inline; filename="trees-${old}-${now}.json"`);
    const text = await response.text();
    const url = (slug = '') => `${address}/trees/version/${slug}/`;
    assert.deepEqual(JSON.parse(text), {
      from: url(old),
      to: url(now),
      columns: { added: [{ name: 'crown', type: 'integer' }], dropped: [], retyped: [] },
      key: { kind: 'columns', columns: ['id'] },
      counts: { from: 3, to: 3, added: 1, removed: 1, changed: 1, unchanged: 1 },
      rows: [
        { change: 'removed', key: { id: 2 }, row: { id: 2, kind: 'elm', height: 4 } },
        {
          change: 'changed',
          key: { id: 3 },
          from: { id: 3, kind: 'ash', height: 5 },
          to: { id: 3, kind: 'ash', height: 6, crown: 2 },
          columns: ['height'],
        },
        { change: 'added', key: { id: 4 }, row: { id: 4, kind: 'fir & <b>', height: 1, crown: 3 } },
      ],
    });
    assert.deepEqual(Object.keys(JSON.parse(text) as object).slice(-2), ['counts', 'rows']);
  });

  it('are told from any version, of any dataset, backwards too', async () => {
    const same = await told('trees@latest');
    assert.deepEqual(same.counts, { from: 3, to: 3, added: 0, removed: 0, changed: 0, unchanged: 3 });
    assert.deepEqual(same.rows, []);
    const [oldest = ''] = slugs.trees ?? [];
    assert.equal((await told(`trees@latest?_from=${oldest}`)).counts.changed, 1);
    const back = await told('trees@0?_from=latest');
    assert.deepEqual(back.columns.dropped, [{ name: 'crown', type: 'integer' }]);
    assert.equal((await told('trees@0?_from=lab/alone')).counts.from, 1);
  });

  it('are told by the key that is asked for', async () => {
    const { key, counts } = await told('trees@1?_key=kind,%20height');
    assert.deepEqual(key, { kind: 'columns', columns: ['kind', 'height'] });
    assert.deepEqual(counts, { from: 3, to: 3, added: 2, removed: 2, changed: 0, unchanged: 1 });
  });

  it('come a line each, by name and by Accept', async () => {
    const [byName, byAccept] = await Promise.all([
      ask('trees@1?_format=ndjson'),
      ask('trees@1', { Accept: 'application/x-ndjson' }),
    ]);
    assert.equal(byName.headers.get('content-type'), 'application/x-ndjson');
    const text = await byName.text();
    assert.equal(await byAccept.text(), text);
    const [head, ...rows] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    assert.deepEqual({ ...head, rows }, await told('trees@1'));
  });

  it('come as a page to people', async () => {
    for (const response of [await ask('trees@1', { Accept: 'text/html' }), await ask('trees@1?_format=html')]) {
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      const text = await response.text();
      assert.match(text, /<h1 dir="auto">What changed in trees<\/h1>/);
      assert.match(text, /<b>\+1<\/b><span>row added<\/span>/);
      assert.match(text, /<del><span class="vh">was <\/span>5<\/del><ins><span class="vh">is <\/span>6<\/ins>/);
      assert.match(text, /fir &amp; &lt;b>/);
      assert.match(text, /<li class="add" dir="auto">\+ added: crown<\/li>/);
    }
    const text = await (await ask('trees@1?_format=api')).text();
    assert.match(text, /<h1>trees: differences<\/h1>/);
    assert.match(text, new RegExp(`<a href="${address}/trees/version/${slugs.trees?.[0]}/">`));
  });

  it('come in pages of a hundred rows, filtered by column', async () => {
    const page = async (query: string) => (await ask(`many@1?_format=html&${query}`)).text();
    const keys = (text: string) =>
      [...text.matchAll(/<th scope="row" dir="auto">(\d+)<\/th>/g)].map(([, id]) => Number(id));
    const first = await page('');
    assert.deepEqual(
      keys(first),
      Array.from({ length: 100 }, (_, i) => i),
    );
    assert.match(first, /href="[^"]*_changed=100#changed"/);
    assert.match(first, /Show 1 more column/);
    assert.deepEqual(
      keys(await page('_changed=29950')),
      Array.from({ length: 50 }, (_, i) => 29_950 + i),
    );
    assert.deepEqual(
      keys(await page('_column=value&_changed=19990')),
      Array.from({ length: 10 }, (_, i) => 19_990 + i),
    );
    assert.match(await page('_columns=all'), /<td class="same" dir="auto">text text/);
    for (const wrong of ['_changed=30000', '_changed=-1', '_column=text', '_columns=some'])
      assert.equal((await ask(`many@1?_format=html&${wrong}`)).status, 400, wrong);
    assert.equal((await ask('many@1?_changed=100')).status, 400, 'programs get all rows');
  });

  it('are chosen by a form, which leads to the plain address', async () => {
    const [oldest = '', middle = '', newest = ''] = slugs.trees ?? [];
    const form = await fetch(`${at('trees@1')}?_from=${oldest}&_to=${newest}&_key=&_format=html`, {
      redirect: 'manual',
    });
    assert.equal(form.status, 303);
    assert.equal(
      form.headers.get('location'),
      `${new URL(address).pathname}/trees/version/${newest}/diff/?_from=${oldest}`,
    );
    const text = await (await ask(`trees@2?_from=${oldest}&_format=html`)).text();
    assert.match(text, new RegExp(`<option value="${oldest}" selected`));
    assert.match(text, new RegExp(`<option value="${middle}"`));
    assert.match(text, /<option value="kind">kind<\/option>/);
  });

  it('are counted on the page of the dataset, and lead to their page', async () => {
    const page = async () => (await fetch(`${address}/trees/`, { headers: { Accept: 'text/html' } })).text();
    await until(async () => !(await page()).includes('being compared'));
    const text = await page();
    const rows = [...text.matchAll(/<span class="vh">(\d+ added, \d+ removed, \d+ changed, \d+ the same)<\/span>/g)];
    assert.deepEqual(
      rows.map(([, words]) => words),
      ['0 added, 0 removed, 0 changed, 3 the same', '1 added, 1 removed, 1 changed, 1 the same'],
    );
    assert.match(text, /\+ 1 column added: crown/);
    assert.match(text, new RegExp(`href="[^"]*/version/${slugs.trees?.[1]}/diff/"`));
  });

  it('are not sent again to one who has them', async () => {
    const first = await ask('trees@1');
    const etag = first.headers.get('etag') ?? '';
    await first.text();
    assert.match(etag, /^"[\w-]{27}(-br|-gzip)?"$/);
    const again = await ask('trees@1', { 'If-None-Match': etag });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('etag'), etag);
    for (const other of ['trees@1?_key=kind', 'trees@1?_format=ndjson', `trees@2?_from=${slugs.trees?.[0]}`])
      assert.equal((await ask(other, { 'If-None-Match': etag })).status, 200, other);
    const packed = await ask('many@1', { 'Accept-Encoding': 'gzip' });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.equal(((await packed.json()) as Told).rows.length, 30_000);
  });

  it('have a head, options, and nothing to write to', async () => {
    const head = await fetch(at('trees@1'), { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.ok(head.headers.get('etag'));
    assert.equal(await head.text(), '');
    const options = await fetch(at('trees@1'), { method: 'OPTIONS' });
    assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
    assert.equal(((await options.json()) as { name: string }).name, 'Diff');
    const redirected = await fetch(at('trees@1').slice(0, -1), { redirect: 'manual' });
    assert.equal(redirected.status, 301);
  });

  const refused: [string, number, object][] = [
    ['trees@0', 404, { detail: /^There is no version before this one/ }],
    ['alone@latest', 404, { detail: /^There is no version before this one/ }],
    ['trees@99', 404, { detail: /^Not found\.$/ }],
    ['trees@1?from=x', 400, { from: /Did you mean "_from"\?/ }],
    ['trees@1?_kye=id', 400, { _kye: /^Unknown parameter "_kye"\. Did you mean "_key"\?$/ }],
    ['trees@1?height=3', 400, { height: /There are _from, _key, _format\.$/ }],
    ['trees@1?_format=csv', 400, { _format: /^Unknown format "csv"\. There are json, ndjson, html\.$/ }],
    ['trees@1?_key=knd', 400, { _key: /^Unknown column "knd"\. Did you mean "kind"\?$/ }],
    ['trees@1?_key=crown', 400, { _key: /^Only one of the versions has a column "crown"\.$/ }],
    ['trees@1?_key=%22id', 400, { _key: /has to end with a quote/ }],
    ['many@1?_key=text', 400, { _key: /^"text" can't be the key: more than one row has "text text/ }],
    ['trees@1?_from=20200101000000000000', 400, { _from: /^This dataset has no version "20200101000000000000"/ }],
    ['trees@1?_from=lab/none', 400, { _from: /^There is no version "lab\/none"\.$/ }],
    ['trees@1?_from=a/b/c', 400, { _from: /names no dataset/ }],
    ['report@1', 404, { detail: /^lab\/report@\d{20}: .* no rows that can be shown/ }],
  ];
  for (const [short, status, fields] of refused)
    it(`refuse ${short}`, async () => {
      const response = await ask(short);
      const body = (await response.json()) as Record<string, unknown>;
      assert.equal(response.status, status, JSON.stringify(body));
      const [[name, pattern] = ['', / /]] = Object.entries(fields) as [string, RegExp][];
      assert.deepEqual(Object.keys(body), [name]);
      assert.match(String(body[name]), pattern);
      assert.equal(response.headers.get('etag'), null);
    });

  it('pass over a version that is not ready, and say so where it is named', async () => {
    assert.equal((await ask('gone@1')).status, 404);
    const response = await ask(`gone@1?_from=${slugs.gone?.[0]}`);
    assert.equal(response.status, 404);
    assert.match(
      ((await response.json()) as { detail: string }).detail,
      /^lab\/gone@\d{20}: This version is not ready/,
    );
  });

  /** The same catalogue served anew, with differences of another making. */
  async function serveWith(difference: Catalogue['difference'], log: string[] = []) {
    const open = new Proxy(workshop.catalogue, {
      get(target, name) {
        if (name === 'difference') return difference;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const listening = await listenForRequests(
      createApp(() => open, { log: (line) => log.push(line) }),
      '127.0.0.1',
      0,
    );
    return {
      url: at('many@1').replace(server.base, listening.url.replace(/\/$/, '')),
      close: () => listening.close(100),
    };
  }

  it('are cut off where they fail half-way', async (t) => {
    const log: string[] = [];
    const { url, close } = await serveWith(async (...asked) => {
      const found = await workshop.catalogue.difference(...asked);
      const rows = async function* () {
        let told = 0;
        for await (const row of found.rows()) {
          if (++told > 10_000) throw new Error('the disk is broken');
          yield row;
        }
      };
      return { ...found, rows };
    }, log);
    t.after(close);
    for (const coding of ['identity', 'gzip', 'br']) {
      const response = await fetch(url, { headers: { 'Accept-Encoding': coding } });
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
      assert.deepEqual(log.splice(0), ['response: the disk is broken'], coding);
    }
  });

  it('are stopped when nobody waits for them any more', async (t) => {
    const log: string[] = [];
    let request: ReturnType<typeof get> | undefined;
    const stopped = new Promise<void>((resolve) => {
      const begun = serveWith((_from, _to, options) => {
        request?.destroy();
        return new Promise((_, reject) =>
          options?.signal?.addEventListener('abort', () => {
            resolve();
            reject(options.signal?.reason);
          }),
        );
      }, log);
      begun.then(({ url, close }) => {
        t.after(close);
        request = get(url).on('error', () => {});
      }, assert.ifError);
    });
    await stopped;
    assert.deepEqual(log, []);
  });

  it('are read only as far as somebody takes them', async (t) => {
    let told = 0;
    let ended = false;
    const { url, close } = await serveWith(async (...asked) => {
      const found = await workshop.catalogue.difference(...asked);
      const rows = async function* () {
        try {
          for await (const row of found.rows()) {
            told++;
            yield row;
          }
        } finally {
          ended = true;
        }
      };
      return { ...found, rows: () => repeated(rows) };
    });
    t.after(close);
    const first = await new Promise<string>((resolve, reject) => {
      const request = get(url, (response) => {
        response.once('data', (chunk: Buffer) => {
          response.pause();
          setTimeout(() => {
            resolve(chunk.toString('utf8', 0, 1000));
            request.destroy();
          }, 300);
        });
        response.on('error', () => {});
      });
      request.on('error', reject);
    });
    assert.match(first, /"counts":\{[^}]*"changed":30000/);
    assert.ok(told < 200_000, `${told} rows were read for one who takes none`);
    await until(() => ended);
    assert.deepEqual(server.log, []);
  });

  it('tell real histories', async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'catalogue-'));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    cpSync(fileURLToPath(new URL('../../catalogue-data', import.meta.url)), root, {
      recursive: true,
      filter: (path) => !path.includes('.catalogue') && !path.endsWith('.git'),
    });
    const { base, close } = await serveFolder(root);
    t.after(close);
    const versionsOf = async (dataset: string) => {
      const response = await fetch(`${base}/api/v1/namespaces/${dataset.replace('/', '/datasets/')}/`);
      return ((await response.json()) as { versions: { url: string }[] }).versions.map(({ url }) => url);
    };
    const companies = await versionsOf('datahub/sp500-constituents');
    assert.equal(companies.length, 5);
    const [oldest] = companies.slice(-1);
    assert.equal((await fetch(`${oldest}diff/`)).status, 404);
    for (const url of companies.slice(0, -1)) {
      const { key, counts, rows } = (await (await fetch(`${url}diff/`)).json()) as Told;
      assert.deepEqual(key, { kind: 'columns', columns: ['Symbol'] });
      assert.equal(rows.length, counts.added + counts.removed + counts.changed);
      assert.ok(counts.unchanged + counts.changed > 350, JSON.stringify(counts));
    }
    const [countries] = await versionsOf('natural-earth/countries');
    const { counts, key, columns } = (await (await fetch(`${countries}diff/`)).json()) as Told;
    assert.equal(key.kind, 'row');
    assert.ok(columns.added.length > 50);
    assert.equal(counts.added + counts.unchanged, counts.to);
  });
});
