/** Catalogues of datasets with small tables, the same each time: nine of ten have a map. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatedFiles } from './generate.ts';

/** Writes a catalogue folder in which each dataset has one version with three to six rows. @returns paths of the datasets' records */
export function generateWithRows(root: string, datasets: number): readonly string[] {
  const records: string[] = [];
  let folder = '';
  const write = (path: string, text: string) => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of generatedFiles(datasets)) {
    const [, home, slug] = /^(.*)\/versions\/(.*)\.yaml$/.exec(path) ?? [];
    if (path.endsWith('dataset.yaml')) records.push(path);
    if (home === undefined || slug === undefined) {
      write(path, text);
      continue;
    }
    if (home === folder) continue;
    folder = home;
    const { payload, rows, format, mediaType } = table(records.length);
    const name = `${slug}.${format}`;
    write(`${home}/data/${name}`, payload);
    const checksum = createHash('sha256').update(payload).digest('hex');
    const file = `file:\n  name: ${name}\n  format: ${format}\n  media_type: ${mediaType}\n  size: ${Buffer.byteLength(payload)}\n`;
    const lines = text.split('\n').filter((line) => /^(id|label|ready)/.test(line));
    write(path, `${lines.join('\n')}\nchecksum: ${checksum}\nrows: ${rows}\n${file}`);
  }
  return records;
}

/** The payload of a dataset by its number. */
function table(number: number) {
  const rows = Array.from({ length: 3 + (number % 4) }, (_, row) => ({
    name: `Item ${number}-${row}`,
    height: ((number * 7 + row * 13) % 300) / 10,
    year: 1990 + ((number + row) % 30),
  }));
  if (number % 10 === 0) {
    const lines = rows.map((row) => Object.values(row).join(','));
    const payload = `name,height,year\n${lines.join('\n')}\n`;
    return { payload, rows: rows.length, format: 'csv', mediaType: 'text/csv' };
  }
  const features = rows.map((properties, row) => {
    const coordinates = [((number * 37 + row) % 3600) / 10 - 180, ((number * 17 + row * 3) % 1600) / 10 - 80];
    return { type: 'Feature', properties, geometry: { type: 'Point', coordinates } };
  });
  const payload = JSON.stringify({ type: 'FeatureCollection', features });
  return { payload, rows: rows.length, format: 'geojson', mediaType: 'application/geo+json' };
}
