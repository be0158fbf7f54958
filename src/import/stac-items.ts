/** Items of a STAC API as the rows of a dataset: those of a collection, or those that a search finds. Source: https://api.stacspec.org/v1.0.0/item-search */
import { importedDataset, listOf, membersOf, type RawLink, type SourceItem, textOf } from './imported.ts';

/** The format of links to items, which are read page by page. */
export const stacItems = 'stac-items';
/** Items of one dataset, at most. */
export const maxItems = 100_000;

type Members = Readonly<Record<string, unknown>>;

/** True for an answer of an item search: a collection of features that are STAC items. */
export function isStacItems(value: unknown): boolean {
  const { type, features } = membersOf(value);
  return type === 'FeatureCollection' && listOf(features).some((one) => 'stac_version' in membersOf(one));
}

/** The link to the items of a collection. @param address of its own list of items, or of a search that finds them */
export const itemsLink = (address: string, body?: Members): RawLink => ({
  address,
  label: 'Items',
  format: stacItems,
  mediaType: 'application/geo+json',
  isFile: true,
  ...(body && { body }),
});

/**
 * The link to the items of a collection by the search of the API; undefined if the API has none.
 * @param links of the landing page
 * @param target address of a link; null if it isn't followed
 */
export function searchLink(
  links: readonly Members[],
  collection: string,
  target: (href: unknown) => string | null,
): RawLink | undefined {
  const searches = links.filter(({ rel }) => rel === 'search');
  const isPost = ({ method }: Members) => textOf(method).toUpperCase() === 'POST';
  const found = searches.find((link) => !isPost(link)) ?? searches[0];
  const address = found && target(found.href);
  if (!found || !address) return undefined;
  if (isPost(found)) return itemsLink(address, { collections: [collection] });
  const url = new URL(address);
  url.searchParams.set('collections', collection);
  return itemsLink(url.href);
}

/** The items that a search finds, as one dataset. @param address of the search, with its conditions */
export function readStacSearch(value: unknown, address: string): SourceItem {
  const items = listOf(membersOf(value).features).map(membersOf);
  const url = new URL(address);
  const asked = (url.searchParams.get('collections') ?? '').split(',').filter(Boolean);
  const found = [...new Set(items.map(({ collection }) => textOf(collection)).filter(Boolean))];
  const names = asked.length ? asked : found.length === 1 ? found : [];
  return importedDataset({
    id: address,
    name: `items-${names.length ? names.join('-') : url.hostname}`,
    label: `Items of ${names.length ? names.join(', ') : url.hostname}`,
    links: [itemsLink(address)],
  });
}
