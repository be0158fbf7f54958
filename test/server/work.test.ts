/** Long work over rows: it goes on in turns with small requests, and each client has a budget. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkBudgets } from '../../src/server/work-budgets.ts';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const rowCount = 100_000;
const words = 'an alley avenue of all maples and ashes that a gardener planted along a canal in autumn';
const csv = `name,text\n${Array.from({ length: rowCount }, (_, i) => `n${(i * 7919) % rowCount},${words} ${i}\n`).join('')}`;

const repeated = (count: number, part: string, joint: string) => Array(count).fill(part).join(joint);
/** Each takes some hundred milliseconds, of which a small request waits for ten now and then. */
const conditions = [
  `_filter=${encodeURIComponent(repeated(10, "text LIKE '%a%a_a%a%a%a%x%'", ' OR '))}`,
  `_filter=${encodeURIComponent(repeated(10, "CASEI(text) LIKE CASEI('%a%_%x%')", ' OR '))}`,
  `_limit=5&${repeated(40, 'text__icontains=MAPLE', '&')}`,
  '_ordering=text,-name,text&_limit=3&text__icontains=a',
  '_ordering=-text&_format=parquet&_limit=20000',
];

describe('long work', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const work = { capacity: 60_000, refill: 0.001 };

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('streets', 'streets.csv', csv);
    await workshop.publish('small', 'small.csv', 'a,b\n1,2\n');
    await workshop.publish('streets', 'streets.csv', csv.replace('maples', 'elms'));
    server = await serveFolder(workshop.root, { work });
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const ask = (path: string) => fetch(`${server.base}/api/v1/namespaces/lab/datasets/${path}`);
  const read = async (path: string) => {
    const response = await ask(path);
    return { status: response.status, body: await response.text() };
  };

  for (const path of [
    ...conditions.map((one) => `streets/data/?${one}`),
    'streets/version/latest/diff/?_format=ndjson',
  ])
    it(`lets small requests go on: ${path.slice(0, 60)}`, async () => {
      let isDone = false;
      const long = read(path).finally(() => {
        isDone = true;
      });
      let answered = 0;
      for (let i = 0; !isDone; i++) {
        assert.equal((await read(`small/data/?a__gte=${-i}`)).status, 200);
        if (!isDone) answered++;
      }
      assert.equal((await long).status, 200, (await long).body.slice(0, 200));
      assert.ok(answered >= 2, `${answered} small requests were answered meanwhile`);
    });

  it('gives the same rows in the same order, however many there are', async () => {
    const { body } = await read(`streets/data/?_ordering=name&_format=objects&_fields=name&_limit=${rowCount}`);
    const names = (JSON.parse(body) as { name: string }[]).map(({ name }) => name);
    const expected = Array.from({ length: rowCount }, (_, i) => `n${i}`).sort();
    assert.deepEqual(names, expected);
  });
});

describe('a client that leaves', () => {
  it('ends its long work', async () => {
    const workshop = await makeWorkshop();
    await workshop.publish('streets', 'streets.csv', csv);
    let turns = 0;
    const now = () => {
      turns++;
      return performance.now();
    };
    const server = await serveFolder(workshop.root, { work: { capacity: 60_000, refill: 0.001, now } });
    try {
      const ask = (signal?: AbortSignal) =>
        fetch(`${server.base}/api/v1/namespaces/lab/datasets/streets/data/?${conditions[0]}&_limit=1`, {
          signal: signal ?? null,
        });
      await (await ask()).text();
      const all = turns;
      turns = 0;
      const leaving = new AbortController();
      const left = assert.rejects(ask(leaving.signal));
      await until(() => turns >= 5);
      leaving.abort();
      await left;
      await until(async () => {
        const before = turns;
        await sleep(100);
        return turns === before;
      });
      assert.ok(turns < all / 2, `${turns} of ${all} turns`);
    } finally {
      await server.close();
      await workshop.remove();
    }
  });
});

describe('a client that has used up its budget', () => {
  it('waits for long work, with what to ask instead; small requests and others go on', async () => {
    const workshop = await makeWorkshop();
    await workshop.publish('streets', 'streets.csv', csv);
    await workshop.publish('small', 'small.csv', 'a,b\n1,2\n');
    const query = { label: 'Positive', slug: 'positive', dataset: 'lab/small', parameters: { a__gt: '0' } };
    await workshop.catalogue.create('query', query);
    const server = await serveFolder(workshop.root, { work: { capacity: 40, refill: 0.0001 } });
    try {
      const ask = (path: string) => fetch(`${server.base}/api/v1/namespaces/lab/datasets/streets/${path}`);
      const statuses: number[] = [];
      let refused: Response | undefined;
      for (let i = 0; i < 50 && !refused; i++) {
        const response = await ask(`data/?text__icontains=maple${i}&_limit=1`);
        statuses.push(response.status);
        if (response.status !== 200) refused = response;
        else await response.text();
      }
      assert.equal(refused?.status, 429, statuses.join());
      assert.ok(Number(refused?.headers.get('retry-after')) > 0);
      assert.match(
        await (refused as Response).text(),
        /Request was throttled\. .*have used up their time .* download the whole file/,
      );
      assert.equal((await ask('')).status, 200);
      assert.equal((await ask('data.csv')).status, 200);
      assert.equal((await ask('data/?_limit=2')).status, 200);
      // The page of a query is sent without its rows, however often it is asked for.
      for (let i = 0; i < 5; i++) {
        const page = await fetch(`${server.base}/api/v1/queries/positive/`, { headers: { Accept: 'text/html' } });
        assert.match(await page.text(), /Positive/);
        assert.equal(page.status, 200);
      }
    } finally {
      await server.close();
      await workshop.remove();
    }
  });

  it('gets it back with time; budgets are apart', () => {
    let now = 0;
    const budgets = new WorkBudgets({ capacity: 1000, refill: 0.5, now: () => now });
    const [ann, bob] = [budgets.of('ann'), budgets.of('bob')];
    ann.spend(1000);
    ann.assertAvailable();
    ann.spend(500);
    assert.throws(() => ann.assertAvailable(), { seconds: 2 });
    assert.throws(() => budgets.of('ann').assertAvailable(), /Expected available in 2 seconds/);
    bob.assertAvailable();
    now = 1000;
    ann.assertAvailable();
  });
});
