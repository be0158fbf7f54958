/** The site of a catalogue, as an export asks for it: the server's own app, as everybody sees it. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { anonymous } from '../catalogue/permissions.ts';
import type { FileCatalogue } from '../files/file-catalogue.ts';
import { createApp } from '../server/app.ts';
import { Responses } from './responses.ts';
import { RowFilterings } from './row-filtering.ts';
import { fileOfPath } from './site-addresses.ts';

export interface Site {
  readonly catalogue: Catalogue;
  readonly responses: Responses;
  readonly filterings: RowFilterings;
}

/** @param url at which the site will be served, without a slash at its end */
export async function openSite(files: FileCatalogue, url: string, sitemapLimit?: number): Promise<Site> {
  const catalogue = files.for(anonymous);
  const filterings = new RowFilterings();
  const today = await dayOfNewestVersion(catalogue);
  const staticExport = { today, filteringOf: filterings.of, hasFile: (path: string) => fileOfPath(path) !== null };
  const responses = new Responses((onError) =>
    createApp((viewer) => files.for(viewer), {
      baseUrl: url,
      staticExport,
      sitemapLimit,
      work: { capacity: Number.POSITIVE_INFINITY },
      onError,
    }),
  );
  return { catalogue, responses, filterings };
}

/** A day that is the same wherever and whenever the files are made. */
async function dayOfNewestVersion(catalogue: Catalogue): Promise<string> {
  const { items } = await catalogue.list('version', { pageSize: 1 });
  return (items[0]?.datetime ?? '1970-01-01').slice(0, 10);
}
