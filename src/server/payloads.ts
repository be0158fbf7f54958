/** Payloads and media: files that are sent as they are stored. */
import contentDisposition from 'content-disposition';
import { formerSlugs } from '../catalogue/aliases.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { datasetRefOf, type VersionRef } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import { baseUrlPath, downloadFileName, downloadFileNames } from '../catalogue/urls.ts';
import { renderDownloadPage } from '../pages/download.tsx';
import { datasetUrl } from './documents.ts';
import { encodedEtag, etagMatches } from './etags.ts';
import { cacheControlOfVersion, reprDigest } from './headers.ts';
import { datasetLicenceUrl, formatLinkHeader } from './link-header.ts';
import { moved } from './redirects.ts';
import { type Params, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { sendStoredBytes } from './stored-bytes.ts';

/**
 * A version's payload, byte for byte, at its download address. The name of the file may be at the end, for programs that
 * take it from there. One by a former name of the dataset leads to the present one.
 */
export async function downloadHandler(request: RequestContext): Promise<Representation | undefined> {
  const { app, catalogue, ctx, isPage, links, params } = request;
  const ref = refFromRouteParams('version', params);
  // Opening the payload fails with the reason.
  const version = await catalogue.get<'version'>(ref).catch((error) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  if (version && params.name !== undefined) {
    const names = downloadFileNames(version, params.version === undefined);
    if (!names.includes(params.name)) {
      const present = await presentName(request, version, params.name);
      if (present === undefined) throw new NotFoundError(`The file is called ${names[0]}.`);
      moved(request, ctx.path.replace(/[^/]*$/, encodeURIComponent(present)) + ctx.search);
      return undefined;
    }
  }
  // A file has the name of the payload: at the address without a name is a page that leads to it.
  if (app.staticExport && isPage && version?.ready && params.name === undefined) {
    const name = downloadFileName(version, params.version === undefined);
    const href = version.href || `${baseUrlPath(links.base)}${ctx.path}${encodeURIComponent(name)}`;
    const page: Representation['page'] = (context) => renderDownloadPage(context, { name, href });
    return { title: name, dependsOn: [], json: () => '{}', page };
  }
  if (version?.ready && version.href) {
    if (!URL.canParse(version.href))
      throw new NotFoundError('The payload is on another server, and its address is not a URL.');
    ctx.redirect(version.href);
    return undefined;
  }
  await sendPayload(request, ref);
  return undefined;
}

/** The present name of a file that is asked for by one which it had before its dataset was renamed. */
async function presentName(
  { catalogue, params }: RequestContext,
  version: Version,
  name: string,
): Promise<string | undefined> {
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(version));
  const namesBy = (slug: string) => downloadFileNames(version, params.version === undefined, slug);
  for (const slug of formerSlugs(dataset)) {
    const index = namesBy(slug).indexOf(name);
    if (index >= 0) return namesBy(version.dataset)[index];
  }
  return undefined;
}

/** Sends the payload of a version. */
export async function sendPayload(
  { app, catalogue, viewer, ctx, links, params }: RequestContext,
  ref: VersionRef,
): Promise<void> {
  const payload = await catalogue.payload(ref);
  const disposition = contentDisposition(payload.fileName);
  const { checksum } = payload.version;
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(payload.version));
  const collection = datasetUrl(dataset, links);
  const license = datasetLicenceUrl(dataset, catalogue.settings);
  const tag = checksum || `${payload.size}-${payload.modified.getTime()}`;
  const isKnown = etagMatches(ctx.get('If-None-Match'), encodedEtag(tag, 'identity'));
  const isHere = app.staticExport || ctx.method !== 'GET' || isKnown || ctx.get('If-Match');
  const address = isHere ? null : await payload.address?.(disposition);
  if (address) {
    ctx.status = 307;
    ctx.body = '';
    ctx.remove('Content-Type');
    // The address is for this reader, and valid for minutes.
    ctx.set({ Location: address, 'Cache-Control': 'private, no-store' });
    return;
  }
  await sendStoredBytes(ctx, {
    ...payload,
    ...(payload.open && { stream: payload.open }),
    tag,
    mayBecomeOlder: !namesVersion(params),
    headers: {
      'Content-Disposition': disposition,
      'Cache-Control': cacheControlOfVersion(viewer, namesVersion(params)),
      Link: formatLinkHeader({ license, collection, describedby: `${collection}dcat.jsonld` }),
      ...(checksum && { 'Repr-Digest': reprDigest(checksum) }),
    },
  });
}

/** True if an address names a version: it has the same bytes at any time. That of a saved query has not, whatever version the query names. */
export const namesVersion = ({ version = 'latest' }: Params): boolean => version !== 'latest';

/** A file of site_media/, such as a dataset's thumbnail. */
export async function siteMediaHandler({ catalogue, viewer, ctx, params }: RequestContext): Promise<undefined> {
  const found = await catalogue.media(params.path ?? '');
  await sendStoredBytes(ctx, {
    ...found,
    headers: {
      // The image of a private dataset is for private caches only.
      'Cache-Control': `${viewer.username === null ? 'public' : 'private'}, max-age=300`,
      // An SVG may hold scripts: in a page they never run, and in a tab of its own they must not, either.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    },
  });
}
