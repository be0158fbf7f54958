/** STAC: each collection is a dataset, and each catalogue that has items of its own. Static files, and the API. Source: https://stacspec.org */
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { type Documents, readJsonDocument } from './documents.ts';
import {
  httpUrl,
  importedDataset,
  listOf,
  membersOf,
  type RawLink,
  reasonOf,
  type SourceItem,
  skip,
  skipUnread,
  textOf,
} from './imported.ts';
import { addressOf, linksWith } from './links.ts';
import { readList } from './list-pages.ts';
import { itemsLink, searchLink } from './stac-items.ts';

/** Documents of one catalogue, at most: links that never end are refused. */
const maxDocuments = 200_000;
/** Links to items that a dataset keeps. */
const maxItemLinks = 100;

export function isStac(value: unknown): boolean {
  return typeof membersOf(value).stac_version === 'string';
}

interface Visit {
  readonly address: string;
  readonly value: unknown;
}

/**
 * Follows the links to children from a catalogue or a collection.
 * @param start its address, and its value
 * @param within folder that local links may not leave
 * @param seen addresses of documents that were read already, of all visits
 */
export async function* readStac(
  documents: Documents,
  start: Visit,
  within: string | null,
  seen: Set<string>,
): AsyncGenerator<SourceItem, void, undefined> {
  let count = 0;
  const queue: (Visit | { readonly address: string })[] = [start];
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (seen.has(next.address)) continue;
    seen.add(next.address);
    if (++count > maxDocuments)
      throw new ValidationError({ source: [`${start.address} has more than ${maxDocuments} documents.`] });
    let value: unknown;
    try {
      value = 'value' in next ? next.value : await readJsonDocument(documents, next.address);
    } catch (error) {
      // A server that fails may still have the datasets behind it.
      const skipIt = error instanceof NotFoundError ? skip : skipUnread;
      yield skipIt(next.address, `the link to it leads nowhere: ${reasonOf(error)}`);
      continue;
    }
    const one = membersOf(value);
    const links = listOf(one.links).map(membersOf);
    const target = (href: unknown) => addressOf(href, next.address, within);
    const items = links.filter(({ rel }) => rel === 'item');
    // Of a folder, other files are read later: those of items are no records.
    if (within !== null) for (const { href } of items) seen.add(target(href) ?? '');
    const list = links.find(({ rel }) => rel === 'items');
    if (isItem(one)) {
      yield skip(one.id ?? next.address, 'it is an item; the dataset is its collection, which was not given');
      continue;
    }
    const data = links.find(({ rel }) => rel === 'data');
    if (isCollection(one) || items.length)
      yield readStacDataset(one, next.address, items, linkTo(target(list?.href)), target);
    const children = links.filter(({ rel }) => rel === 'child').flatMap(({ href }) => linkOrReason(href, target));
    for (const child of children)
      if ('address' in child) queue.push(child);
      else yield child;
    if (data && listOf(one.conformsTo).length)
      yield* readStacApi(documents, target(data.href) ?? '', seen, (id) => searchLink(links, id, target));
  }
}

const linkTo = (address: string | null): RawLink | undefined => (address ? itemsLink(address) : undefined);

function linkOrReason(href: unknown, target: (href: unknown) => string | null): ({ address: string } | SourceItem)[] {
  const address = target(href);
  return address === null
    ? [skip(href, 'the link to it leads out of the folder, or to another kind of address')]
    : [{ address }];
}

/** The collections of a STAC API, or of OGC API: pages with links to the next. */
async function* readStacApi(
  documents: Documents,
  first: string,
  seen: Set<string>,
  search: (collection: string) => RawLink | undefined,
): AsyncGenerator<SourceItem, void, undefined> {
  const next = (page: Readonly<Record<string, unknown>>, address: string) =>
    addressOf(linksWith(page, 'next')[0]?.href, address, null);
  const read = (given: unknown, address: string) => {
    const one = membersOf(given);
    const target = (href: unknown) => addressOf(href, address, null);
    const list = linkTo(target(linksWith(one, 'items')[0]?.href)) ?? search(textOf(one.id));
    return readStacDataset(one, target(linksWith(one, 'self')[0]?.href) ?? address, [], list, target);
  };
  yield* readList(documents, { address: first }, { key: 'collections', totalKey: 'numberMatched', next, seen, read });
}

const isCollection = (one: Readonly<Record<string, unknown>>) =>
  one.type === 'Collection' || ('extent' in one && 'license' in one);
const isItem = (one: Readonly<Record<string, unknown>>) => one.type === 'Feature';

function readStacDataset(
  one: Readonly<Record<string, unknown>>,
  address: string,
  items: readonly Readonly<Record<string, unknown>>[],
  list: RawLink | undefined,
  target: (href: unknown) => string | null,
): SourceItem {
  const links = listOf(one.links).map(membersOf);
  const providers = listOf(one.providers).map(membersOf);
  const withRole = (role: string) => providers.find(({ roles }) => listOf(roles).includes(role));
  const provider = withRole('producer') ?? withRole('licensor') ?? withRole('host') ?? providers[0];
  const licence = links.find(({ rel }) => rel === 'license');
  const pages = links.filter(
    ({ rel, type }) =>
      ['about', 'describedby', 'via', 'alternate'].includes(textOf(rel)) &&
      (type === undefined || type === 'text/html'),
  );
  return importedDataset({
    id: one.id,
    name: textOf(one['linz:slug']) || one.id,
    label: one.title || one.id,
    description: one.description,
    keywords: listOf(one.keywords),
    licence: [one.license, licence?.href],
    homepage: httpUrl(pages[0]?.href) || httpUrl(links.find(({ rel }) => rel === 'self')?.href),
    publisher: provider?.name,
    issued: one.created,
    modified: one.updated,
    contact: [
      provider?.email,
      ...listOf(one.contacts).flatMap((contact) =>
        listOf(membersOf(contact).emails).map((email) => membersOf(email).value),
      ),
    ],
    links: [
      ...Object.entries(membersOf(one.assets)).map(([key, asset]) => {
        const { href, title, type } = membersOf(asset);
        return {
          address: target(href),
          label: textOf(title) || key,
          mediaType: type,
          format: /\.(\w+)$/.exec(textOf(href))?.[1],
          isFile: true,
        };
      }),
      ...(httpUrl(address) ? [{ address, label: 'STAC metadata' }] : []),
      ...(list ? [list] : []),
      ...items
        .slice(0, maxItemLinks)
        .map(({ href, title }) => ({ address: target(href), label: textOf(title) || `Item ${textOf(href)}` })),
    ],
  });
}
