/** Writes an export: units of files that are made of the same records, answered by the server's own app. */
import { readFileSync } from 'node:fs';
import type { Catalogue, ListOptions } from '../catalogue/catalogue.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import { summarize, summaryParts } from '../catalogue/search-summary.ts';
import type { Dataset, Entities, Entity, Namespace, Query, Version } from '../catalogue/types.ts';
import { apiPath, apiRoot, baseUrlPath, collections } from '../catalogue/urls.ts';
import { nextTurn } from '../data/event-loop.ts';
import { assetFiles, assetsPath } from '../server/assets.ts';
import { sitemapLists } from '../server/syndication.ts';
import { maxSitemapEntries } from '../standards/sitemap.ts';
import type { DatasetsInThread } from './datasets-in-thread.ts';
import {
  datasetsByName,
  Fingerprints,
  groupRecords,
  Neighbours,
  type PublicRecords,
  readRecords,
} from './dependencies.ts';
import type { ExportFolder } from './export-folder.ts';
import type { ExportOptions, ExportResult } from './export-options.ts';
import { filesHiddenFrom } from './hidden-files.ts';
import { hostFiles } from './host-files.ts';
import { type FormerFileNames, formerFileNamesOf, type Redirect, redirectPage, redirectsOf } from './redirects.ts';
import type { Responses } from './responses.ts';
import type { RowFilterings } from './row-filtering.ts';
import {
  fileOfPath,
  folderOf,
  groupAddresses,
  mediaAddresses,
  namespaceAddresses,
  pageOfList,
  programAddresses,
  queryAddresses,
  siteAddresses,
} from './site-addresses.ts';
import { type Addresses, datasetUnit, UnitWriter } from './unit-writer.ts';

/** Starts a thread that writes datasets, if it is worth while for their number. */
export type StartThread = (records: PublicRecords, count: number) => DatasetsInThread | undefined;

/** A dataset whose files are to be written. */
interface ChangedDataset {
  readonly dataset: Dataset;
  /** Name of its unit. */
  readonly name: string;
  readonly fingerprint: string;
}

/** Writes the files of one export, unit by unit. */
export class Exporter {
  readonly #catalogue: Catalogue;
  readonly #url: string;
  readonly #folder: ExportFolder;
  readonly #writer: UnitWriter;
  readonly #options: ExportOptions;
  readonly #startThread: StartThread | undefined;
  readonly #media = new Set<string>();
  readonly #fingerprints: Fingerprints;
  #writtenInThread = 0;

  constructor(
    catalogue: Catalogue,
    responses: Responses,
    url: string,
    folder: ExportFolder,
    filterings: RowFilterings,
    options: ExportOptions,
    startThread?: StartThread,
  ) {
    this.#catalogue = catalogue;
    this.#url = url;
    this.#folder = folder;
    this.#writer = new UnitWriter(catalogue, responses, filterings, folder);
    this.#options = options;
    this.#startThread = startThread;
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    this.#fingerprints = new Fingerprints([version, assetsPath, url, catalogue.settings, options.gzip ?? false]);
  }

  async run(): Promise<ExportResult> {
    const [catalogue, folder] = [this.#catalogue, this.#folder];
    try {
      await folder.removeLeftovers();
      const records = await readRecords(catalogue);
      const { datasets, namespaces } = records;
      if (catalogue.settings.logo) this.#media.add(catalogue.settings.logo);
      for (const { image, showcase_image, thumbnail_image } of datasets)
        for (const path of [image, showcase_image, thumbnail_image]) if (path) this.#media.add(path);
      const hidden = await filesHiddenFrom(catalogue, records, folder.unitsBefore, this.#media);
      const changed = folder.removeHidden(hidden);
      const writeSummary = () => this.#writeTexts('search', this.#summaryFiles(namespaces, datasets));
      // The search names what is private or removed now. Else, it finds nothing before its page is there.
      if (changed.size) writeSummary();
      await this.#writeDatasets(records, changed);
      await this.#writeOthers(records);
      if (changed.size === 0) writeSummary();
      const redirects = redirectsOf(records);
      this.#writeTexts('moved', this.#redirectPages(redirects));
      this.#writeTexts('host', this.#hostFiles(redirects, formerFileNamesOf(datasets)));
      folder.finish();
    } finally {
      folder.close();
    }
    const large = this.#writer.largeFiles.sort((a, b) => b.size - a.size || (a.file < b.file ? -1 : 1));
    const written = folder.written + this.#writtenInThread;
    return { url: this.#url, files: folder.fileCount, written, removed: folder.removed, large };
  }

  /** Writes what is about datasets, many of them with the help of a thread. @param first units that come first */
  async #writeDatasets(records: PublicRecords, first: ReadonlySet<string>): Promise<void> {
    const found = this.#changedDatasets(records);
    const isFirst = ({ name }: ChangedDataset) => first.has(name);
    const waiting = [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))];
    const total = records.datasets.length;
    let done = total - waiting.length;
    const progress = () => this.#options.onProgress?.(done, total);
    progress();
    const writeOwn = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        this.#options.signal?.throwIfAborted();
        await this.#writer.writeDataset(next.dataset, next.fingerprint);
        done++;
        progress();
        // Results of the thread, and Ctrl-C, have their turn.
        await nextTurn();
      }
    };
    const thread = this.#startThread?.(records, waiting.length);
    const take = (count: number) => (this.#options.signal?.aborted ? [] : waiting.splice(0, count));
    const filesBefore = (name: string) => this.#folder.filesBefore(name);
    const beside = thread?.run(take, filesBefore, ({ units, written, largeFiles }, asked) => {
      for (const unit of units) this.#folder.takeUnit(unit);
      const left = asked.slice(units.length);
      this.#folder.takeUnfinished(left.map(({ name }) => name));
      waiting.push(...left);
      this.#writtenInThread += written;
      this.#writer.largeFiles.push(...largeFiles);
      done += units.length;
      progress();
    });
    try {
      await writeOwn();
      await beside;
      // What the thread has left.
      await writeOwn();
    } finally {
      waiting.length = 0;
      await beside;
      await thread?.close();
    }
  }

  /** The datasets that are not made of the same as in the last export. */
  #changedDatasets({ datasets, namespaces, queries }: PublicRecords): ChangedDataset[] {
    const made = this.#fingerprints;
    const byName = new Map(namespaces.map((namespace) => [namespace.slug, namespace]));
    const queriesOf = groupRecords(queries, ({ dataset }) => dataset);
    const others = new Neighbours(datasets);
    const changed: ChangedDataset[] = [];
    for (const dataset of datasets) {
      const name = datasetUnit(dataset);
      const fingerprint = made.ofUnit(
        made.of(dataset),
        byName.get(dataset.namespace),
        made.ofAll(queriesOf.get(formatRef(refOf(dataset))) ?? []),
        others.near(dataset),
      );
      if (!this.#folder.keepUnit(name, fingerprint)) changed.push({ dataset, name, fingerprint });
    }
    return changed;
  }

  /** Writes what is about queries, namespaces, groups and the site. */
  async #writeOthers(records: PublicRecords): Promise<void> {
    const { datasets, namespaces, queries, groups } = records;
    const made = this.#fingerprints;
    const byName = await datasetsByName(this.#catalogue, records);
    // Rows of a query are those of its dataset, and the record of a version lacks what its dataset says.
    const withDataset = (entity: Entity) => {
      const name = 'dataset' in entity ? entity.dataset : undefined;
      const dataset = byName.get('namespace' in entity ? `${entity.namespace}/${name}` : `${name}`);
      return made.of(entity) + (dataset ? made.of(dataset) : '');
    };
    const namespaceOf = new Map(namespaces.map((namespace) => [namespace.slug, namespace]));
    for (const query of queries) {
      const dataset = byName.get(query.dataset);
      const fingerprint = made.ofUnit(withDataset(query), dataset && namespaceOf.get(dataset.namespace)?.label);
      await this.#unit(`query ${query.slug}`, fingerprint, async () => {
        const version = dataset && versionOfQuery(query, dataset);
        if (version) await this.#writer.hasRows(version, [query, ...(query.version ? [] : [dataset])]);
        return queryAddresses(query);
      });
    }
    const ofNamespaces = groupRecords(datasets, ({ namespace }) => namespace);
    for (const namespace of namespaces) {
      const { slug } = namespace;
      const all = made.ofUnit(namespace, made.ofAll(ofNamespaces.get(slug) ?? []));
      await this.#unit(`namespace ${slug}`, all, () => namespaceAddresses(namespace));
      await this.#list(`${apiPath(refOf(namespace))}datasets/`, 'dataset', { namespace: slug }, all, withDataset);
    }
    for (const group of groups)
      await this.#unit(`group ${group.slug}`, made.ofUnit(group), () => groupAddresses(group));
    await this.#unit('media', '', () => mediaAddresses(this.#media));
    const all = made.ofUnit(made.ofAll(datasets), made.ofAll(namespaces), made.ofAll(queries));
    await this.#unit('program', made.ofUnit(), programAddresses);
    const listed = sitemapLists.length + namespaces.length + queries.length + datasets.length;
    const parts = Math.ceil(listed / (this.#options.sitemapLimit ?? maxSitemapEntries));
    await this.#unit('site', made.ofUnit(all, parts), () => siteAddresses(parts));
    for (const kind of ['dataset', 'version', 'namespace', 'query', 'group'] as const)
      await this.#list(`${apiRoot}${collections[kind]}/`, kind, {}, all, withDataset);
  }

  /**
   * Writes a list: its first page for people and for programs, which depends on all, and a unit for each further page.
   * @param all fingerprint of all that the first page may show
   */
  async #list<K extends 'dataset' | 'version' | 'namespace' | 'query' | 'group'>(
    path: string,
    kind: K,
    options: ListOptions,
    all: string,
    fingerprintOf: (entity: Entities[K]) => string,
  ): Promise<void> {
    const { count, pages, items } = await this.#catalogue.list(kind, options);
    const made = this.#fingerprints;
    await this.#unit(`list ${path}`, made.ofUnit(all, count, items.map(fingerprintOf)), () => folderOf(path));
    for (let page = 2; page <= pages; page++) {
      const { items } = await this.#catalogue.list(kind, { ...options, page });
      const fingerprint = made.ofUnit(count, pages, items.map(fingerprintOf));
      await this.#unit(`list ${path} ${page}`, fingerprint, () => pageOfList(path, page));
    }
  }

  /** Writes the files of a unit, unless it is made of the same as before. @param fingerprint '' for one that is always written */
  async #unit(name: string, fingerprint: string, addresses: Addresses): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (this.#folder.keepUnit(name, fingerprint)) return;
    await this.#writer.write(name, fingerprint, addresses);
  }

  /** What the browser searches. */
  *#summaryFiles(namespaces: readonly Namespace[], datasets: readonly Dataset[]): Generator<readonly [string, Buffer]> {
    const summary = summarize(this.#catalogue.settings, this.#url, namespaces, datasets);
    for (const part of summaryParts) yield [`search/${part}.json`, Buffer.from(JSON.stringify(summary[part]))];
  }

  /** Pages at former addresses. */
  *#redirectPages(redirects: readonly Redirect[]): Generator<readonly [string, Buffer]> {
    for (const { from, to } of redirects) {
      const file = fileOfPath(from, 'index.html');
      if (file !== null) yield [file, Buffer.from(redirectPage(this.#url + to))];
    }
  }

  /** Static files of the pages, and those that tell hosts how to serve. */
  *#hostFiles(redirects: readonly Redirect[], names: readonly FormerFileNames[]): Generator<readonly [string, Buffer]> {
    for (const [name, bytes] of assetFiles(this.#catalogue.settings)) yield [`${assetsPath.slice(1)}/${name}`, bytes];
    for (const [name, text] of hostFiles(baseUrlPath(this.#url), redirects, names)) yield [name, Buffer.from(text)];
  }

  #writeTexts(name: string, texts: Iterable<readonly [string, Buffer]>): void {
    const files = [...texts];
    const names = files.map(([file]) => file);
    this.#folder.beginUnit(name, names);
    for (const [file, bytes] of files) this.#folder.write(file, bytes);
    this.#folder.endUnit(name, '', names);
  }
}

/** The version whose rows a saved query shows. */
const versionOfQuery = (query: Query, dataset: Dataset): Version | undefined =>
  query.version ? dataset.versions.find(({ slug }) => slug === query.version) : latestReadyVersion(dataset);
