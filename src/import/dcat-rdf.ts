/** DCAT and DCAT-AP in Turtle, N-Triples, N-Quads, TriG, JSON-LD and RDF/XML: each dcat:Dataset is a dataset. Source: https://www.w3.org/TR/vocab-dcat-3/ */
import type { Quad, Term } from 'n3';
import { importedDataset, type SourceItem, skip } from './imported.ts';
import { findImportedLicence } from './licence.ts';

const dcat = 'http://www.w3.org/ns/dcat#';
const dct = 'http://purl.org/dc/terms/';
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const foaf = 'http://xmlns.com/foaf/0.1/';
const vcard = 'http://www.w3.org/2006/vcard/ns#';
const skos = 'http://www.w3.org/2004/02/skos/core#';
const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';

type Properties = ReadonlyMap<string, readonly Term[]>;

/** Properties of subjects. */
class Graph {
  readonly #subjects = new Map<string, Map<string, Term[]>>();

  add({ subject, predicate, object }: Quad): void {
    const key = `${subject.termType} ${subject.value}`;
    const properties = this.#subjects.get(key) ?? new Map<string, Term[]>();
    this.#subjects.set(key, properties);
    const values = properties.get(predicate.value);
    if (values) values.push(object);
    else properties.set(predicate.value, [object]);
  }

  *ofType(type: string): Generator<readonly [id: string, properties: Properties], void, undefined> {
    for (const [key, properties] of this.#subjects)
      if (properties.get(rdfType)?.some(({ value }) => value === type)) yield [key, properties];
  }

  /** Properties of a node; undefined if the document has none. */
  node({ termType, value }: Term): Properties | undefined {
    return this.#subjects.get(`${termType} ${value}`);
  }

  /** Properties of the nodes that a property leads to. */
  nodes(properties: Properties, predicate: string): readonly Properties[] {
    return (properties.get(predicate) ?? []).flatMap((term) => this.node(term) ?? []);
  }
}

const valuesOf = (properties: Properties | undefined, ...predicates: readonly string[]): readonly string[] =>
  predicates.flatMap((predicate) => properties?.get(predicate) ?? []).map(({ value }) => value);

/** Texts in the first language that the source has: of several languages, English before others. */
function textIn(properties: Properties | undefined, predicate: string): string {
  const terms = properties?.get(predicate) ?? [];
  const english = terms.find((term) => 'language' in term && /^en\b/i.test(String(term.language)));
  return (english ?? terms[0])?.value ?? '';
}

/** The last part of an IRI of a format or a media type: `CSV` of an authority table, `text/csv` of IANA. */
const formatOf = (values: readonly string[]): string =>
  values.map((value) => /\/media-types\/(\S+)$/.exec(value)?.[1] ?? value.split(/[/#]/).at(-1) ?? '')[0] ?? '';

/** Access rights say who may read, and not under which licence. */
const isAccessRight = ({ value }: Term): boolean => /\/authority\/access-right\//.test(value);

/** What a property of these parts says of a licence: texts, IRIs, and of nodes their identifiers and titles. */
const licencesOf = (graph: Graph, parts: readonly Properties[], predicate: string): readonly string[] =>
  parts
    .flatMap((part) => part.get(predicate) ?? [])
    .filter((term) => !isAccessRight(term))
    .flatMap((term) => {
      const node = graph.node(term);
      return [
        ...valuesOf(node, `${dct}identifier`, `${skos}exactMatch`),
        ...(term.termType === 'BlankNode' ? [] : [term.value]),
        ...[`${dct}title`, `${skos}prefLabel`, `${rdfs}label`].map((property) => textIn(node, property)),
      ];
    });

/** The page about a dataset. Catalogues like ours have the page of their record as the landing page, and the dataset's own as `foaf:page`. */
function homepageOf(one: Properties, iri: string): string {
  const [landing = iri] = valuesOf(one, `${dcat}landingPage`);
  const isOfRecord = landing.replace(/[?#].*/, '') === iri;
  return (isOfRecord && valuesOf(one, `${foaf}page`)[0]) || landing;
}

export function* readDcatGraph(quads: Iterable<Quad>): Generator<SourceItem, void, undefined> {
  const graph = new Graph();
  for (const quad of quads) graph.add(quad);
  const datasets = [...graph.ofType(`${dcat}Dataset`)];
  yield { total: datasets.length };
  for (const [key, one] of datasets) {
    const isNamed = key.startsWith('NamedNode ');
    const iri = isNamed ? key.slice('NamedNode '.length) : '';
    const id = iri || valuesOf(one, `${dct}identifier`)[0];
    if (!id) {
      yield skip(textIn(one, `${dct}title`), 'it has no identifier: a blank node without dct:identifier');
      continue;
    }
    const distributions = graph.nodes(one, `${dcat}distribution`);
    const [publisher] = graph.nodes(one, `${dct}publisher`);
    const [contact] = graph.nodes(one, `${dcat}contactPoint`);
    const parts = [one, ...distributions];
    const licences = licencesOf(graph, parts, `${dct}license`);
    yield importedDataset({
      id,
      label: textIn(one, `${dct}title`),
      description: textIn(one, `${dct}description`),
      keywords: valuesOf(one, `${dcat}keyword`),
      licence: findImportedLicence(licences) ? licences : licencesOf(graph, parts, `${dct}rights`),
      homepage: homepageOf(one, iri),
      publisher: textIn(publisher, `${foaf}name`) || textIn(publisher, `${dct}title`),
      issued: valuesOf(one, `${dct}issued`)[0],
      modified: valuesOf(one, `${dct}modified`)[0],
      contact: valuesOf(contact, `${vcard}hasEmail`, `${vcard}hasURL`),
      links: distributions.flatMap((part) => {
        const label = textIn(part, `${dct}title`) || formatOf(valuesOf(part, `${dct}format`));
        const mediaType = formatOf(valuesOf(part, `${dcat}mediaType`));
        const format = formatOf(valuesOf(part, `${dct}format`));
        const downloads = valuesOf(part, `${dcat}downloadURL`);
        const pages = valuesOf(part, `${dcat}accessURL`).filter((url) => !downloads.includes(url));
        return [
          ...downloads.map((url) => ({
            address: url,
            label,
            format: format.includes('/') ? '' : format,
            mediaType,
            isFile: true,
          })),
          ...pages.map((url) => ({ address: url, label, format: format.includes('/') ? '' : format, mediaType })),
        ];
      }),
    });
  }
}
