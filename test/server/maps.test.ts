/** Maps over HTTP: pictures, plates and vector tiles, of datasets, versions and saved queries. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync, inflateSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import fc from 'fast-check';
import { PbfReader } from 'pbf';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

type Position = readonly [number, number];
interface Feature {
  readonly geometry: object | null;
  readonly properties: Record<string, unknown>;
}

const collection = (features: readonly Feature[]) =>
  JSON.stringify({ type: 'FeatureCollection', features: features.map((one) => ({ type: 'Feature', ...one })) });
const point = (position: Position, properties: Record<string, unknown> = {}): Feature => ({
  geometry: { type: 'Point', coordinates: position },
  properties,
});
const square = ([x, y]: Position, side: number, properties: Record<string, unknown> = {}): Feature => ({
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [x, y],
        [x + side, y],
        [x + side, y + side],
        [x, y + side],
        [x, y],
      ],
    ],
  },
  properties,
});

/** Numbers that are always the same. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const random = randomFrom(3);
const kinds = ['oak', 'elm', 'ash', 'fir', 'yew', 'box', 'bay'];
const trees = Array.from({ length: 3000 }, (_, n) =>
  point([random() * 360 - 180, random() * 170 - 85], {
    n,
    height: Math.round(random() * 300) / 10,
    kind: kinds[n % 7],
  }),
);
const crowd = Array.from({ length: 60_000 }, (_, n) => point([(n % 300) / 60, Math.floor(n / 300) / 60], { n }));
const areas = Array.from({ length: 1500 }, (_, n) =>
  square([random() * 340 - 170, random() * 150 - 78], 0.02 + random() * 8, { n, area: n % 11 }),
);
/** Number of a line that maps draw the short way, across 180°, and that boxes find the long way, as it is written. */
const longLine = 7;
const odd: Feature[] = [
  point([179.9, 10], { n: 0 }),
  point([-179.9, -10], { n: 1 }),
  point([0, 90], { n: 2 }),
  point([0, -90], { n: 3 }),
  { geometry: null, properties: { n: 4 } },
  { geometry: { type: 'MultiPolygon', coordinates: [] }, properties: { n: 5 } },
  { geometry: { type: 'GeometryCollection', geometries: [] }, properties: { n: 6 } },
  {
    geometry: {
      type: 'LineString',
      coordinates: [
        [-170, 5],
        [180, 5],
      ],
    },
    properties: { n: longLine },
  },
  {
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [-180, -90],
          [180, -90],
          [180, -60],
          [-180, -60],
          [-180, -90],
        ],
      ],
    },
    properties: { n: 8 },
  },
  {
    geometry: {
      type: 'MultiPoint',
      coordinates: [
        [10, 10],
        [20, 20],
      ],
    },
    properties: { n: 9 },
  },
  {
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [10, 0],
          [10, 10],
          [0, 10],
          [0, 0],
        ],
        [
          [4, 4],
          [6, 4],
          [6, 6],
          [4, 6],
          [4, 4],
        ],
      ],
    },
    properties: { n: 10 },
  },
  {
    geometry: {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        {
          type: 'LineString',
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      ],
    },
    properties: { n: 11 },
  },
];

/** The world's tile grid: longitudes and latitudes of a tile with its buffer of 64 of 4096 units. */
function boxOfTile(z: number, x: number, y: number): readonly number[] {
  const side = 2 ** -z;
  const margin = (side * 64) / 4096;
  const longitude = (at: number) => at * 360 - 180;
  const latitude = (at: number) => (Math.atan(Math.sinh((0.5 - at) * 2 * Math.PI)) * 180) / Math.PI;
  return [
    longitude(x * side - margin),
    latitude((y + 1) * side + margin),
    longitude((x + 1) * side + margin),
    latitude(y * side - margin),
  ];
}

describe('maps', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('trees', 'trees.geojson', collection(trees));
    await workshop.publish('crowd', 'crowd.geojson', collection(crowd));
    await workshop.publish('areas', 'areas.geojson', collection(areas));
    const ponds = Array.from({ length: 20 }, (_, n) => square([7 + 0.2 * n, 50 + 0.1 * n], 0.001, { n }));
    await workshop.publish('ponds', 'ponds.geojson', collection(ponds));
    await workshop.publish('odd', 'odd.geojson', collection(odd));
    await workshop.publish('one', 'one.geojson', collection([point([8.5, 47.4])]));
    await workshop.publish('same', 'same.geojson', collection(Array(50).fill(point([8.5, 47.4]))));
    await workshop.publish('table', 'table.csv', 'name,size\nfirst,1\nsecond,\nthird,3\n');
    await workshop.catalogue.create('query', {
      ...{ slug: 'tall', label: 'Tall trees', dataset: 'lab/trees', version: null },
      parameters: { height__gte: 20 },
    });
    const title = '</title><script>alert(1)</script>\u0001';
    await workshop.publish('evil', 'evil.geojson', collection([point([1, 2], { '<b>"&': '</svg><script>' })]));
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'evil' }, { label: title });
    await workshop.publish('secret', 'secret.geojson', collection([point([1, 2])]));
    await workshop.catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'secret' }, { visibility: 'private' });
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const datasets = '/api/v1/namespaces/lab/datasets/';
  const ask = (path: string, init?: RequestInit) =>
    fetch(`${server.base}${path.startsWith('/') ? '' : datasets}${path}`, init);
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees
  const jsonOf = async (path: string): Promise<any> => (await ask(path)).json();
  const svgOf = async (path: string) => {
    const response = await ask(path);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get('content-type'), 'image/svg+xml');
    assert.doesNotMatch(text, /NaN|Infinity|undefined/);
    return text;
  };
  /** Size of a PNG without filters, and the share of its pixels that have a colour. */
  const pngOf = async (path: string) => {
    const response = await ask(path);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
    const bytes = Buffer.from(await response.arrayBuffer());
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    const rows = inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
    const pixels = Array.from({ length: width * height }, (_, n) =>
      rows.toString('hex', 3 * n + Math.floor(n / width) + 1, 3 * n + Math.floor(n / width) + 4),
    );
    const shareOf = (colour: string) => pixels.filter((one) => one === colour).length / pixels.length;
    return { width, height, shareOf };
  };
  const metadataOf = (svg: string) =>
    JSON.parse(
      (/<metadata>(.*)<\/metadata>/.exec(svg)?.[1] ?? '').replace(/&#(\d+);/g, (_, code) =>
        String.fromCodePoint(Number(code)),
      ),
    );
  const countIn = async (path: string) => {
    const response = await ask(path);
    assert.equal(response.status, 200, await response.clone().text());
    return Number(response.headers.get('x-total-count'));
  };
  interface Row {
    readonly id: number;
    readonly type: number;
    readonly properties: Record<string, unknown>;
    readonly geometry: readonly (readonly { x: number; y: number }[])[];
  }
  const tileOf = async (path: string): Promise<{ rows: Row[]; bytes: Buffer; headers: Headers }> => {
    const response = await ask(path);
    if (response.status === 204) return { rows: [], bytes: Buffer.alloc(0), headers: response.headers };
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.status, 200, bytes.toString());
    assert.equal(response.headers.get('content-type'), 'application/vnd.mapbox-vector-tile');
    const layer = new VectorTile(new PbfReader(bytes)).layers.rows;
    assert.ok(layer);
    assert.equal(layer.version, 2);
    assert.equal(layer.extent, 4096);
    const rows = Array.from({ length: layer.length }, (_, n): Row => {
      const feature = layer.feature(n);
      const { id = -1, type, properties } = feature;
      return { id, type, properties, geometry: feature.loadGeometry() };
    });
    return { rows, bytes, headers: response.headers };
  };

  describe('pictures', () => {
    it('show all rows of a small table, and say so', async () => {
      const svg = await svgOf('areas/map.svg');
      assert.match(svg, /viewBox="0 0 1040 506"/);
      assert.match(
        svg,
        /<desc>[\d,]+ of 1,500 polygons shown: those in the same pixel|<desc>All 1,500 polygons, simplified/,
      );
      assert.equal(metadataOf(svg).counts.located, 1500);
      assert.match(svg, /prefers-color-scheme:dark/);
      // Both schemes have the colours that are used, and no others.
      const named = [...svg.matchAll(/var\((--\w+)\)/g)].map(([, name]) => name).filter((name) => name !== '--k');
      const declared = [...svg.matchAll(/[{;](--\w+):#/g)].map(([, name]) => name);
      assert.deepEqual(declared.toSorted(), [...new Set(named)].flatMap((name) => [name, name]).toSorted());
      assert.ok(gzipSync(svg).length < 40_960);
    });

    it('draw polygons that are smaller than a dot large enough to be seen, if they are few', async () => {
      const widthOf = (svg: string) => Number(/\.m3[^{]*\{[^}]*stroke-width:(\d+)/.exec(svg)?.[1]) / 10;
      const few = await svgOf('ponds/map.svg');
      assert.match(few, /<path class="m3 geo"/);
      assert.ok(widthOf(few) >= 4, `${widthOf(few)} pixels`);
      assert.ok(widthOf(await svgOf('areas/map.svg')) < 2);
    });

    it('draw as many points as fit, and say how many of how many', async () => {
      const svg = await svgOf('crowd/map.svg?width=2000');
      const { counts } = metadataOf(svg);
      assert.equal(counts.located, 60_000);
      assert.equal(counts.isSampled, true);
      assert.ok(counts.drawn > 8000 && counts.drawn < 14_000, `${counts.drawn}`);
      assert.match(svg, /<desc>[\d,]+ of 60,000 points shown, chosen by chance/);
      assert.ok(gzipSync(svg).length < 40_960);
      assert.equal(svg, await svgOf('crowd/map.svg?_width=2000'));
    });

    it('take the filters of the rows, at datasets, versions and saved queries', async () => {
      const tall = await countIn('trees/data/?height__gte=20&_limit=1');
      assert.equal(metadataOf(await svgOf('trees/map.svg?height__gte=20')).counts.matched, tall);
      assert.equal(metadataOf(await svgOf('trees/version/latest/map.svg?height__gte=20')).counts.matched, tall);
      assert.equal(metadataOf(await svgOf('/api/v1/queries/tall/map.svg')).counts.matched, tall);
      const oaks = await countIn('trees/data/?height__gte=20&kind=oak&_limit=1');
      assert.equal(metadataOf(await svgOf('/api/v1/queries/tall/map.svg?kind=oak')).counts.matched, oaks);
      assert.equal(await countIn('trees/map.svg?height__gte=20'), tall);
    });

    it('are coloured by five quantiles of a number, or five values of a text', async () => {
      const heights = metadataOf(await svgOf('trees/map.svg?_colour=height')).legend;
      assert.equal(heights.kind, 'quantiles');
      assert.equal(heights.breaks.length, 4);
      assert.deepEqual(
        heights.breaks,
        [...heights.breaks].sort((a, b) => a - b),
      );
      const svg = await svgOf('trees/map.svg?_colour=kind');
      assert.deepEqual(metadataOf(svg).legend, {
        ...{ kind: 'values', column: 'kind', values: ['oak', 'elm', 'ash', 'fir', 'yew'], hasOthers: true },
      });
      assert.equal(new Set(svg.match(/class="m6 \w+"/g)).size, 6);
    });

    it('stand for one point, points in one place, no rows, odd and missing geometries', async () => {
      assert.deepEqual(metadataOf(await svgOf('one/map.svg')).counts, {
        ...{ matched: 1, located: 1, drawn: 1, isSampled: false, kind: 'points' },
      });
      assert.equal(metadataOf(await svgOf('same/map.svg')).counts.drawn, 1);
      assert.match(await svgOf('trees/map.svg?n=-1'), /<desc>No rows\./);
      const { counts } = metadataOf(await svgOf('odd/map.svg'));
      assert.equal(counts.matched, 12);
      assert.equal(counts.located, 9);
      assert.match(await svgOf('odd/map.svg?n=4'), /<desc>The row has no geometry/);
      for (const row of odd) await svgOf(`odd/map.svg?n=${row.properties.n}&_colour=n`);
    });

    it('draw all that is in a collection', async () => {
      const marks = (await svgOf('odd/map.svg?n=11')).match(/(?<=<path class=")m\d(?= geo")/g);
      assert.deepEqual(marks, ['m4', 'm6']);
    });

    it('keep together what lies on both sides of the antimeridian', async () => {
      const svg = await svgOf('odd/map.svg?n__lte=1');
      const dots = [...(/class="m6 geo" d="M(-?\d+) (-?\d+)h0m(-?\d+)/.exec(svg) ?? [])].map(Number);
      assert.ok(Math.abs(dots[3] as number) < 3000 && (dots[1] as number) > 2000, svg.slice(-300));
    });

    it('are there as PNG for programs that show no SVG: a map, or the texture of a table', async () => {
      const { width, height, shareOf } = await pngOf('areas/plate.png');
      assert.deepEqual([width, height], [1040, 506]);
      const [rows, sea] = [shareOf('2c7a4b'), shareOf('eef2f1')];
      assert.ok(rows > 0.01 && sea > 0.01 && rows + sea < 1, `${rows} ${sea}`);
      const dots = await pngOf('trees/plate.png');
      assert.ok(dots.shareOf('eef2f1') + dots.shareOf('dcd8cd') > 0.1);
      const few = await pngOf('areas/plate.png?_limit=1&_width=400');
      assert.equal(few.width, 1200);
      const texture = await pngOf('table/plate.png');
      assert.deepEqual([texture.width, texture.height], [1200, 600]);
      // The ground shows between the cells, and in the hole of a missing value.
      assert.ok(texture.shareOf('f4f2ec') > 0.15 && texture.shareOf('f4f2ec') < 0.5, `${texture.shareOf('f4f2ec')}`);
      assert.equal(texture.shareOf('ffffff'), 0);
    });

    it('are named as PNG by the pages of their datasets and versions: social networks show no SVG', async () => {
      const { versions } = (await (await ask('trees/')).json()) as { versions: readonly { slug: string }[] };
      for (const path of ['trees/', 'table/', `trees/version/${versions[0]?.slug}/`]) {
        const page = await (await ask(path, { headers: { Accept: 'text/html' } })).text();
        const [, url = ''] = /<meta property="og:image" content="([^"]*)"/.exec(page) ?? [];
        assert.ok(url.endsWith(`/${path}plate.png`), url);
        const picture = await fetch(url);
        assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
      }
    });

    it('have plates for lists: a map, or the texture of a table', async () => {
      assert.match(await svgOf('trees/plate.svg'), /viewBox="0 0 300 150"/);
      const svg = await svgOf('table/plate.svg');
      assert.match(svg, /class="f-text s\d"/);
      assert.match(svg, /class="f-num s6"/);
      // The ground, three names, and two sizes: a missing value is a hole.
      assert.equal(svg.match(/M[\d.]+ [\d.]+h/g)?.length, 1 + 5);
    });

    it('refuse what is wrong, with a sentence', async () => {
      const refused = async (path: string, status: number, message: RegExp) => {
        const response = await ask(path);
        assert.equal(response.status, status, path);
        assert.match(await response.text(), message, path);
      };
      await refused('trees/map.svg?width=5', 400, /\\"5\\" is not a width: a whole number of pixels from 100 to 2000/);
      await refused('trees/map.svg?width=1e3', 400, /not a width/);
      await refused('trees/map.svg?_colour=hight', 400, /Unknown column \\"hight\\". Did you mean \\"height\\"/);
      await refused('trees/map.svg?_colour=geometry', 400, /of type geometry/);
      await refused('trees/map.svg?hight__gte=2', 400, /Unknown column/);
      await refused('trees/map.svg?_group_by=kind', 400, /Groups of rows have no geometry/);
      await refused('table/map.svg', 404, /no geometry, so there is no map/);
      await refused('none/map.svg', 404, /Not found/);
      await refused('trees/tiles/0/0/0.png', 404, /ends in \.mvt/);
      await refused('trees/tiles/a/0/0.mvt', 400, /\\"a\\" is not a whole number/);
      await refused('trees/tiles/0/-1/0.mvt', 400, /not a whole number/);
      await refused('trees/tiles/19/0/0.mvt', 400, /The deepest zoom is 18/);
      await refused('trees/tiles/1/2/0.mvt', 404, /columns and rows go from 0 to 1/);
      await refused('table/tiles.json', 404, /no geometry/);
    });

    it('escape titles', async () => {
      const svg = await svgOf(`evil/map.svg?_colour=${encodeURIComponent('<b>"&')}`);
      assert.doesNotMatch(svg, /<script|<\/svg>./);
    });

    it('are sent from the cache, and not at all to those who have them', async () => {
      const first = await ask('areas/map.svg');
      const tag = first.headers.get('etag') ?? '';
      assert.match(tag, /^"/);
      assert.equal((await ask('areas/map.svg', { headers: { 'If-None-Match': tag } })).status, 304);
      assert.match(first.headers.get('content-security-policy') ?? '', /sandbox/);
    });
  });

  describe('tiles', () => {
    it('have TileJSON 3.0 with the filters of the request', async () => {
      const tileset = await jsonOf('trees/tiles.json?kind=oak&_colour=height');
      assert.equal(tileset.tilejson, '3.0.0');
      assert.deepEqual(tileset.tiles, [`${server.base}${datasets}trees/tiles/{z}/{x}/{y}.mvt?_colour=height&kind=oak`]);
      assert.deepEqual(Object.keys(tileset.vector_layers[0].fields), ['height', '_rows']);
      assert.equal(tileset.classes.kind, 'quantiles');
      assert.equal(tileset.counts.matched, await countIn('trees/data/?kind=oak&_limit=1'));
      assert.deepEqual(tileset.data, [`${server.base}${datasets}trees/data/?kind=oak`]);
      assert.equal(tileset.legend, undefined, 'It is a text in TileJSON.');
      const [template] = tileset.tiles;
      const { rows } = await tileOf(new URL(template.replace('{z}/{x}/{y}', '0/0/0')).href.slice(server.base.length));
      assert.ok(rows.every(({ properties }) => typeof properties.height === 'number'));
    });

    it('have exactly the rows of their box, each with the number that leads to it', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('trees', 'areas', 'odd'),
          fc.constantFrom('', 'n__lt=700', 'n__gte=5&_ordering=-n'),
          fc.integer({ min: 0, max: 9 }),
          fc.nat(),
          fc.nat(),
          async (dataset, filter, z, column, line) => {
            const [x, y] = [column % 2 ** z, line % 2 ** z];
            const { rows } = await tileOf(`${dataset}/tiles/${z}/${x}/${y}.mvt?${filter}`);
            const box = boxOfTile(z, x, y);
            const found = await ask(`${dataset}/data/?${filter}&bbox=${box.join()}&_fields=n&_format=objects`);
            const inBox = ((await found.json()) as { n: number }[]).map(({ n }) => n).sort((a, b) => a - b);
            const all = await ask(`${dataset}/data/?${filter}&_fields=n&_format=objects`);
            const numbers = ((await all.json()) as { n: number }[]).map(({ n }) => n);
            // A collection of several types is as many features, with one number.
            const ids = [...new Set(rows.map(({ id }) => id))];
            const inTile = ids.map((id) => numbers[id] as number).sort((a, b) => a - b);
            const isCompared = (n: number) => dataset !== 'odd' || n !== longLine;
            assert.deepEqual(
              inTile.filter(isCompared),
              inBox.filter(isCompared),
              `${dataset} ${filter} ${z}/${x}/${y}`,
            );
            assert.ok(rows.every(({ properties }) => properties._rows === undefined));
          },
        ),
        { numRuns: 60 },
      );
    });

    it('have a line of 350° where it is drawn, the short way across 180°, and not where a box finds it', async () => {
      for (let x = 0; x < 8; x++) {
        const { rows } = await tileOf(`odd/tiles/3/${x}/3.mvt?n=${longLine}`);
        assert.equal(rows.length, x === 0 || x === 7 ? 1 : 0, `tile ${x}`);
        const box = boxOfTile(3, x, 3).join();
        assert.equal(await countIn(`odd/data/?n=${longLine}&bbox=${box}&_limit=1`), 1);
      }
    });

    it('lead by a feature to its row', async () => {
      const { rows } = await tileOf('trees/tiles/3/4/2.mvt?height__gte=10&_colour=kind');
      const { id = -1, properties } = rows[0] ?? {};
      const row = await jsonOf(`trees/data/?height__gte=10&_offset=${id}&_limit=1&_format=objects`);
      assert.equal(row.length, 1);
      assert.equal(row[0].kind, properties?.kind);
    });

    it('say for how many rows each feature stands, when there are too many', async () => {
      const { rows, bytes, headers } = await tileOf('crowd/tiles/0/0/0.mvt');
      assert.ok(rows.length < 60_000);
      assert.equal(headers.get('x-total-count'), '60000');
      assert.equal(headers.get('x-feature-count'), String(rows.length));
      const sum = rows.reduce((total, { properties }) => total + Number(properties._rows ?? 1), 0);
      assert.equal(sum, 60_000);
      assert.ok(gzipSync(bytes).length < 200_000);
      // Nearer, all are there again.
      const near = await tileOf('crowd/tiles/9/259/253.mvt');
      assert.ok(near.rows.length > 0 && near.rows.every(({ properties }) => properties._rows === undefined));
    });

    it('have closed rings, outer ones clockwise, within their buffer', async () => {
      for (const path of [
        'areas/tiles/2/2/1.mvt',
        'odd/tiles/0/0/0.mvt',
        'odd/tiles/3/4/3.mvt',
        'areas/tiles/6/33/22.mvt',
      ]) {
        const { rows } = await tileOf(path);
        for (const { type, geometry } of rows) {
          assert.ok(geometry.length > 0);
          for (const { x, y } of geometry.flat())
            assert.ok(x >= -64 && x <= 4160 && y >= -64 && y <= 4160 && Number.isInteger(x) && Number.isInteger(y));
          if (type !== 3) continue;
          const areasOfRings = geometry.map((ring) =>
            ring.reduce((sum, { x, y }, n) => {
              const next = ring[(n + 1) % ring.length] ?? { x, y };
              return sum + x * next.y - next.x * y;
            }, 0),
          );
          assert.ok((areasOfRings[0] as number) > 0, path);
          assert.ok(areasOfRings.every((area) => area !== 0));
        }
      }
      const hole = (await tileOf('odd/tiles/3/4/3.mvt')).rows.find(({ id }) => id === 10);
      assert.equal(hole?.geometry.length, 2);
    });

    it('have a feature for each type of geometry in a collection', async () => {
      const { rows, headers } = await tileOf('odd/tiles/3/4/3.mvt?n=11&_colour=n');
      assert.deepEqual(
        rows.map(({ id, type, properties, geometry }) => [id, type, { ...properties }, geometry.flat().length]),
        [
          [0, 2, { n: 11 }, 2],
          [0, 1, { n: 11 }, 1],
        ],
      );
      assert.equal(headers.get('x-feature-count'), '1');
    });

    it('are empty without rows: 204', async () => {
      const response = await ask('one/tiles/9/0/0.mvt');
      assert.equal(response.status, 204);
      assert.equal((await response.arrayBuffer()).byteLength, 0);
      assert.equal((await ask('trees/tiles/4/3/3.mvt?n=-1')).status, 204);
    });

    it('are sent once to those who keep them', async () => {
      const first = await ask('trees/tiles/2/1/1.mvt', { headers: { 'Accept-Encoding': 'gzip' } });
      const tag = first.headers.get('etag') ?? '';
      assert.equal(first.headers.get('content-encoding'), 'gzip');
      const headers = { 'Accept-Encoding': 'gzip', 'If-None-Match': tag };
      assert.equal((await ask('trees/tiles/2/1/1.mvt', { headers })).status, 304);
      assert.equal(first.headers.get('access-control-allow-origin'), '*');
    });

    it('are those of a private dataset for its readers alone', async () => {
      for (const path of ['map.svg', 'plate.svg', 'plate.png', 'tiles.json', 'tiles/0/0/0.mvt'])
        assert.equal((await ask(`secret/${path}`)).status, 404, path);
    });

    const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0;
    it('are read by GDAL', { skip: !hasGdal && 'no ogrinfo here' }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tiles-'));
      try {
        for (const path of ['trees/tiles/0/0/0.mvt', 'areas/tiles/2/2/1.mvt', 'odd/tiles/0/0/0.mvt']) {
          const { rows, bytes } = await tileOf(path);
          const file = join(folder, 'tile.mvt');
          writeFileSync(file, bytes);
          const info = execFileSync('ogrinfo', ['-al', '-so', '-oo', 'CLIP=NO', `MVT:${file}`], { encoding: 'utf8' });
          assert.match(info, /Layer name: rows/);
          assert.equal(Number(/Feature Count: (\d+)/.exec(info)?.[1]), rows.length, path);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
});
