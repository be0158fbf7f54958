/** OGC API - Features (Part 1) and WFS: each collection, or feature type, is a dataset. Features are brought as GeoJSON. */
import { Parser } from 'htmlparser2';
import { ValidationError } from '../catalogue/errors.ts';
import type { Documents } from './documents.ts';
import { httpUrl, importedDataset, listOf, membersOf, type SourceItem, skip, textOf } from './imported.ts';
import { addressOf, linksWith } from './links.ts';
import { readList } from './list-pages.ts';

/** The format of links to features, which are read page by page. */
export const featurePages = 'ogc-features';

/** The collections of a server, from its landing page or from its list of collections; or the one that a document describes. */
export async function* readOgcCollections(
  documents: Documents,
  value: unknown,
  address: string,
): AsyncGenerator<SourceItem, void, undefined> {
  const given = membersOf(value);
  if (isOgcCollection(given)) {
    yield readOgcCollection(given, address);
    return;
  }
  const data = dataLinkOf(given);
  const list = addressOf(data, address, null) ?? `${address.replace(/[?#].*$/, '').replace(/\/+$/, '')}/collections`;
  const first = Array.isArray(given.collections) ? { address, value } : { address: list };
  const next = (page: Readonly<Record<string, unknown>>, base: string) => addressOf(linkWith(page, 'next'), base, null);
  yield* readList(documents, first, {
    key: 'collections',
    totalKey: 'numberMatched',
    next,
    read: (one, base) => readOgcCollection(membersOf(one), base),
  });
}

/** True for a landing page, which only leads to the list of collections. */
export function isOgcLandingPage(value: unknown): boolean {
  const given = membersOf(value);
  return !Array.isArray(given.collections) && !isOgcCollection(given);
}

const isOgcCollection = (given: Readonly<Record<string, unknown>>): boolean =>
  textOf(given.id) !== '' &&
  linkWith(given, 'items') !== undefined &&
  dataLinkOf(given) === undefined &&
  !Array.isArray(given.collections);

/** The link to the list of collections (OGC API - Features 1.0, section 7.2), and its relation in other parts of OGC API. */
const dataLinkOf = (given: Readonly<Record<string, unknown>>): string | undefined =>
  linkWith(given, 'data') ?? linkWith(given, 'http://www.opengis.net/def/rel/ogc/1.0/data');

/** The address of the first link with a relation, JSON before other types. */
function linkWith(one: Readonly<Record<string, unknown>>, rel: string): string | undefined {
  const found = linksWith(one, rel);
  return textOf((found.find(({ type }) => /json/.test(textOf(type))) ?? found[0])?.href) || undefined;
}

/** The address of the page about a collection; '' without one. Descriptions in other media types, such as a schema, don't count. */
function pageOf(one: Readonly<Record<string, unknown>>, base: string): string {
  const links = listOf(one.links).map(membersOf);
  const find = (rel: string, type: RegExp) => links.find((link) => link.rel === rel && type.test(textOf(link.type)));
  const html = ['describedby', 'describes', 'alternate'].map((rel) => find(rel, /^text\/html/)).find(Boolean);
  return httpUrl(addressOf((html ?? find('describedby', /^$/))?.href, base, null));
}

function readOgcCollection(one: Readonly<Record<string, unknown>>, base: string): SourceItem {
  const itemType = textOf(one.itemType) || 'feature';
  if (itemType !== 'feature' && itemType !== 'record')
    return skip(one.id, `its items are of the type "${itemType}", not features`);
  const target = (rel: string) => addressOf(linkWith(one, rel), base, null);
  const items = target('items');
  return importedDataset({
    id: one.id,
    name: one.id,
    label: one.title || one.id,
    description: one.description,
    keywords: listOf(one.keywords),
    licence: [one.license, ...linksWith(one, 'license').flatMap(({ href, title }) => [href, title])],
    homepage: httpUrl(target('canonical')) || pageOf(one, base) || httpUrl(target('self')),
    publisher: one.attribution,
    links: items
      ? [{ address: items, label: 'Features', format: featurePages, mediaType: 'application/geo+json', isFile: true }]
      : [],
  });
}

/** Formats of WFS answers in JSON. */
const jsonFormat = /json/i;

/**
 * The feature types of a WFS, from its capabilities. A type is brought as GeoJSON if the server can write it.
 * @param text the capabilities, of which no entities are expanded
 * @param address of the capabilities
 * @throws ValidationError for another document, and for one that breaks off
 */
export function* readWfsCapabilities(text: string, address: string): Generator<SourceItem, void, undefined> {
  const { types, formats, licence, provider, contact, isComplete } = parseCapabilities(text);
  // Types that it lacks would be missing.
  if (!isComplete)
    throw new ValidationError({ source: [`${address} is no WFS_Capabilities, or it breaks off before its end.`] });
  const format = formats.find((one) => /geo\+?json/i.test(one)) ?? formats.find((one) => jsonFormat.test(one));
  yield { total: types.length };
  for (const { name, title, abstract, keywords } of types) {
    const url = new URL(address);
    for (const key of [...url.searchParams.keys()])
      if (/^(?:request|service|version|typenames?)$/i.test(key)) url.searchParams.delete(key);
    for (const [key, value] of Object.entries({
      service: 'WFS',
      version: '2.0.0',
      request: 'GetFeature',
      typeNames: name,
      srsName: 'EPSG:4326',
    }))
      url.searchParams.set(key, value);
    if (format) url.searchParams.set('outputFormat', format);
    yield importedDataset({
      id: name,
      name: name.split(':').at(-1),
      label: title || name,
      description: abstract,
      keywords,
      licence: [licence],
      publisher: provider,
      contact: [contact],
      links: [
        format
          ? { address: url.href, label: 'Features', format: 'geojson', mediaType: 'application/geo+json', isFile: true }
          : { address: url.href, label: 'Features in GML, for: ogr2ogr', format: 'gml', isFile: true },
      ],
    });
  }
}

interface FeatureType {
  name: string;
  title: string;
  abstract: string;
  readonly keywords: string[];
}

function parseCapabilities(text: string) {
  const types: FeatureType[] = [];
  const formats = new Set<string>();
  const path: string[] = [];
  const found = { licence: '', provider: '', contact: '' };
  let isComplete = false;
  let value = '';
  let operation = '';
  let parameter = '';
  const parser = new Parser(
    {
      onopentag(given, attributes) {
        const name = given.split(':').at(-1) ?? '';
        path.push(name);
        value = '';
        if (name === 'FeatureType') types.push({ name: '', title: '', abstract: '', keywords: [] });
        if (name === 'Operation') operation = attributes.name ?? '';
        if (name === 'Parameter') parameter = attributes.name ?? '';
      },
      ontext(part) {
        value += part;
      },
      onclosetag(_, isImplied) {
        const name = path.pop() ?? '';
        if (path.length === 0 && name === 'WFS_Capabilities') isComplete = !isImplied;
        const content = value.trim();
        value = '';
        const type = types.at(-1);
        if (path.includes('FeatureType') && type) {
          if (name === 'Name' && path.at(-1) === 'FeatureType') type.name = content;
          else if (name === 'Title' && path.at(-1) === 'FeatureType') type.title = content;
          else if (name === 'Abstract' && path.at(-1) === 'FeatureType') type.abstract = content;
          else if (name === 'Keyword') type.keywords.push(content);
          else if (name === 'Format') formats.add(content);
        } else if (name === 'Value' && operation === 'GetFeature' && /outputFormat/i.test(parameter))
          formats.add(content);
        else if (name === 'AccessConstraints' || (name === 'Fees' && !found.licence)) found.licence = content;
        else if (name === 'ProviderName') found.provider = content;
        else if (name === 'ElectronicMailAddress') found.contact = content;
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  parser.end();
  return { types: types.filter(({ name }) => name), formats: [...formats], ...found, isComplete };
}
