/** Exports the catalogue of a folder as static files: a loop over the addresses of its site, answered by the server's own app. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { ConflictError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import { anonymous } from '../catalogue/permissions.ts';
import { formatRef, refOf, type VersionRef } from '../catalogue/ref.ts';
import { summarize, summaryParts } from '../catalogue/search-summary.ts';
import type { Dataset, Namespace, Query } from '../catalogue/types.ts';
import { apiRoot, baseUrlPath, collections } from '../catalogue/urls.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { withLock } from '../disk/lock.ts';
import { openFileCatalogue } from '../files/file-catalogue.ts';
import { createApp } from '../server/app.ts';
import { assetFiles, assetsPath } from '../server/assets.ts';
import { getInProcess } from '../server/in-process.ts';
import { ExportFolder } from './export-folder.ts';
import { hostFiles } from './host-files.ts';
import { Neighbours } from './neighbours.ts';
import {
  datasetAddresses,
  type ExportedAddress,
  groupAddresses,
  listAt,
  mediaAddresses,
  namespaceAddresses,
  queryAddresses,
  siteAddresses,
} from './site-addresses.ts';

export interface ExportOptions {
  /** Path of the catalogue folder. */
  readonly folder: string;
  /** Path of the folder that the files are written to. */
  readonly to: string;
  /** Address at which the files will be served; default: `base_url` of the catalogue. */
  readonly url?: string | undefined;
  /** True to write into a folder that has other files. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((units: number, count: number) => void) | undefined;
}

export interface ExportResult {
  readonly url: string;
  /** Number of all files, and of those that were written or removed. */
  readonly files: number;
  readonly written: number;
  readonly removed: number;
  /** Files above a size at which hosts begin to refuse them, the largest first. */
  readonly large: readonly { readonly file: string; readonly size: number }[];
}

/** Bytes above which a file is named: hosts of pages refuse some from 25 MB on, and git hosts from 100 MB. */
const large = 25 * 1024 * 1024;
/** Responses: a file; an address of elsewhere, or nothing that everybody may see. */
const expected = [200, 301, 302, 303, 307, 308, 401, 404, 406];
/** Bytes of a file that are held in memory. */
const mostHeld = 4 * 1024 * 1024;

/**
 * Exports the public part of a catalogue.
 * @throws ValidationError without an address; ConflictError if the folder is of others; UnavailableError (the disk is full);
 *   the signal's reason
 */
export async function exportCatalogue(options: ExportOptions): Promise<ExportResult> {
  const { folder, to } = options;
  if (`${resolve(to)}/`.startsWith(`${resolve(folder)}/`))
    throw new ConflictError('The export must not lie in the catalogue folder itself. Name another place.');
  const workers = new WorkerPool();
  const files = await openFileCatalogue(folder, { cache: true, patience: Number.POSITIVE_INFINITY, workers });
  try {
    await files.load();
    const catalogue = files.for(anonymous);
    const url = (options.url ?? catalogue.settings.base_url).replace(/\/+$/, '');
    if (!url)
      throw new ValidationError({
        url: [
          'Links in the files need the address at which they will be served: --url https://data.example.org, or base_url in catalogue.yaml.',
        ],
      });
    const listener = createApp((viewer) => files.for(viewer), {
      baseUrl: url,
      staticExport: { today: await dayOfNewestVersion(catalogue) },
      work: unlimitedWork,
    });
    return await withLock(folder, `export ${resolve(to)}`, () =>
      new Exporter(catalogue, listener, url, new ExportFolder(to, options.force ?? false), options).run(),
    );
  } finally {
    await files.close();
    await workers.close();
  }
}

const unlimitedWork = { capacity: Number.POSITIVE_INFINITY };

/** A day that is the same wherever and whenever the files are made. */
async function dayOfNewestVersion(catalogue: Catalogue): Promise<string> {
  const { items } = await catalogue.list('version', { pageSize: 1 });
  return (items[0]?.datetime ?? '1970-01-01').slice(0, 10);
}

class Exporter {
  readonly #catalogue: Catalogue;
  readonly #listener: RequestListener;
  readonly #url: string;
  readonly #folder: ExportFolder;
  readonly #options: ExportOptions;
  readonly #large: { file: string; size: number }[] = [];
  readonly #media = new Set<string>();
  readonly #common: string;
  #files = 0;
  #units = 0;

  constructor(
    catalogue: Catalogue,
    listener: RequestListener,
    url: string,
    folder: ExportFolder,
    options: ExportOptions,
  ) {
    this.#catalogue = catalogue;
    this.#listener = listener;
    this.#url = url;
    this.#folder = folder;
    this.#options = options;
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    this.#common = JSON.stringify([version, assetsPath, url, catalogue.settings]);
  }

  async run(): Promise<ExportResult> {
    const [catalogue, folder] = [this.#catalogue, this.#folder];
    const { settings } = catalogue;
    try {
      const datasets = await collect(catalogue, 'dataset');
      const namespaces = await collect(catalogue, 'namespace');
      const queries = await collect(catalogue, 'query');
      if (settings.logo) this.#media.add(settings.logo);
      const byName = new Map(namespaces.map((namespace) => [namespace.slug, namespace]));
      const queriesOf = new Map<string, Query[]>();
      for (const query of queries) queriesOf.set(query.dataset, [...(queriesOf.get(query.dataset) ?? []), query]);
      const others = new Neighbours(datasets);
      for (const dataset of datasets) {
        for (const path of [dataset.image, dataset.showcase_image, dataset.thumbnail_image])
          if (path) this.#media.add(path);
        const about = queriesOf.get(formatRef(refOf(dataset))) ?? [];
        await this.#unit(
          `dataset ${formatRef(refOf(dataset))}`,
          [dataset, byName.get(dataset.namespace), about, others.near(dataset)],
          async () => datasetAddresses(dataset, settings.page_size, await this.#versionsWithRows(dataset)),
        );
        this.#options.onProgress?.(++this.#units, datasets.length);
      }
      for (const query of queries) await this.#unit(`query ${query.slug}`, [query], () => queryAddresses(query));
      for (const namespace of namespaces) {
        const own = datasets.filter((dataset) => dataset.namespace === namespace.slug);
        const pages = Math.ceil(own.length / settings.page_size);
        await this.#unit(`namespace ${namespace.slug}`, [namespace, own], () => namespaceAddresses(namespace, pages));
      }
      for await (const group of listAll(catalogue, 'group'))
        await this.#unit(`group ${group.slug}`, [group], () => groupAddresses(group));
      await this.#unit('media', null, () => mediaAddresses(this.#media));
      await this.#unit('site', [datasets, namespaces, queries], () => this.#siteAddresses());
      this.#writeTexts('search', this.#summaryFiles(namespaces, datasets));
      this.#writeTexts('host', this.#hostFiles());
      folder.finish();
    } finally {
      folder.close();
    }
    this.#large.sort((a, b) => b.size - a.size);
    return {
      url: this.#url,
      files: this.#files,
      written: folder.written,
      removed: folder.removed,
      large: this.#large,
    };
  }

  *#siteAddresses(): Generator<ExportedAddress> {
    yield* siteAddresses();
    for (const path of this.#lists) yield path;
  }

  #lists: ExportedAddress[] = [];

  /** Writes the files of a unit, unless it is made of the same as before. @param made null for one that is always written */
  async #unit(
    name: string,
    made: unknown,
    addresses: () => Iterable<ExportedAddress> | Promise<Iterable<ExportedAddress>>,
  ): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (name === 'site') this.#lists = await this.#listAddresses();
    const fingerprint = made === null ? '' : fingerprintOf(this.#common, made);
    if (this.#folder.keepUnit(name, fingerprint)) return;
    const wanted = [...(await addresses())];
    this.#folder.beginUnit(
      name,
      wanted.map(({ file }) => file),
    );
    const files: string[] = [];
    for (const address of wanted) if (await this.#write(address)) files.push(address.file);
    this.#files += files.length;
    this.#folder.endUnit(name, fingerprint, files);
  }

  /** Slugs of the versions of a dataset whose rows can be read. */
  async #versionsWithRows(dataset: Dataset): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const version of dataset.versions) {
      if (!version.ready || version.href) continue;
      const hasRows = await this.#catalogue.profile(refOf(version) as VersionRef).then(
        () => true,
        (error) => {
          if (error instanceof NotFoundError) return false;
          throw error;
        },
      );
      if (hasRows) found.add(version.slug);
    }
    return found;
  }

  async #listAddresses(): Promise<ExportedAddress[]> {
    const lists: ExportedAddress[] = [];
    for (const kind of ['dataset', 'version', 'namespace', 'query', 'group'] as const)
      lists.push(...listAt(`${apiRoot}${collections[kind]}/`, await this.#catalogue.list(kind, {})));
    return lists;
  }

  /** Writes the response of an address. @returns false if there is none that everybody may see */
  async #write({ path, accept, file, withReason }: ExportedAddress): Promise<boolean> {
    const { status, body } = await getInProcess(this.#listener, path, accept);
    if (!expected.includes(status)) throw new Error(`The export of ${path} failed with status ${status}.`);
    if (status !== 200 && !(withReason && status === 404)) {
      body.resume();
      return false;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const parts = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
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

  /** Static files of the pages, and those that tell hosts how to serve. */
  *#hostFiles(): Generator<readonly [string, Buffer]> {
    for (const [name, bytes] of assetFiles(this.#catalogue.settings)) yield [`${assetsPath.slice(1)}/${name}`, bytes];
    for (const [name, text] of hostFiles(baseUrlPath(this.#url))) yield [name, Buffer.from(text)];
  }

  #writeTexts(name: string, texts: Iterable<readonly [string, Buffer]>): void {
    const files = [...texts];
    const names = files.map(([file]) => file);
    this.#folder.beginUnit(name, names);
    for (const [file, bytes] of files) this.#folder.write(file, bytes);
    this.#folder.endUnit(name, '', names);
  }
}

async function collect<K extends 'dataset' | 'namespace' | 'query'>(catalogue: Catalogue, kind: K) {
  const found = [];
  for await (const entity of listAll(catalogue, kind)) found.push(entity);
  return found as K extends 'dataset' ? Dataset[] : K extends 'namespace' ? Namespace[] : Query[];
}

function fingerprintOf(common: string, made: unknown): string {
  return createHash('sha256').update(common).update(JSON.stringify(made)).digest('base64url').slice(0, 22);
}
