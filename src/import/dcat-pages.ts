/** Catalogues of DCAT in pages: each document names the next one in the Hydra vocabulary. Source: https://www.hydra-cg.com/spec/latest/core/ */
import type { Quad } from 'n3';
import { ValidationError } from '../catalogue/errors.ts';
import { readDcatGraph } from './dcat-rdf.ts';
import { type Documents, type OpenDocument, readDocumentText } from './documents.ts';
import { incompleteList, type SourceItem } from './imported.ts';
import { endlessPages, ListCount, maxListPages } from './list-pages.ts';
import { nextPageRequest } from './next-page.ts';
import { readQuads } from './rdf-documents.ts';

/** The types of RDF that are asked for. */
export const acceptRdf =
  'text/turtle, application/n-triples;q=0.9, application/ld+json;q=0.8, application/rdf+xml;q=0.7';

const hydra = 'http://www.w3.org/ns/hydra/core#';

interface PageReading {
  readonly documents: Documents;
  /** Folder of a local source; null for a server. */
  readonly folder: string | null;
  /** Pages that a local source should have, with the item for one that it lacks. */
  readonly listed: Map<string, SourceItem>;
  /** Addresses of pages that it has. */
  readonly found: Set<string>;
}

/** The first value of these properties, of any subject; '' if they have none. */
const firstValue = (quads: readonly Quad[], ...properties: readonly string[]): string =>
  quads.find(({ predicate }) => properties.includes(predicate.value))?.object.value ?? '';

/**
 * The datasets of a document, and of the pages behind it, each once. Pages of a local document are files of the source, too.
 * @throws ValidationError for a link that is not followed, for a page without statements, and for pages that never end
 */
export async function* readDcatPages(
  first: OpenDocument,
  { documents, folder, listed, found }: PageReading,
): AsyncGenerator<SourceItem, void, undefined> {
  const seen = new Set<string>();
  const read = new ListCount();
  let document = first;
  for (let count = 1; count <= maxListPages; count++) {
    const { address } = document;
    seen.add(address);
    const quads = await readQuads(await readDocumentText(document), address, documents);
    // A message of the server may be JSON, too.
    if (quads.length === 0 && folder === null)
      throw new ValidationError({ source: [`${address} is no DCAT: it has no statements of RDF.`] });
    const total = Number(firstValue(quads, `${hydra}totalItems`)) || 0;
    if (total && count === 1) yield { total };
    if (total) read.total = total;
    for (const item of readDcatGraph(quads)) if (!('total' in item && total) && read.add(item, address)) yield item;
    const href = firstValue(quads, `${hydra}next`, `${hydra}nextPage`);
    if (folder !== null) {
      for (const { subject, predicate } of quads) if (predicate.value.startsWith(hydra)) found.add(subject.value);
      if (href) listed.set(href, incompleteList(href, 'a document names it as its next page, but it is in no file'));
      return;
    }
    const next = href && nextPageRequest({ links: [{ rel: 'next', href }] }, { address }, { address })?.address;
    if (!next || seen.has(next)) {
      yield* read.missing(first.address, Boolean(next));
      return;
    }
    seen.add(next);
    document = await documents.open(next, { accept: acceptRdf });
  }
  throw endlessPages(first.address);
}
