/** Exports the catalogue of a folder as static files: a loop over the addresses of its site, answered by the server's own app. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ValidationError } from '../catalogue/errors.ts';
import { anonymous } from '../catalogue/permissions.ts';
import { canonicalBaseUrl } from '../catalogue/urls.ts';
import type { FileCatalogue } from '../files/file-catalogue.ts';
import { DatasetsInThread, leastForThread } from './datasets-in-thread.ts';
import { Fingerprints } from './dependencies.ts';
import { ExportFolder } from './export-folder.ts';
import type { ExportOptions, ExportResult } from './export-options.ts';
import { Exporter, type StartThread } from './exporter.ts';
import type { HiddenFiles } from './hidden-files.ts';
import { withCatalogueForExport } from './open-catalogue.ts';
import { openSite } from './open-site.ts';

/**
 * Exports the public part of a catalogue.
 * @throws ValidationError without an address; ConflictError if the folder is of others; UnavailableError (the disk is full);
 *   the signal's reason
 */
export function exportCatalogue(options: ExportOptions): Promise<ExportResult> {
  const removeHidden = async (hiddenIn: HiddenFiles) => {
    const written = new ExportFolder(options.to, folderOptionsOf(options));
    try {
      written.removeHidden(hiddenIn);
      return written.removed;
    } finally {
      written.close();
    }
  };
  const work = (files: FileCatalogue, signal: AbortSignal) => exportSite(files, { ...options, signal });
  return withCatalogueForExport(options.folder, resolve(options.to), options, work, removeHidden);
}

const folderOptionsOf = ({ force: mayReplace = false, gzip = false }: ExportOptions) => ({ mayReplace, gzip });

async function exportSite(files: FileCatalogue, options: ExportOptions): Promise<ExportResult> {
  const { to, sitemapLimit } = options;
  const url = canonicalBaseUrl(options.url ?? files.for(anonymous).settings.base_url);
  if (!url)
    throw new ValidationError({
      url: [
        'Links in the files need the address at which they will be served: --url https://data.example.org, or base_url in catalogue.yaml.',
      ],
    });
  const { catalogue, responses, filterings } = await openSite(files, url, sitemapLimit);
  const folderOptions = folderOptionsOf(options);
  const startThread: StartThread = (records, count) =>
    count >= leastForThread && availableParallelism() > 1
      ? new DatasetsInThread({
          ...{ catalogue: files.root, url, to, options: folderOptions },
          records: new Fingerprints(null).ofSite(catalogue.settings, records),
        })
      : undefined;
  const written = new ExportFolder(to, folderOptions);
  const exporter = new Exporter(catalogue, responses, url, written, filterings, options, startThread);
  return exporter.run();
}
