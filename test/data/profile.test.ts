/** Profiles of columns: each bar and value says how many rows its filter finds. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { ColumnProfile, Histogram, VersionProfile } from '../../src/catalogue/column-statistics.ts';
import { linearEdges, logarithmicEdges, timeEdges } from '../../src/data/query/histogram.ts';
import { filtersOfBin } from '../../src/pages/histogram.tsx';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const rows = Array.from({ length: 500 }, (_, i) => ({
  step: (i * 7) % 40,
  share: i % 9 === 0 ? null : Math.round(Math.sin(i) * 1000) / 1000,
  income: Math.round(1.03 ** i * 100) / 100,
  day: new Date(Date.UTC(2018, 0, 1 + (i % 700))).toISOString().slice(0, 10),
  kind: ['oak', 'elm', 'ash'][i % 3 && (i % 2) + 1],
  name: `Tree ${i}`,
  valid_to: i % 5 ? '9999-12-31T23:59:59.999999Z' : `${2000 + (i % 20)}-12-31T23:59:59.9999999Z`,
  open: i % 4 === 0,
}));

describe('the profile of a version', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let address: string;
  let profile: VersionProfile;
  const column = (name: string) => profile.columns.find((one) => one.name === name) as ColumnProfile;
  const count = async (parameters: readonly (readonly [string, string])[]) => {
    const query = new URLSearchParams([...parameters.map(([name, value]) => [name, value]), ['_limit', '0']]);
    return Number((await fetch(`${address}data.csv?${query}`)).headers.get('x-total-count'));
  };

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('trees', 'trees.json', JSON.stringify(rows));
    const great = [1e308, 1.7e308, 1.5e308, 1.6e308];
    const [wide, tiny] = [
      [-1.7e308, 1.7e308, 1.6e308],
      [0, 5e-324, 1e-320],
    ];
    const numbers = Array.from({ length: 10 }, (_, i) => ({
      tenth: 0.1,
      great: great[i] ?? null,
      wide: wide[i] ?? null,
      tiny: tiny[i] ?? null,
    }));
    await workshop.publish('numbers', 'numbers.json', JSON.stringify(numbers));
    const places = [null, { type: 'GeometryCollection', geometries: [] }, { type: 'Point', coordinates: [1, 2] }];
    const withPlaces = places.map((geometry) => ({ type: 'Feature', properties: {}, geometry }));
    await workshop.publish('places', 'a.geojson', JSON.stringify({ type: 'FeatureCollection', features: withPlaces }));
    server = await serveFolder(workshop.root);
    address = `${server.base}/api/v1/namespaces/lab/datasets/trees/`;
    profile = (await (await fetch(`${address}profile/`)).json()) as VersionProfile;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('counts what is missing, and the distinct values', () => {
    assert.equal(profile.rows, 500);
    assert.deepEqual([column('share').nulls, column('step').distinct, column('kind').distinct], [56, 40, 3]);
    assert.deepEqual(column('name').examples, ['Tree 0', 'Tree 1', 'Tree 2']);
    assert.equal(column('name').top, undefined);
  });

  it('counts geometries as missing that filters and counts find missing', async () => {
    const places = address.replace('trees', 'places');
    const { columns } = (await (await fetch(`${places}profile/`)).json()) as VersionProfile;
    const found = await fetch(`${places}data/?geometry__isnull=true&_format=objects&_limit=10`);
    assert.deepEqual([columns[0]?.nulls, ((await found.json()) as unknown[]).length], [1, 1]);
  });

  it('has mean and median', () => {
    const shares = rows.flatMap(({ share }) => (share === null ? [] : [share])).sort((a, b) => a - b);
    const middle = ((shares[221] as number) + (shares[222] as number)) / 2;
    assert.equal(column('share').median, middle);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    assert.ok(Math.abs((column('share').mean ?? 0) - mean) < 1e-12);
  });

  it('has bars that are the numbers of rows of their filters', async () => {
    for (const name of ['step', 'share', 'income', 'day', 'valid_to']) {
      const { histogram, nulls } = column(name);
      assert.ok(histogram && histogram.counts.length <= 25, name);
      assert.equal(
        histogram.counts.reduce((sum, one) => sum + one, 0),
        500 - nulls,
        name,
      );
      for (const [bin, expected] of histogram.counts.entries())
        assert.equal(await count(filtersOfBin(name, histogram, bin)), expected, `${name} ${bin}`);
    }
    assert.equal(column('income').histogram?.scale, 'log');
  });

  it('has exact means, and medians of numbers whose sum is too large', async () => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/numbers/profile/`);
    const { columns } = (await response.json()) as VersionProfile;
    assert.deepEqual(
      columns.map(({ mean, median }) => [mean, median]),
      [
        [0.1, 0.1],
        [undefined, 1.55e308],
        [1.6e308 / 3, 1.6e308],
        [3.335e-321, 5e-324],
      ],
    );
  });

  it('of rows that match has their numbers in each bar and of each value', async () => {
    const filters = [
      ['kind', 'oak'],
      ['step__lt', '30'],
    ] as const;
    const response = await fetch(`${address}profile/?${new URLSearchParams([...filters].map(([...pair]) => pair))}`);
    const { matched, ...whole } = (await response.json()) as VersionProfile;
    assert.deepEqual(whole, profile);
    assert.equal(matched?.rows, await count(filters));
    for (const { name, counts = [], top = [] } of matched?.columns ?? []) {
      const { histogram, top: values = [] } = column(name);
      for (const [bin, expected] of counts.entries())
        assert.equal(
          await count([...filters, ...filtersOfBin(name, histogram as Histogram, bin)]),
          expected,
          `${name} ${bin}`,
        );
      for (const [i, expected] of top.entries())
        assert.equal(await count([...filters, [`${name}__exact`, String(values[i]?.value)]]), expected, `${name} ${i}`);
    }
    assert.deepEqual(
      matched?.columns.map(({ name }) => name),
      ['step', 'share', 'income', 'day', 'kind', 'valid_to', 'open'],
    );
  });

  it('of a part of the rows is of those that the data has in the same order', async () => {
    const query = '_ordering=-step,kind&_limit=7&_offset=3&kind__ne=elm';
    const rows = (await (await fetch(`${address}data/?${query}&_format=objects`)).json()) as {
      step: number;
      kind: string;
    }[];
    const { matched } = (await (await fetch(`${address}profile/?${query}`)).json()) as VersionProfile;
    assert.equal(matched?.rows, 7);
    const tops = matched.columns.find(({ name }) => name === 'kind')?.top ?? [];
    for (const [i, { value }] of (column('kind').top ?? []).entries())
      assert.equal(tops[i], rows.filter(({ kind }) => kind === value).length, String(value));
    const counts = matched.columns.find(({ name }) => name === 'step')?.counts ?? [];
    const edges = (column('step').histogram as Histogram).edges.map(Number);
    const last = counts.findLastIndex((number) => number > 0);
    assert.ok(Math.max(...rows.map(({ step }) => step)) >= (edges[last] as number));
    assert.equal(
      counts.reduce((sum, number) => sum + number, 0),
      7,
    );
  });

  it('of rows that match is of the columns asked for, also from another server', async () => {
    const parameters = [
      ['open', 'true'],
      ['_fields', 'kind,name'],
    ] as const;
    const ref = { kind: 'version', namespace: 'lab', dataset: 'trees', slug: 'latest' } as const;
    const remote = await openRemoteCatalogue(server.base);
    const { matched } = await remote.profile(ref, { parameters });
    await remote.close();
    assert.equal(matched?.rows, 125);
    assert.deepEqual(
      matched.columns.map(({ name }) => name),
      ['kind'],
    );
  });

  it('refuses a parameter that it doesn’t know, and groups of rows', async () => {
    assert.equal((await fetch(`${address}profile/?stap=1`)).status, 400);
    assert.equal((await fetch(`${address}profile/?_group_by=kind&_aggregate=count`)).status, 400);
  });

  it('has the most frequent values with the numbers of their rows', async () => {
    for (const name of ['kind', 'open', 'step'])
      for (const { value, count: expected } of column(name).top ?? [])
        assert.equal(await count([[name, String(value)]]), expected, `${name}=${value}`);
  });
});

describe('edges of histograms', () => {
  const range = fc
    .tuple(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), fc.double({ noNaN: true, min: -1e12, max: 1e12 }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const isSorted = (edges: readonly number[]) => edges.every((edge, i) => i === 0 || edge > (edges[i - 1] as number));

  it('enclose all values, in order, at most 24 bins', () => {
    fc.assert(
      fc.property(range, fc.boolean(), ([min, max], areIntegers) => {
        const [low, high] = areIntegers ? [Math.floor(min), Math.floor(max)] : [min, max];
        const edges = linearEdges(low, high, areIntegers);
        assert.ok((edges[0] as number) <= low && (edges.at(-1) as number) >= high, `${edges}`);
        assert.ok(edges.length <= 26 && (isSorted(edges) || low === high), `${edges}`);
      }),
    );
    for (const least of [Number.MIN_VALUE, 1e-300, 3e-200, 1e300]) {
      const all = logarithmicEdges(least, 1e308);
      assert.ok(isSorted(all) && all.length <= 27 && (all[0] as number) <= least && (all.at(-1) as number) >= 1e308);
    }
    const ofOne = linearEdges(792340276.47816, 792340276.47816, false);
    assert.ok(isSorted(ofOne) && ofOne.length > 1, `${ofOne}`);
    const edges = logarithmicEdges(0.3, 45_000);
    assert.ok((edges[0] as number) <= 0.3 && (edges.at(-1) as number) > 45_000 && isSorted(edges), `${edges}`);
  });

  it('are finite at the ends of the numbers', () => {
    const { MAX_VALUE: most, MIN_VALUE: least } = Number;
    const cases = [
      linearEdges(0, most, false),
      linearEdges(-most, 0, false),
      linearEdges(-most, most, false),
      linearEdges(1.5e308, most, false),
      linearEdges(0, most, true),
      ...[least, 0.1, 1e300, 1e308, 1.5e308].map((min) => logarithmicEdges(min, most)),
    ];
    for (const edges of cases) assert.ok(edges.every(Number.isFinite) && isSorted(edges), `${edges}`);
    for (const edges of cases) assert.ok(edges.length > 1 && edges.length <= 27, `${edges}`);
    for (const edges of [cases[0], ...cases.slice(2)]) assert.equal(edges?.at(-1), most);
  });

  it('of time are beginnings of months and years', () => {
    const edges = timeEdges(Date.UTC(2018, 3, 5), Date.UTC(2019, 2, 1), true).map((edge) =>
      new Date(edge).toISOString(),
    );
    assert.ok(
      edges.every((edge) => edge.endsWith('-01T00:00:00.000Z')),
      `${edges}`,
    );
  });
});
