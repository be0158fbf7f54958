/** Reading a document of a source by its format: its records become datasets or reasons. */
import { basename } from 'node:path';
import { ValidationError } from '../catalogue/errors.ts';
import { ckanCountOf, notInDump, partOfPackages, readCkanAnswer, readCkanDump } from './ckan.ts';
import type { ListLayers } from './data-files.ts';
import { readDataPackage } from './data-package.ts';
import { readDcatPages } from './dcat-pages.ts';
import { dcatUsKeys, readDcatUsDataset } from './dcat-us.ts';
import type { Detected, SourceFormat } from './detect.ts';
import {
  type Documents,
  type OpenDocument,
  readDocumentItems,
  readDocumentText,
  readJsonDocument,
} from './documents.ts';
import { incompleteList, listOf, membersOf, type SourceItem, skip } from './imported.ts';
import { folderOfAddress } from './links.ts';
import { readOgcCollections, readWfsCapabilities } from './ogc.ts';
import { readRegistryDataset } from './open-data-registry.ts';
import { readOtherCatalogue } from './other-catalogue.ts';
import { readStac } from './stac.ts';
import { readStacSearch } from './stac-items.ts';

/** State of one reading. */
export interface Reading {
  readonly documents: Documents;
  /** Folder of a local source, which its documents may not leave; null for a server. */
  readonly folder: string | null;
  readonly format: SourceFormat | undefined;
  /** Addresses of STAC documents that were read. */
  readonly seen: Set<string>;
  /** Names in lists of CKAN and next pages of DCAT that a local source should have, with the item for one that it lacks. */
  readonly listed: Map<string, SourceItem>;
  /** Names and pages whose records were found. */
  readonly found: Set<string>;
  /** Packages of saved answers of CKAN, and the most packages that one of these answers says to exist. */
  readonly packages: { readonly ids: Set<string>; count: number };
  readonly listLayers: ListLayers;
}

export const unknownFormat =
  'its format is not known. Known are CKAN, DCAT, DCAT-US, STAC, Data Package, OGC API - Features, WFS, the Registry of Open Data on AWS and other catalogues of this program';

/** The records of a document. */
export async function* readDetected(
  document: OpenDocument,
  { format, value, keys = [] }: Detected,
  reading: Reading,
): AsyncGenerator<SourceItem, void, undefined> {
  const { address } = document;
  switch (format) {
    case 'ckan':
      reading.packages.count = Math.max(reading.packages.count, ckanCountOf(value));
      for (const item of readCkanAnswer(value))
        if ('name' in item) reading.listed.set(item.name, skip(item.name, notInDump));
        else yield* noteCkanNames(item, reading);
      return;
    case 'ckan-dump':
      for await (const item of readCkanDump(document, keys, '')) yield* noteCkanNames(item, reading);
      return;
    case 'dcat-us':
      if (value === undefined)
        for await (const item of readDocumentItems(document, dcatUsKeys)) yield readDcatUsDataset(item);
      else {
        const { dataset } = membersOf(value);
        if (dataset === undefined) throw new ValidationError({ source: [`${address} has no list "dataset".`] });
        const datasets = listOf(dataset);
        yield { total: datasets.length };
        for (const item of datasets) yield readDcatUsDataset(item);
      }
      return;
    case 'datapackage':
      yield* readDataPackage(value, folderOfAddress(address));
      return;
    case 'registry':
      yield readRegistryDataset(value, basename(address).replace(/\.ya?ml$/i, ''));
      return;
    case 'stac':
      yield* readStac(reading.documents, { address, value }, reading.folder, reading.seen);
      return;
    case 'stac-items':
      yield readStacSearch(value, address);
      return;
    case 'dcat':
      yield* readDcatPages(document, reading);
      return;
    case 'ogc':
      yield* readOgcCollections(
        reading.documents,
        value ?? (await readJsonDocument({ open: async () => document }, address)),
        address,
      );
      return;
    case 'wfs':
      yield* readWfsCapabilities(await readDocumentText(document), address);
      return;
    case 'catalogue':
      yield* readOtherCatalogue(reading.documents, address, value);
      return;
    default:
      yield skip(address, unknownFormat);
  }
}

function* noteCkanNames(item: SourceItem, { found, packages }: Reading): Generator<SourceItem, void, undefined> {
  if (!('total' in item)) packages.ids.add('dataset' in item ? item.dataset.id : item.skipped.id);
  if ('dataset' in item) for (const name of [item.dataset.id, item.dataset.name]) found.add(name);
  yield item;
}

/** The item for saved answers of CKAN that lack packages of their search. @param source its name in the message */
export function* findMissingPackages(source: string, { packages }: Reading): Generator<SourceItem, void, undefined> {
  const { ids, count } = packages;
  if (ids.size < count) yield incompleteList(source, partOfPackages(ids.size, count));
}
