/** Catalogues of DCAT in pages: each document names the next one in the Hydra vocabulary. Source: https://www.hydra-cg.com/spec/latest/core/ */
import type { Quad } from 'n3';
import { readDcatGraph } from './dcat-rdf.ts';
import { type Documents, type OpenDocument, readDocumentText } from './documents.ts';
import { incompleteList, type SourceItem } from './imported.ts';
import { endlessPages, maxListPages } from './list-pages.ts';
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
 * @throws ValidationError for a link that is not followed, and for pages that never end
 */
export async function* readDcatPages(
  first: OpenDocument,
  { documents, folder, listed, found }: PageReading,
): AsyncGenerator<SourceItem, void, undefined> {
  const seen = new Set<string>();
  /** Identifiers of datasets on earlier pages: one may move to a later page meanwhile. */
  const earlier = new Set<string>();
  let document = first;
  for (let count = 1; count <= maxListPages; count++) {
    const { address } = document;
    seen.add(address);
    const quads = await readQuads(await readDocumentText(document), address, documents);
    const total = Number(firstValue(quads, `${hydra}totalItems`)) || 0;
    if (total && count === 1) yield { total };
    const ids: string[] = [];
    for (const item of readDcatGraph(quads)) {
      if (('total' in item && total) || ('dataset' in item && earlier.has(item.dataset.id))) continue;
      if ('dataset' in item) ids.push(item.dataset.id);
      yield item;
    }
    for (const id of ids) earlier.add(id);
    const href = firstValue(quads, `${hydra}next`, `${hydra}nextPage`);
    if (folder !== null) {
      for (const { subject, predicate } of quads) if (predicate.value.startsWith(hydra)) found.add(subject.value);
      if (href) listed.set(href, incompleteList(href, 'a document names it as its next page, but it is in no file'));
      return;
    }
    const next = href && nextPageRequest({ links: [{ rel: 'next', href }] }, { address }, { address })?.address;
    if (!next || seen.has(next)) return;
    seen.add(next);
    document = await documents.open(next, { accept: acceptRdf });
  }
  throw endlessPages(first.address);
}
