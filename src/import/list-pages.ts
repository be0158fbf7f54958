/** Lists of records in pages, each with the address of the next one: STAC APIs, OGC API, and other catalogues of this program. */
import { ValidationError } from '../catalogue/errors.ts';
import { type Documents, readJsonDocument } from './documents.ts';
import { incompleteList, membersOf, type SourceItem } from './imported.ts';

type Members = Readonly<Record<string, unknown>>;

export interface ListPage {
  readonly address: string;
  readonly page: Members;
  /** True if its next page was read already. */
  readonly isRepeating: boolean;
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

interface FirstPage {
  readonly address: string;
  /** The page, if it was read already. */
  readonly value?: unknown;
}

/**
 * The pages of a list, up to the last one, or to one that was read already.
 * @throws ValidationError if there are too many
 */
export async function* readListPages(
  documents: Documents,
  first: FirstPage,
  { next, seen = new Set(), most = maxListPages }: ListOptions,
): AsyncGenerator<ListPage, void, undefined> {
  let { address, value } = first;
  for (let count = 1; address && !seen.has(address); count++) {
    if (count > most) throw endlessPages(first.address);
    seen.add(address);
    const page = membersOf(value ?? (await readJsonDocument(documents, address)));
    const following = next(page, address) ?? '';
    yield { address, page, isRepeating: following !== '' && seen.has(following) };
    value = undefined;
    address = following;
  }
}

/** Number of records that were read of a list, compared with the number that it says. */
export class ListCount {
  /** Address of the page by the identifier of a dataset. */
  readonly #pages = new Map<string, string>();
  #skipped = 0;
  #total: number | undefined;
  #hasShrunk = false;

  /** Takes the number of all records that a page says; that of the last page counts. */
  set total(total: unknown) {
    if (typeof total !== 'number') return;
    this.#hasShrunk ||= this.#total !== undefined && total < this.#total;
    this.#total = total;
  }

  /** @returns false for a dataset of an earlier page: one that was changed meanwhile may be on two */
  add(item: SourceItem, address: string): boolean {
    if ('skipped' in item) this.#skipped++;
    if (!('dataset' in item)) return true;
    const { id } = item.dataset;
    const earlier = this.#pages.get(id);
    if (earlier === undefined) this.#pages.set(id, address);
    return earlier === undefined || earlier === address;
  }

  /** The item for a list that has ended too early, if it has. @param isRepeating true if the last page leads back to an earlier one */
  *missing(list: string, isRepeating: boolean): Generator<SourceItem, void, undefined> {
    const read = this.#pages.size + this.#skipped;
    if (this.#total === undefined) {
      if (isRepeating) yield incompleteList(list, `its pages lead back to an earlier one after ${read} datasets`);
    } else if (read < this.#total) yield incompleteList(list, `its list ends after ${read} of ${this.#total} datasets`);
    else if (this.#hasShrunk) yield incompleteList(list, hasShrunk);
  }
}

/** The reason for a list that has lost records between two pages: others have moved to a page that was read before. */
export const hasShrunk = 'its list became shorter while it was read';

interface RecordList extends ListOptions {
  /** Key of the records in a page. */
  readonly key: string;
  /** Key of the number of all records. */
  readonly totalKey: string;
  read(record: unknown, address: string): SourceItem;
}

/**
 * The datasets of a list in pages, each once; and an item for a list that ends too early.
 * @throws ValidationError for a page without records, which may be a message of the server: taken for an empty page, it would
 *   make datasets of the source missing
 */
export async function* readList(
  documents: Documents,
  first: FirstPage,
  { key, totalKey, read, ...options }: RecordList,
): AsyncGenerator<SourceItem, void, undefined> {
  const count = new ListCount();
  let isLastRepeating = false;
  for await (const { page, address, isRepeating } of readListPages(documents, first, options)) {
    const records = page[key];
    if (!Array.isArray(records))
      throw new ValidationError({ source: [`${address} has no list "${key}": it is another kind of answer.`] });
    const total = page[totalKey];
    if (address === first.address && typeof total === 'number') yield { total };
    count.total = total;
    for (const one of records) {
      const item = read(one, address);
      if (count.add(item, address)) yield item;
    }
    isLastRepeating = isRepeating;
  }
  yield* count.missing(first.address, isLastRepeating);
}
