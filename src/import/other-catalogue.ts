/** Another catalogue of this program: the datasets of its API, page by page, and the files of their newest versions. */
import type { Documents } from './documents.ts';
import {
  type ImportedColumn,
  type ImportedDataset,
  importedDataset,
  listOf,
  membersOf,
  type SourceItem,
  textOf,
} from './imported.ts';
import { readList } from './list-pages.ts';

/** True if a value is the root of the API of a catalogue, or of a static export, which has fewer endpoints. */
export const isCatalogueRoot = (value: unknown): boolean =>
  ['namespaces', 'datasets'].every((name) =>
    listOf(membersOf(value).endpoints)
      .map(membersOf)
      .some((one) => one.name === name && textOf(one.url).endsWith(`/api/v1/${name}/`)),
  );

/** Why files of a static export aren't read, with what to type instead. @param root its index.json */
export function reasonNotToReadExport(root: unknown): string {
  const urls = listOf(membersOf(root).endpoints).map((one) => textOf(membersOf(one).url));
  const [site] = urls.flatMap((url) => /^(.*\/)api\/v1\/datasets\/$/.exec(url)?.[1] ?? []);
  return `it is a static export: its files refer to each other by the address of the site. Import that address: catalogue import ${site ?? 'https://…'}`;
}

/**
 * @param address of the root of the API, such as https://data.example.org/api/v1/, or of an export
 * @param root the document there
 */
export async function* readOtherCatalogue(
  documents: Documents,
  address: string,
  root: unknown,
): AsyncGenerator<SourceItem, void, undefined> {
  const base = address.replace(/[?#].*$/, '').replace(/\/+(?:index\.json)?$/, '');
  const api = base.endsWith('/api/v1') ? base : `${base}/api/v1`;
  // An export is files: nobody signs in, and lists have the pages that they have.
  const isExport = listOf(membersOf(root).authentication).length === 0;
  const first = `${api}/datasets/${isExport ? 'index.json' : '?page_size=100'}`;
  yield* readList(
    documents,
    { address: first },
    {
      key: 'results',
      totalKey: 'count',
      next: (one) => textOf(one.next),
      read: (one) => readDataset(membersOf(one), isExport),
    },
  );
}

function readDataset(one: Readonly<Record<string, unknown>>, isExport: boolean): SourceItem {
  const versions = listOf(one.versions).map(membersOf);
  const newest = versions.find(({ ready }) => ready === true);
  const path = /\/namespaces\/([^/]+)\/datasets\/([^/]+)\//.exec(textOf(one.url));
  const item = importedDataset({
    // The address may change; the id of the record stays.
    id: typeof one.id === 'number' ? `dataset ${one.id}` : textOf(one.url),
    name: one.slug ?? path?.[2],
    label: one.label,
    description: one.description,
    keywords: listOf(one.keywords),
    licence: [one.licence],
    homepage: textOf(one.homepage) || textOf(one.url).replace('/api/v1/', '/'),
    publisher: one.publisher,
    contact: [one.contact],
    issued: one.issued ?? versions.at(-1)?.datetime,
    modified: one.modified ?? newest?.datetime,
    reading: newest?.reading,
    links: [
      ...(newest
        ? [
            {
              address: newest.download ?? one.download,
              label: textOf(newest.label) || 'Newest version',
              format: newest.format,
              mediaType: newest.media_type,
              isFile: true,
              isOnPage: isExport,
              columns: columnsOf(one.columns),
            },
          ]
        : []),
      ...Object.entries(membersOf(one.links)).map(([label, address]) => ({ address, label })),
    ],
  });
  return 'dataset' in item ? { dataset: withTextsAsWritten(item.dataset, one) } : item;
}

/**
 * A dataset with the texts of its record there. They are no HTML, and a licence or a contact may be in words: without them, the licence
 * of the catalogue here would stand for terms that its owner has not written.
 */
function withTextsAsWritten(dataset: ImportedDataset, one: Readonly<Record<string, unknown>>): ImportedDataset {
  return {
    ...dataset,
    label: textOf(one.label).trim() || dataset.label,
    description: textOf(one.description).trim(),
    publisher: textOf(one.publisher).trim(),
    licence: dataset.licence || textOf(one.licence).trim(),
    contact: dataset.contact || textOf(one.contact).trim(),
  };
}

const columnsOf = (columns: unknown): readonly ImportedColumn[] =>
  listOf(columns).map((given) => {
    const { name, label, description, unit } = membersOf(given);
    return { name: textOf(name), label: textOf(label), description: textOf(description), unit: textOf(unit) };
  });
