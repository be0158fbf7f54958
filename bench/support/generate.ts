/** Catalogues of any size, the same each time: for measuring. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slugify } from '../../src/catalogue/slug.ts';

/** Words in the labels, descriptions and keywords. */
export const searchedWords =
  'street tree park river lake road school noise flood zone census parcel stop boundary survey'.split(' ');

/** Numbers from a seed (mulberry32): benchmarks compare runs, so each run has the same catalogue. */
function numbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Path and text of a file. */
type GeneratedFile = readonly [path: string, text: string];

/**
 * Writes a catalogue folder with one and a half versions a dataset, 100 datasets a namespace.
 * @param columnCount of each dataset, besides the geometry
 * @returns the addresses `<namespace>/<dataset>` of its datasets
 */
export function generate(root: string, datasets: number, columnCount = 3): readonly string[] {
  const addresses: string[] = [];
  let folder = '';
  for (const [path, text] of generatedFiles(datasets, columnCount)) {
    if (dirname(path) !== folder) mkdirSync(join(root, dirname(path)), { recursive: true });
    folder = dirname(path);
    writeFileSync(join(root, path), text);
    const [, namespace, , slug, name] = path.split('/');
    if (name === 'dataset.yaml') addresses.push(`${namespace}/${slug}`);
  }
  return addresses;
}

/** The files that `generate` writes. */
export function* generatedFiles(datasets: number, columnCount = 3): Generator<GeneratedFile> {
  const random = numbers(datasets);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const hex = () =>
    Array.from({ length: 8 }, () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
  const id = () => 1 + Math.floor(random() * 2147483646);
  yield ['catalogue.yaml', 'title: A large catalogue\n'];
  for (let i = 0; i < datasets; i++) {
    const home = `namespaces/publisher-${String(Math.floor(i / 100)).padStart(4, '0')}`;
    if (i % 100 === 0)
      yield [`${home}/namespace.yaml`, `id: ${id()}\nlabel: Publisher ${i / 100}\ndescription: Open data.\n`];
    const label = `${pick(searchedWords)} ${pick(searchedWords)} ${i}`;
    const folder = `${home}/datasets/${slugify(label)}`;
    const columns = Array.from({ length: columnCount }, (_, n) => {
      const name = `${['name', 'height', 'year'][n % 3]}${n > 2 ? `_${n}` : ''}`;
      const type = ['string', 'float', 'integer'][n % 3];
      return `  - type: ${type}\n    name: ${name}\n    label: ${name}\n    description: The ${name} of the ${pick(searchedWords)}\n`;
    });
    yield [
      `${folder}/dataset.yaml`,
      `id: ${id()}\nlabel: ${label}\ndescription: Every ${pick(searchedWords)} of the ${pick(searchedWords)}, with its ${pick(searchedWords)}; été ${i}.\n` +
        `keywords:\n  - ${pick(searchedWords)}\n  - ${pick(searchedWords)}-${i % 50}\nlicence: CC-BY-4.0\npublisher: The survey office\n` +
        `columns:\n  - type: geometry\n    name: geometry\n    label: Geometry\n    description: WGS 84 point\n${columns.join('')}`,
    ];
    for (let v = 0; v < 1 + (i % 2); v++) {
      const slug = `${2015 + v}0${1 + (i % 9)}${10 + (i % 18)}1234${String(i % 60).padStart(2, '0')}${String(i % 1000000).padStart(6, '0')}`;
      yield [
        `${folder}/versions/${slug}.yaml`,
        `id: ${id()}\nlabel: "${slug}"\nchecksum: ${hex()}\n` +
          `metadata: ${Buffer.from(JSON.stringify({ rows: i, source: label })).toString('base64')}\n` +
          `ready: true\nrows: ${i}\nfile:\n  url: https://data.example/${slug}.geojson\n  format: geojson\n  media_type: application/geo+json\n  size: ${1000 + i}\n`,
      ];
    }
  }
}
