/** Exports the catalogue of a folder as static files: a loop over the addresses of its site, answered by the server's own app. */
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { ConflictError, ValidationError } from '../catalogue/errors.ts';
import { anonymous } from '../catalogue/permissions.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { withLock } from '../disk/lock.ts';
import { openFileCatalogue } from '../files/file-catalogue.ts';
import { createApp } from '../server/app.ts';
import { ExportFolder } from './export-folder.ts';
import type { ExportOptions, ExportResult } from './export-options.ts';
import { Exporter } from './exporter.ts';

/**
 * Exports the public part of a catalogue.
 * @throws ValidationError without an address; ConflictError if the folder is of others; UnavailableError (the disk is full);
 *   the signal's reason
 */
export async function exportCatalogue(options: ExportOptions): Promise<ExportResult> {
  const { folder, to } = options;
  if (`${resolve(to)}/`.startsWith(`${resolve(folder)}/`))
    throw new ConflictError('The export must not lie in the catalogue folder itself. Name another place.');
  const workers = new WorkerPool();
  // What is exported lies in the export: a second copy of it would drive out of the cache what a server needs.
  const files = await openFileCatalogue(folder, {
    cache: true,
    keepFormats: false,
    patience: Number.POSITIVE_INFINITY,
    workers,
  });
  try {
    await files.load();
    const catalogue = files.for(anonymous);
    const url = (options.url ?? catalogue.settings.base_url).replace(/\/+$/, '');
    if (!url)
      throw new ValidationError({
        url: [
          'Links in the files need the address at which they will be served: --url https://data.example.org, or base_url in catalogue.yaml.',
        ],
      });
    const listener = createApp((viewer) => files.for(viewer), {
      baseUrl: url,
      staticExport: { today: await dayOfNewestVersion(catalogue) },
      sitemapLimit: options.sitemapLimit,
      work: unlimitedWork,
    });
    return await withLock(folder, `export ${resolve(to)}`, () =>
      new Exporter(
        catalogue,
        listener,
        url,
        new ExportFolder(to, { mayReplace: options.force ?? false, gzip: options.gzip ?? false }),
        options,
      ).run(),
    );
  } finally {
    await files.close();
    await workers.close();
  }
}

const unlimitedWork = { capacity: Number.POSITIVE_INFINITY };

/** A day that is the same wherever and whenever the files are made. */
async function dayOfNewestVersion(catalogue: Catalogue): Promise<string> {
  const { items } = await catalogue.list('version', { pageSize: 1 });
  return (items[0]?.datetime ?? '1970-01-01').slice(0, 10);
}
