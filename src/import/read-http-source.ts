/** Reading a source on a server: its address says what it is, else its answer, else the places where portals have their catalogues. */
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { ckanPortalOf, isCkanAnswer, readCkanPortal, readCkanSearch } from './ckan.ts';
import { acceptRdf } from './dcat-pages.ts';
import {
  type Detected,
  detectSourceFormat,
  detectSourceFormatAs,
  hiddenFormats,
  isInFormat,
  reasonForOtherFormat,
  type SourceFormat,
} from './detect.ts';
import { type Documents, type OpenDocument, readJsonDocument } from './documents.ts';
import type { SourceItem } from './imported.ts';
import { findMissingPackages, type Reading, readDetected, unknownFormat } from './read-source.ts';

/** @throws NotFoundError, UnreachableError, ValidationError if nothing is known there */
export async function* readHttpSource(url: string, reading: Reading): AsyncGenerator<SourceItem, void, undefined> {
  const { documents, format } = reading;
  const portal = ckanPortalOf(url) || (/^(https?:\/\/.*?)\/api\/3\/?$/.exec(url)?.[1] ?? '');
  if (format === 'ckan' || portal) {
    if (/\/package_show\b/.test(url)) yield* readOne(url, reading);
    else if (/\/package_search(?:[/?#]|$)/.test(url)) yield* readCkanSearch(documents, url);
    else yield* readCkanPortal(documents, portal || url.replace(/\/+$/, ''));
    return;
  }
  yield* readOne(url, reading);
}

/** Formats that a document may have without showing it, and those whose readers ask the server for more. */
const believed: readonly SourceFormat[] = [...hiddenFormats, 'ogc', 'wfs', 'catalogue'];

async function* readOne(url: string, reading: Reading): AsyncGenerator<SourceItem, void, undefined> {
  const { documents, format } = reading;
  const document = await documents.open(url, { accept: acceptFor(format) });
  const detected = await detectSourceFormatAs(document, format, believed);
  if (detected.format === 'html' || detected.format === null) {
    const found = await findPortal(documents, url);
    if (found === 'ckan' && (format ?? 'ckan') === 'ckan') yield* readCkanPortal(documents, url.replace(/\/+$/, ''));
    else if (found && found !== 'ckan' && (!format || isInFormat(found.detected, format)))
      yield* readDetected(found.document, found.detected, reading);
    else {
      const what =
        document.size === 0
          ? 'the answer is empty'
          : detected.format === 'html'
            ? 'it is an HTML page, without a catalogue where portals have it'
            : format
              ? reasonForOtherFormat(detected, format)
              : unknownFormat;
      const remedy = `${format ? 'Leave out' : 'Say the format with'} --format, or give the address of the catalogue's document`;
      throw new ValidationError({ source: [`${url}: ${what}. ${remedy}.`] });
    }
    return;
  }
  if (format && !isInFormat(detected, format))
    throw new ValidationError({ source: [`${url}: ${reasonForOtherFormat(detected, format)}. Leave out --format.`] });
  yield* readDetected(document, detected, reading);
  yield* findMissingPackages(url, reading);
}

const acceptFor = (format: SourceFormat | undefined): string =>
  format === 'wfs'
    ? 'application/xml, text/xml'
    : format === 'dcat'
      ? acceptRdf
      : 'application/json, text/turtle;q=0.8, application/ld+json;q=0.7, application/rdf+xml;q=0.6, */*;q=0.1';

/** A document in a format that is known. */
interface Found {
  readonly document: OpenDocument;
  readonly detected: Detected;
}

/** The root of the API in a static export, beside its home page and in its folder `api/v1`. */
const exportRoot = 'index.json';

/** Looks where portals have their catalogues, if the address is that of a page for people. */
async function findPortal(documents: Documents, url: string): Promise<'ckan' | Found | null> {
  const base = url.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const answer = await readJsonDocument(documents, `${base}/api/3/action/package_search?rows=0`).catch(ignoreMissing);
  if (isCkanAnswer(answer)) return 'ckan';
  const open = async (path: string): Promise<Found | null> => {
    const document = await documents.open(`${base}/${path}`, { accept: 'application/json' }).catch(ignoreMissing);
    const detected = document && (await detectSourceFormat(document).catch(ignoreMissing));
    return detected && detected.format !== null && detected.format !== 'html' ? { document, detected } : null;
  };
  for (const path of ['data.json', 'api/v1/', 'catalog.json', 'datapackage.json', exportRoot]) {
    const found = await open(path);
    if (!found) continue;
    // The data.json of an export of this program has less than its API, and only some of the datasets.
    const root = path === 'data.json' ? await open(exportRoot) : null;
    return root?.detected.format === 'catalogue' ? root : found;
  }
  return null;
}

function ignoreMissing(error: unknown): null {
  if (error instanceof NotFoundError || error instanceof ValidationError) return null;
  throw error;
}
