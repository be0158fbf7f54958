/** A catalogue of one dataset, `bench/points`, for benchmarks of its rows. */
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makePoints } from './make-points.ts';

/** Publishes points as the dataset `bench/points` of a new catalogue in a folder. */
export async function publishPoints(root: string, rows?: number): Promise<void> {
  const { geojson } = await makePoints(rows);
  writeFileSync(join(root, 'catalogue.yaml'), 'title: Benchmark\n');
  const files = await openFileCatalogue(root);
  const catalogue = files.for();
  await catalogue.create('namespace', { label: 'Bench', slug: 'bench' });
  await catalogue.create('dataset', { label: 'Points', slug: 'points', namespace: 'bench' });
  const ref = { kind: 'dataset', namespace: 'bench', slug: 'points' } as const;
  await catalogue.publish(ref, { source: createReadStream(geojson), fileName: 'points.geojson' });
  await files.close();
}
