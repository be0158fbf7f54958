/** Lists of records in pages, each with the address of the next one: STAC APIs, OGC API, and other catalogues of this program. */
import { ValidationError } from '../catalogue/errors.ts';
import { type Documents, readJsonDocument } from './documents.ts';
import { membersOf } from './imported.ts';

type Members = Readonly<Record<string, unknown>>;

export interface ListPage {
  readonly address: string;
  readonly page: Members;
}

interface ListOptions {
  /** Address of the next page; nothing for the last one. */
  next(page: Members, address: string): string | null | undefined;
  /** Addresses of documents that were read already. */
  readonly seen?: Set<string>;
  /** Most pages. */
  readonly most?: number;
}

/** Pages of one list, at most. */
export const maxListPages = 10_000;

/** The error for a list, or for features, of a server that goes on and on. */
export const endlessPages = (address: string): ValidationError =>
  new ValidationError({ source: [`${address}: the pages never end.`] });

/**
 * The pages of a list, up to the last one, or to one that was read already.
 * @param first address of the first page, and its value if it was read already
 * @throws ValidationError if there are too many
 */
export async function* readListPages(
  documents: Documents,
  first: { readonly address: string; readonly value?: unknown },
  { next, seen = new Set(), most = maxListPages }: ListOptions,
): AsyncGenerator<ListPage, void, undefined> {
  let { address, value } = first;
  for (let count = 1; address && !seen.has(address); count++) {
    if (count > most) throw endlessPages(first.address);
    seen.add(address);
    const page = membersOf(value ?? (await readJsonDocument(documents, address)));
    yield { address, page };
    value = undefined;
    address = next(page, address) ?? '';
  }
}
