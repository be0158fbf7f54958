/** The chart on the page of a dataset: where there is one, its lines, its sentence, and its columns in the address. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { refOf } from '../../src/catalogue/ref.ts';
import type { Version, WorkBudget } from '../../src/catalogue/types.ts';
import { roundTicks, spread } from '../../src/pages/chart-scales.ts';
import { chartSoon } from '../../src/server/dataset-chart.ts';
import { WorkBudgets } from '../../src/server/work-budgets.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const towns = ['Ulm', 'Ålesund <b>', 'Bern', 'Lyon', 'Ghent', 'Graz', 'Köln'];
const years = [1999, 2000, 2001, 2003];
const rows = towns.flatMap((town, i) =>
  years.map((year, j) => ({
    town,
    sort: i % 2 ? 'small' : 'large',
    year,
    day: `${year}-05-01`,
    rain: 100 * i + j,
    cost: i - j,
  })),
);

describe('the chart of a dataset', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const page = async (slug: string, query = '') => {
    const address = `${server.base}/api/v1/namespaces/lab/datasets/${slug}/${query}`;
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const text = await response.text();
    return { status: response.status, chart: /<figure class="chart">.*?<\/figure>/s.exec(text)?.[0] ?? null };
  };

  before(async () => {
    workshop = await makeWorkshop();
    for (const [slug, unit] of [
      ['rain', 'mm'],
      ['unitless', ''],
    ] as const) {
      await workshop.publish(slug, 'rain.json', JSON.stringify(rows));
      const columns = [
        { name: 'rain', label: 'Rain', unit },
        { name: 'cost', label: '', unit },
      ];
      await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug }, { columns });
    }
    const steps = rows.map((row, i) => ({ ...row, rain: 123_441 + (i * 58) / (rows.length - 1), cost: 'x' }));
    await workshop.publish('steps', 'steps.json', JSON.stringify(steps));
    const columns = [{ name: 'rain', label: '', unit: 'mm' }];
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'steps' }, { columns });
    const large = rows.map((row, i) => ({ ...row, rain: 31_000_000_000 * i, cost: 'x' }));
    await workshop.publish('large', 'large.json', JSON.stringify(large));
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'large' }, { columns });
    // Ulm has no number in the middle, and Bern one between two times without.
    const missing = ['Ulm 2003', 'Bern 2001', 'Bern 2003'];
    const gaps = ['Ulm', 'Bern', 'Lyon'].flatMap((town, i) =>
      [2000, 2001, 2002, 2003, 2004, 2005, 2006].map((year) => ({
        ...{ town, year, rain: missing.includes(`${town} ${year}`) ? null : 10 * i + (year - 2000) },
      })),
    );
    await workshop.publish('gaps', 'gaps.json', JSON.stringify(gaps));
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'gaps' }, { columns });
    server = await serveFolder(workshop.root);
    await page('gaps');
    await page('steps');
    await page('large');
    await page('rain');
    await page('unitless');
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('has gaps in its lines where numbers are missing, and points between two gaps', async () => {
    const { chart } = await page('gaps');
    const drawn = [...(chart ?? '').matchAll(/<path class="line s(\d)" d="([^"]*)"/g)].map(([, rank, d = '']) => [
      Number(rank),
      d
        .split('M')
        .map((run) => run.split('L').length)
        .slice(1),
    ]);
    assert.deepEqual(drawn.sort(), [
      [0, [7]],
      [1, [3]],
      [2, [3, 3]],
    ]);
    assert.equal(chart?.match(/<circle class="line s1"/g)?.length, 2);
  });

  it('is made once for its columns, and not for a client that has used up its time', async (t) => {
    const ref = { kind: 'dataset', namespace: 'lab', slug: 'rain' } as const;
    const { catalogue } = workshop;
    const dataset = await catalogue.get<'dataset'>(ref);
    const [version] = dataset.versions as [Version];
    const profile = await catalogue.profile(refOf(version));
    const { mock } = t.mock.method(catalogue, 'rows');
    const make = (budget: WorkBudget) => {
      const query = new URLSearchParams('_number=rain');
      return chartSoon(catalogue, dataset, version, profile, query, { wait: 20_000, budget });
    };
    const spent = new WorkBudgets({ capacity: 0, refill: 1e-9 }).of('client');
    spent.spend(1);
    assert.equal(await make(spent), undefined);
    const spare = new WorkBudgets().of('client');
    const { mock: spend } = t.mock.method(spare, 'spend');
    // Time is counted in turns of a millisecond, which this work may not take.
    let now = performance.now();
    const { mock: clock } = t.mock.method(performance, 'now', () => (now += 2));
    const chart = await make(spare);
    clock.restore();
    assert.equal(chart?.lines.length, towns.length);
    assert.ok(spend.callCount() > 0);
    assert.equal(mock.callCount(), 2);
    assert.deepEqual(await make(spent), chart);
    assert.equal(mock.callCount(), 2);
  });

  it('has a line for each value, its name at the end, and a sentence that says the same', async () => {
    const { chart } = await page('rain');
    assert.equal(chart?.match(/<path class="line/g)?.length, 7);
    assert.equal(chart?.match(/<text class="name/g)?.length, 7);
    assert.match(chart ?? '', />Ålesund &lt;b>/);
    assert.match(
      chart ?? '',
      /Rain by Year for 7 values of Town, 1999 to 2003\. Highest at the end, 2003: Köln, 603 mm\. Lowest: Ulm, 3 mm\./,
    );
    const [, href = ''] = /href="([^"]*_group_by[^"]*)"/.exec(chart ?? '') ?? [];
    const groups = await fetch(`${server.base}${href.replaceAll('&amp;', '&')}&_format=objects`);
    assert.equal(((await groups.json()) as unknown[]).length, 28);
  });

  it('is of the columns in the address; means are said to be means', async () => {
    const { chart } = await page('rain', '?_number=cost&_lines=sort&_time=day');
    assert.equal(chart?.match(/<path class="line/g)?.length, 2);
    assert.match(chart ?? '', /Mean of cost by Day for 2 values of Sort, 1 May 1999 to 1 May 2003/);
  });

  it('has room for large numbers at its axis', async () => {
    const { chart } = await page('large');
    const labels = [...(chart?.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="end">([^<]*)/g) ?? [])];
    assert.equal(labels.at(-2)?.[2], '800,000,000,000');
    // A digit of 12 pixels is 7.2 wide, and a comma 3.4.
    for (const [, end, text = ''] of labels)
      assert.ok(Number(end) >= text.replaceAll(',', '').length * 7.2 + 3 * 3.4, text);
    assert.match(chart ?? '', /Highest at the end, 2003: Köln, 837,000,000,000 mm\./);
  });

  it('has an axis whose labels differ as its lines do', async () => {
    const { chart = '' } = await page('steps');
    const labels = [...(chart?.matchAll(/<text[^>]*text-anchor="end">([^<]*)/g) ?? [])].map(([, text]) => text);
    assert.deepEqual(labels, ['123,440', '123,450', '123,460', '123,470', '123,480', '123,490', '123,500']);
  });

  it('is not there where it makes no sense, and refuses other columns', async () => {
    assert.equal((await page('unitless')).chart, null);
    assert.equal((await page('rain', '?_lines=rain')).status, 400);
  });
});

describe('scales of charts', () => {
  const number = fc.integer({ min: -1e12, max: 1e12 }).map((whole) => whole / 1e4);
  it('have few ticks around all values, in order', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        fc.pre(max - min > Math.max(Math.abs(max), Math.abs(min)) * 1e-9 || max === min);
        const ticks = roundTicks(min, max);
        assert.ok(ticks.length >= 2 && ticks.length <= 9, `${ticks}`);
        const slack = 1e-6 * (max - min || 1);
        assert.ok(
          (ticks[0] as number) <= min + slack && (ticks.at(-1) as number) >= max - slack,
          `${min} ${max} ${ticks}`,
        );
        assert.ok(ticks.every((tick, i) => i === 0 || tick > (ticks[i - 1] as number)));
      }),
    );
  });

  it('keep names apart, within the drawing', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: 20, max: 350 }), { maxLength: 12 }), (places) => {
        const moved = [...spread(places, 16, 20, 350)].sort((a, b) => a - b);
        assert.ok(
          moved.every(
            (place, i) => place >= 19.99 && place <= 350.01 && (i === 0 || place - (moved[i - 1] as number) >= 15.99),
          ),
          `${moved}`,
        );
      }),
    );
  });
});
