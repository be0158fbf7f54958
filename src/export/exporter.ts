/** Writes an export: units of files that are made of the same records, answered by the server's own app. */
import { readFileSync } from 'node:fs';
import type { Catalogue, ListOptions } from '../catalogue/catalogue.ts';
import { DamagedObjectError, NotFoundError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import { summarize, summaryParts } from '../catalogue/search-summary.ts';
import type { Dataset, Entities, Entity, Group, Namespace, Query, Version } from '../catalogue/types.ts';
import { apiPath, apiRoot, baseUrlPath, collections } from '../catalogue/urls.ts';
import { assetFiles, assetsPath } from '../server/assets.ts';
import { sitemapLists } from '../server/syndication.ts';
import { maxSitemapEntries } from '../standards/sitemap.ts';
import { Fingerprints, groupRecords, Neighbours } from './dependencies.ts';
import { type ExportFolder, mostHeld } from './export-folder.ts';
import type { ExportOptions, ExportResult } from './export-options.ts';
import { hostFiles } from './host-files.ts';
import { type Redirect, redirectPage, redirectsOf } from './redirects.ts';
import type { Responses } from './responses.ts';
import type { RowFilterings } from './row-filtering.ts';
import {
  datasetAddresses,
  type ExportedAddress,
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

/** Bytes above which a file is named: hosts of pages refuse some from 25 MB on, and git hosts from 100 MB. */
const large = 25 * 1024 * 1024;

/** Writes the files of one export, unit by unit. */
export class Exporter {
  readonly #catalogue: Catalogue;
  readonly #responses: Responses;
  readonly #url: string;
  readonly #folder: ExportFolder;
  readonly #filterings: RowFilterings;
  readonly #options: ExportOptions;
  readonly #large: { file: string; size: number }[] = [];
  readonly #media = new Set<string>();
  readonly #fingerprints: Fingerprints;
  #units = 0;

  constructor(
    catalogue: Catalogue,
    responses: Responses,
    url: string,
    folder: ExportFolder,
    filterings: RowFilterings,
    options: ExportOptions,
  ) {
    this.#catalogue = catalogue;
    this.#responses = responses;
    this.#url = url;
    this.#folder = folder;
    this.#filterings = filterings;
    this.#options = options;
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    this.#fingerprints = new Fingerprints([version, assetsPath, url, catalogue.settings, options.gzip ?? false]);
  }

  async run(): Promise<ExportResult> {
    const [catalogue, folder] = [this.#catalogue, this.#folder];
    try {
      const datasets = await collect(catalogue, 'dataset');
      const namespaces = await collect(catalogue, 'namespace');
      const queries = await collect(catalogue, 'query');
      const groups = await collect(catalogue, 'group');
      if (catalogue.settings.logo) this.#media.add(catalogue.settings.logo);
      await this.#writeDatasets(datasets, namespaces, queries);
      await this.#writeOthers(datasets, namespaces, queries, groups);
      this.#writeTexts('search', this.#summaryFiles(namespaces, datasets));
      const redirects = redirectsOf(namespaces, datasets, queries, groups);
      this.#writeTexts('moved', this.#redirectPages(redirects));
      this.#writeTexts('host', this.#hostFiles(redirects));
      folder.finish();
    } finally {
      folder.close();
    }
    this.#large.sort((a, b) => b.size - a.size);
    const { written, removed } = folder;
    return { url: this.#url, files: folder.fileCount, written, removed, large: this.#large };
  }

  async #writeDatasets(
    datasets: readonly Dataset[],
    namespaces: readonly Namespace[],
    queries: readonly Query[],
  ): Promise<void> {
    const [catalogue, made] = [this.#catalogue, this.#fingerprints];
    const byName = new Map(namespaces.map((namespace) => [namespace.slug, namespace]));
    const queriesOf = groupRecords(queries, ({ dataset }) => dataset);
    const others = new Neighbours(datasets);
    for (const dataset of datasets) {
      for (const path of [dataset.image, dataset.showcase_image, dataset.thumbnail_image])
        if (path) this.#media.add(path);
      const name = formatRef(refOf(dataset));
      await this.#unit(
        `dataset ${name}`,
        made.ofUnit(
          made.of(dataset),
          byName.get(dataset.namespace),
          made.ofAll(queriesOf.get(name) ?? []),
          others.near(dataset),
        ),
        async () => datasetAddresses(dataset, catalogue.settings.page_size, await this.#versionsWithRows(dataset)),
      );
      this.#options.onProgress?.(++this.#units, datasets.length);
    }
  }

  /** Writes what is about queries, namespaces, groups and the site. */
  async #writeOthers(
    datasets: readonly Dataset[],
    namespaces: readonly Namespace[],
    queries: readonly Query[],
    groups: readonly Group[],
  ): Promise<void> {
    const made = this.#fingerprints;
    const byName = new Map(datasets.map((dataset) => [formatRef(refOf(dataset)), dataset]));
    // Rows of a query are those of its dataset, and the record of a version lacks what its dataset says.
    const withDataset = (entity: Entity) => {
      const name = 'dataset' in entity ? entity.dataset : undefined;
      const dataset = byName.get('namespace' in entity ? `${entity.namespace}/${name}` : `${name}`);
      return made.of(entity) + (dataset ? made.of(dataset) : '');
    };
    for (const query of queries)
      await this.#unit(`query ${query.slug}`, made.ofUnit(withDataset(query)), async () => {
        const dataset = byName.get(query.dataset);
        const version = dataset && versionOfQuery(query, dataset);
        if (version) await this.#hasRows(version, [query, ...(query.version ? [] : [dataset])]);
        return queryAddresses(query);
      });
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
  async #unit(
    name: string,
    fingerprint: string,
    addresses: () => Iterable<ExportedAddress> | Promise<Iterable<ExportedAddress>>,
  ): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (this.#folder.keepUnit(name, fingerprint)) return;
    this.#filterings.clear();
    const wanted = [...(await addresses())];
    this.#folder.beginUnit(
      name,
      wanted.map(({ file }) => file),
    );
    const files = new Set<string>();
    for (const address of wanted) {
      const { sameAs, file } = address;
      if (sameAs !== undefined && files.has(sameAs)) this.#noteSize(file, await this.#folder.writeCopy(file, sameAs));
      else if (!(await this.#write(address))) continue;
      files.add(file);
    }
    this.#folder.endUnit(name, fingerprint, [...files]);
  }

  /** Slugs of the versions of a dataset whose rows can be read. */
  async #versionsWithRows(dataset: Dataset): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const newest = latestReadyVersion(dataset);
    for (const version of dataset.versions)
      if (await this.#hasRows(version, version === newest ? [dataset] : [])) found.add(version.slug);
    return found;
  }

  /**
   * True if the rows of a version can be read. Notes how they are filtered.
   * @param others records that show the same rows
   */
  async #hasRows(version: Version, others: readonly (Dataset | Query)[]): Promise<boolean> {
    if (!version.ready || version.href) return false;
    try {
      const profile = await this.#catalogue.profile(refOf(version));
      await this.#filterings.note(this.#responses, version, profile, others);
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      if (!(error instanceof DamagedObjectError)) throw error;
      throw new DamagedObjectError(`${formatRef(refOf(version))}: ${error.message}`, { cause: error });
    }
  }

  /** Writes the response of an address. @returns false if there is none that everybody may see */
  async #write({ path, accept, file, withReason }: ExportedAddress): Promise<boolean> {
    const { status, parts, drop } = await this.#responses.get(path, accept);
    if (status !== 200 && !(withReason && status === 404)) {
      drop();
      return false;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      chunks.push(part.value);
      size += part.value.length;
      if (size > mostHeld) {
        this.#noteSize(file, await this.#folder.writeStream(file, chunks, parts));
        return true;
      }
    }
    this.#folder.write(file, Buffer.concat(chunks));
    return true;
  }

  #noteSize(file: string, size: number): void {
    if (size > large) this.#large.push({ file, size });
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
  *#hostFiles(redirects: readonly Redirect[]): Generator<readonly [string, Buffer]> {
    for (const [name, bytes] of assetFiles(this.#catalogue.settings)) yield [`${assetsPath.slice(1)}/${name}`, bytes];
    for (const [name, text] of hostFiles(baseUrlPath(this.#url), redirects)) yield [name, Buffer.from(text)];
  }

  #writeTexts(name: string, texts: Iterable<readonly [string, Buffer]>): void {
    const files = [...texts];
    const names = files.map(([file]) => file);
    this.#folder.beginUnit(name, names);
    for (const [file, bytes] of files) this.#folder.write(file, bytes);
    this.#folder.endUnit(name, '', names);
  }
}

async function collect<K extends 'dataset' | 'namespace' | 'query' | 'group'>(catalogue: Catalogue, kind: K) {
  const found: Entities[K][] = [];
  for await (const entity of listAll(catalogue, kind)) found.push(entity);
  return found;
}

/** The version whose rows a saved query shows. */
const versionOfQuery = (query: Query, dataset: Dataset): Version | undefined =>
  query.version ? dataset.versions.find(({ slug }) => slug === query.version) : latestReadyVersion(dataset);
