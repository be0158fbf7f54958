/** Exports the catalogue of a folder as static files: a loop over the addresses of its site, answered by the server's own app. */
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { anonymous } from '../catalogue/permissions.ts';
import type { FileCatalogue } from '../files/file-catalogue.ts';
import { createApp } from '../server/app.ts';
import { ExportFolder } from './export-folder.ts';
import type { ExportOptions, ExportResult } from './export-options.ts';
import { Exporter } from './exporter.ts';
import { withCatalogueForExport } from './open-catalogue.ts';
import { Responses } from './responses.ts';
import { RowFilterings } from './row-filtering.ts';
import { fileOfPath } from './site-addresses.ts';

/**
 * Exports the public part of a catalogue.
 * @throws ValidationError without an address; ConflictError if the folder is of others; UnavailableError (the disk is full);
 *   the signal's reason
 */
export const exportCatalogue = (options: ExportOptions): Promise<ExportResult> =>
  withCatalogueForExport(options.folder, resolve(options.to), (files) => exportSite(files, options));

async function exportSite(files: FileCatalogue, options: ExportOptions): Promise<ExportResult> {
  const { to, force = false, gzip = false } = options;
  const catalogue = files.for(anonymous);
  const url = (options.url ?? catalogue.settings.base_url).replace(/\/+$/, '');
  if (!url)
    throw new ValidationError({
      url: [
        'Links in the files need the address at which they will be served: --url https://data.example.org, or base_url in catalogue.yaml.',
      ],
    });
  const filterings = new RowFilterings();
  const today = await dayOfNewestVersion(catalogue);
  const staticExport = { today, filteringOf: filterings.of, hasFile: (path: string) => fileOfPath(path) !== null };
  const responses = new Responses((onError) =>
    createApp((viewer) => files.for(viewer), {
      baseUrl: url,
      staticExport,
      sitemapLimit: options.sitemapLimit,
      work: { capacity: Number.POSITIVE_INFINITY },
      onError,
    }),
  );
  const written = new ExportFolder(to, { mayReplace: force, gzip });
  return new Exporter(catalogue, responses, url, written, filterings, options).run();
}

/** A day that is the same wherever and whenever the files are made. */
async function dayOfNewestVersion(catalogue: Catalogue): Promise<string> {
  const { items } = await catalogue.list('version', { pageSize: 1 });
  return (items[0]?.datetime ?? '1970-01-01').slice(0, 10);
}
