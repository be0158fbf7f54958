/**
 * Makes the files that the benchmarks of `src/data` read: points spread over the land-like parts of a map, with the
 * same seed the same bytes. Run it alone to have them made:
 *
 *     node --import tsx bench/data/make-points.ts [rows=1000000] [folder]
 */
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kinds = ['school', 'library', 'museum', 'park', 'café', 'pharmacy', 'bus stop', 'tree', 'fountain', 'bench'];

/** Uniform numbers in [0, 1) from a seed (mulberry32, public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Point {
  id: number;
  lon: string;
  lat: string;
  kind: string;
  name: string;
  code: string;
  height: string;
  visitors: number;
  opened: string;
  free: boolean;
}

function* points(rows: number): Generator<Point> {
  const random = randomFrom(1);
  for (let id = 1; id <= rows; id++) {
    yield {
      id,
      lon: (random() * 360 - 180).toFixed(6),
      lat: (random() * 170 - 85).toFixed(6),
      kind: kinds[Math.floor(random() * kinds.length)] ?? '',
      name: `Place number ${id} of district ${Math.floor(random() * 500)}`,
      code: String(Math.floor(random() * 100_000)).padStart(5, '0'),
      height: (random() * 900).toFixed(2),
      visitors: Math.floor(random() * 100_000),
      opened: `${1900 + Math.floor(random() * 120)}-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}`,
      free: random() < 0.5,
    };
  }
}

const asFeature = (p: Point): string =>
  `{"type":"Feature","id":${p.id},"properties":{"kind":"${p.kind}","name":"${p.name}","code":"${p.code}","height":${p.height},"visitors":${p.visitors},"opened":"${p.opened}","free":${p.free}},"geometry":{"type":"Point","coordinates":[${p.lon},${p.lat}]}}`;

const asLine = (p: Point): string =>
  `${p.id},${p.kind},${p.name},${p.code},${p.height},${p.visitors},${p.opened},${p.free},${p.lon},${p.lat}\n`;

async function write(
  path: string,
  rows: number,
  head: string,
  item: (p: Point, first: boolean) => string,
  tail: string,
) {
  if (existsSync(path)) return;
  const out = createWriteStream(`${path}.part`);
  let text = head;
  for (const point of points(rows)) {
    text += item(point, point.id === 1);
    if (text.length > 1 << 20) {
      if (!out.write(text)) await once(out, 'drain');
      text = '';
    }
  }
  out.end(text + tail);
  await once(out, 'close');
  renameSync(`${path}.part`, path);
}

/** Makes `points-<rows>.geojson` and `.csv` where they are missing, and says where they are. */
export async function makePoints(
  rows = 1_000_000,
  folder = join(tmpdir(), 'catalogue-bench'),
): Promise<{ geojson: string; csv: string }> {
  mkdirSync(folder, { recursive: true });
  const geojson = join(folder, `points-${rows}.geojson`);
  const csv = join(folder, `points-${rows}.csv`);
  const head = '{"type":"FeatureCollection","name":"points","features":[\n';
  await write(geojson, rows, head, (p, first) => (first ? '' : ',\n') + asFeature(p), '\n]}\n');
  await write(csv, rows, 'id,kind,name,code,height,visitors,opened,free,longitude,latitude\n', asLine, '');
  return { geojson, csv };
}

if (process.argv[1]?.endsWith('make-points.ts')) {
  console.log(await makePoints(Number(process.argv[2] ?? 1_000_000), process.argv[3]));
}
