/**
 * Pages: first bytes, search, weight, paint. Maps of 1,000,000 points and of 50,000 polygons: pictures, and tiles that nobody has
 * asked for before, over HTTP.
 *
 *     npm run bench -- pages
 */
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openFileCatalogue } from '../src/files/file-catalogue.ts';
import { startServer } from '../src/serve.ts';
import { makePoints, randomFrom } from './data/make-points.ts';
import { report } from './support/figures.ts';
import { percentile } from './support/load.ts';
import { measurePages } from './support/page-figures.ts';

await measurePages();

const folder = join(tmpdir(), 'catalogue-bench');
mkdirSync(folder, { recursive: true });

/** Polygons of 30 vertices: half of them close together in Europe, half all over the world. */
function makePolygons(count = 50_000): string {
  const path = join(folder, `polygons-${count}.geojson`);
  if (existsSync(path)) return path;
  const random = randomFrom(2);
  const features = Array.from({ length: count }, (_, n) => {
    const isClose = random() < 0.5;
    const x = isClose ? 5 + random() * 10 : random() * 350 - 175;
    const y = isClose ? 45 + random() * 8 : random() * 140 - 65;
    const radius = isClose ? 0.02 + random() * 0.05 : 0.1 + random() * 1.5;
    const ring = Array.from({ length: 30 }, (_, vertex) => {
      const angle = (vertex / 30) * 2 * Math.PI;
      const distance = radius * (0.7 + 0.3 * random());
      return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)].map((one) => Number(one.toFixed(6)));
    });
    const geometry = { type: 'Polygon', coordinates: [[...ring, ring[0]]] };
    return JSON.stringify({ type: 'Feature', properties: { n, value: Math.floor(random() * 1000) }, geometry });
  });
  writeFileSync(path, `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`);
  return path;
}

/** Tiles of all zooms, most of them where the rows are. */
function addresses(count: number): string[] {
  const random = randomFrom(5);
  return Array.from({ length: count }, (_, n) => {
    const z = n % 15;
    const isClose = n % 2 === 0;
    const longitude = isClose ? 5 + random() * 10 : random() * 350 - 175;
    const latitude = ((isClose ? 45 + random() * 8 : random() * 140 - 70) * Math.PI) / 180;
    const x = Math.floor(((longitude + 180) / 360) * 2 ** z);
    const y = Math.floor((0.5 - Math.log(Math.tan(latitude) + 1 / Math.cos(latitude)) / (2 * Math.PI)) * 2 ** z);
    return `tiles/${z}/${x}/${y}.mvt`;
  });
}

const root = mkdtempSync(join(tmpdir(), 'catalogue-bench-pages-'));
mkdirSync(join(root, 'namespaces'));
const tables = {
  points: { path: (await makePoints()).geojson, column: 'height' },
  polygons: { path: makePolygons(), column: 'value' },
};
const files = await openFileCatalogue(root);
const catalogue = files.for();
await catalogue.create('namespace', { slug: 'lab', label: 'Lab' });
for (const [slug, { path }] of Object.entries(tables)) {
  await catalogue.create('dataset', { slug, label: slug, namespace: 'lab' });
  await catalogue.publish(
    { kind: 'dataset', namespace: 'lab', slug },
    { source: createReadStream(path), fileName: path },
  );
}
await files.close();

const server = await startServer({ folder: root, host: '127.0.0.1', port: 0, log: () => {} });
try {
  for (const [slug, { column }] of Object.entries(tables)) {
    const name = slug === 'points' ? '1,000,000 points' : '50,000 polygons';
    const ask = async (path: string): Promise<{ milliseconds: number; kilobytes: number }> => {
      const start = performance.now();
      const response = await fetch(`${server.url}/api/v1/namespaces/lab/datasets/${slug}/${path}`);
      const body = Buffer.from(await response.arrayBuffer());
      const milliseconds = performance.now() - start;
      if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`);
      return { milliseconds, kilobytes: gzipSync(body).length / 1000 };
    };
    // The rows are in memory, as after a first page of them; the map is not.
    await ask('data/?_limit=1');
    const first = await ask('map.svg');
    report({
      name: `map picture of ${name}, first`,
      values: [first.milliseconds],
      unit: 'ms',
      target: { atMost: 300 },
    });
    // Each of another width, so that it is drawn.
    const pictures = [];
    for (let width = 1000; width < 1010; width++) pictures.push(await ask(`map.svg?width=${width}`));
    const coloured = await ask(`map.svg?_colour=${column}`);
    report({
      name: `map picture of ${name}, drawn again`,
      values: pictures.map(({ milliseconds }) => milliseconds),
      unit: 'ms',
      target: { atMost: 150 },
    });
    const sizes = [first, coloured, ...pictures].map(({ kilobytes }) => kilobytes);
    report({
      name: `map picture of ${name}, largest, gzipped`,
      values: [Math.max(...sizes)],
      unit: 'kB',
      target: { atMost: 40 },
    });
    const tiles = [];
    for (const path of addresses(150)) tiles.push(await ask(`${path}?_colour=${column}`));
    const times = tiles.map(({ milliseconds }) => milliseconds);
    report({
      name: `tiles of ${name}, 95 of 100 within`,
      values: [percentile(times, 0.95)],
      unit: 'ms',
      target: { atMost: 100 },
    });
    const largest = Math.max(...tiles.map(({ kilobytes }) => kilobytes));
    report({ name: `tiles of ${name}, largest, gzipped`, values: [largest], unit: 'kB', target: { atMost: 200 } });
  }
} finally {
  await server.close();
  rmSync(root, { recursive: true, force: true });
}
