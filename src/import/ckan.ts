/** CKAN: packages as datasets, from answers of its API (version 3) and from dumps of them. Source: https://docs.ckan.org/en/latest/api/ */

import { excerpt, ValidationError } from '../catalogue/errors.ts';
import { type Documents, type OpenDocument, readDocumentItems, readJsonDocument } from './documents.ts';
import {
  httpUrl,
  importedDataset,
  incompleteList,
  listOf,
  membersOf,
  type SourceItem,
  skip,
  skipUnread,
  textOf,
} from './imported.ts';
import { resolveAddress } from './links.ts';
import { endlessPages, hasShrunk, maxListPages } from './list-pages.ts';

/** Packages in one answer: the most that CKAN gives by default. */
const pageSize = 1000;

/** The address of a portal, in the address of one of its API's answers; '' if there is none. */
export const ckanPortalOf = (address: unknown): string =>
  /^(https?:\/\/.*?)\/api\/(?:3\/)?(?:action|rest)\b/.exec(textOf(address))?.[1] ?? '';

/** True if a value is an answer of CKAN's API. */
export function isCkanAnswer(value: unknown): boolean {
  const { success, result, help } = membersOf(value);
  return typeof success === 'boolean' && (result !== undefined || help !== undefined);
}

/** True if a value is a package. */
export function isCkanPackage(value: unknown): boolean {
  const { id, name, resources, title } = membersOf(value);
  return (
    typeof name === 'string' &&
    Array.isArray(resources) &&
    (typeof id === 'string' || typeof title === 'string') &&
    !('profile' in membersOf(value) || '$schema' in membersOf(value))
  );
}

/** The value for English, else for the first language with one, if a value has several by language, as of ckanext-fluent; else the value. */
function inOneLanguage(value: unknown): unknown {
  const values = Object.entries(membersOf(value));
  if (values.length === 0 || !values.every(([key]) => /^[a-z]{2,3}(?:[-_][a-z\d]+)*$/i.test(key))) return value;
  const filled = values.filter(([, one]) => listOf(one).some((text) => textOf(text).trim() !== ''));
  return (filled.find(([key]) => /^en(?:[-_]|$)/i.test(key)) ?? filled[0])?.[1];
}

const textIn = (value: unknown): string => textOf(inOneLanguage(value));

/** A package as a dataset. @param portal URL of the portal without a slash at its end; '' if it isn't known */
function readCkanPackage(value: unknown, portal: string): SourceItem {
  const one = membersOf(value);
  const id = one.id ?? one.name;
  if (one.state !== undefined && one.state !== 'active')
    return skip(one.name ?? id, `its state at the source is "${textOf(one.state)}"`);
  if (one.private === true) return skip(one.name ?? id, 'it is private at the source');
  const title = (given: unknown) => {
    const { display_name, title, name } = membersOf(given);
    return textIn(display_name) || textIn(title) || textOf(name);
  };
  const named = portal && one.name ? `${portal}/dataset/${encodeURIComponent(textOf(one.name))}` : '';
  const website = httpUrl(one.url);
  return importedDataset({
    id,
    name: one.name,
    label: textIn(one.title) || one.name,
    description: textIn(one.notes) || textIn(one.description),
    keywords: [
      ...listOf(one.tags).map(title),
      ...listOf(inOneLanguage(one.keywords)),
      ...listOf(one.groups).map(title),
    ],
    licence: [one.license_url, one.license_id, one.license_title],
    homepage: named || website,
    publisher: title(one.organization) || one.author,
    contact: [one.maintainer_email, one.author_email],
    issued: one.issued ?? one.metadata_created,
    modified: one.modified ?? one.metadata_modified,
    links: [
      ...listOf(one.resources).map((resource) => {
        const { url, name, title, description, format, mimetype } = membersOf(resource);
        return {
          address: resolveAddress(url, `${portal}/`),
          label: textIn(name) || textIn(title) || textIn(description).split('\n')[0],
          format,
          mediaType: mimetype,
          isFile: true,
        };
      }),
      ...(website && named ? [{ address: website, label: 'Website' }] : []),
    ],
  });
}

/** The packages of a portal's API, a page after the other. @param portal URL without a slash at its end */
export const readCkanPortal = (documents: Documents, portal: string): AsyncGenerator<SourceItem, void, undefined> =>
  readCkanSearch(documents, `${portal}/api/3/action/package_search`, portal);

/**
 * The packages that a search finds, a page after the other, or those of one page if its address says which.
 * @param address of package_search, with its parameters
 * @param list name of the list in messages
 */
export async function* readCkanSearch(
  documents: Documents,
  address: string,
  list = address,
): AsyncGenerator<SourceItem, void, undefined> {
  const portal = ckanPortalOf(address);
  const { isOnePage, addressFrom } = searchOf(address);
  const seen = new Set<string>();
  let start = 0;
  let most = 0;
  for (let page = 0; page < maxListPages; page++) {
    const { count, items } = assertSearchAnswer(await readJsonDocument(documents, addressFrom(start)), list);
    if (page === 0 && count !== null) yield { total: isOnePage ? items.length : count };
    let isNew = false;
    for (const item of items) {
      const id = textOf(membersOf(item).id) || textOf(membersOf(item).name);
      // A package that was changed meanwhile may be on two pages.
      if (seen.has(id)) continue;
      if (id) {
        seen.add(id);
        isNew = true;
      }
      yield readCkanPackage(item, portal);
    }
    start += items.length;
    most = Math.max(most, count ?? 0);
    const isAtEnd = count !== null && start >= count;
    if (isNew && !isOnePage && !isAtEnd) continue;
    if (isAtEnd) {
      if (count < most) yield incompleteList(list, hasShrunk);
    } else if (count !== null) {
      const reason = isOnePage ? partOfPackages(start, count) : `its list ends after ${start} of ${count} packages`;
      yield incompleteList(list, reason);
    }
    return;
  }
  throw endlessPages(list);
}

/** A search at an address: whether it is for one page only, and the address of the page that begins with a number of packages. */
function searchOf(address: string) {
  const [path = '', given = ''] = address.replace(/#.*$/, '').split('?', 2);
  const parameters = new URLSearchParams(given);
  const isOnePage = parameters.has('rows') || parameters.has('start');
  const sort = parameters.has('sort') ? '' : `sort=${encodeURIComponent('id asc')}`;
  const queryFrom = (start: number) =>
    [given, `rows=${pageSize}`, `start=${start}`, sort].filter((text) => text !== '').join('&');
  return { isOnePage, addressFrom: (start: number) => `${path}?${isOnePage ? given : queryFrom(start)}` };
}

/**
 * The packages in an answer, and the number of all that the search finds; null if the answer doesn't say it.
 * @throws ValidationError for another answer: taken for an empty one, it would make all datasets of the portal missing
 */
function assertSearchAnswer(
  answer: unknown,
  list: string,
): { readonly count: number | null; readonly items: readonly unknown[] } {
  const { success, result, error } = membersOf(answer);
  const { count, results } = membersOf(result);
  if (success === false || !Array.isArray(results))
    throw new ValidationError({ source: [`${list}: ${reasonOfFailure(error)}`] });
  return { count: typeof count === 'number' ? count : null, items: results };
}

/** The reason for a list with a part of the packages that a search finds. */
export const partOfPackages = (read: number, count: number): string => `it has ${read} of ${count} packages`;

/** Number of packages that a search finds, in this answer or in others; 0 for answers of another kind. */
export function ckanCountOf(answer: unknown): number {
  const { count, results } = membersOf(membersOf(answer).result);
  return typeof count === 'number' && Array.isArray(results) ? count : 0;
}

const reasonOfFailure = (error: unknown): string => {
  const { message } = membersOf(error);
  return textOf(message)
    ? `CKAN answered with an error: ${excerpt(textOf(message))}`
    : 'its package_search is no answer of CKAN, or one of an error. Check the address.';
};

/** The packages in an answer of the API that was saved as a file. Of a list of names, only the names are known. */
export function* readCkanAnswer(value: unknown): Generator<SourceItem | { readonly name: string }, void, undefined> {
  const { success, result, help, error } = membersOf(value);
  const portal = ckanPortalOf(help);
  if (success === false) {
    yield skipUnread(
      membersOf(error).message ?? 'answer',
      `the source answered with an error: ${textOf(membersOf(error).message) || 'no reason given'}`,
    );
    return;
  }
  const list = Array.isArray(result) ? result : (listOf(membersOf(result).results) as unknown[]);
  if (Array.isArray(result) || 'results' in membersOf(result)) {
    for (const item of list)
      if (typeof item === 'string') yield { name: item };
      else yield readCkanPackage(item, portal);
  } else yield readCkanPackage(result, portal);
}

/** The packages of a dump: an array, a package a line, or a saved answer of package_search. */
export async function* readCkanDump(
  document: OpenDocument,
  keys: readonly string[],
  portal: string,
): AsyncGenerator<SourceItem, void, undefined> {
  for await (const item of readDocumentItems(document, keys))
    if (typeof item === 'string') yield skip(item, notInDump);
    else if (isCkanAnswer(item))
      for (const one of readCkanAnswer(item)) yield 'name' in one ? skip(one.name, notInDump) : one;
    else yield readCkanPackage(item, portal);
}

/** The reason for a name of a list without the record that it names. */
export const notInDump = 'a list of names has it, but the record is in no file';
