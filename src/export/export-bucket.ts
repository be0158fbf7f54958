/**
 * A folder in a bucket, as the place of an export of tables. It has the list of its files, as a folder on a disk has, and each object
 * has a mark of the unit that it belongs to. While an export writes, there is another object beside the list: where a later
 * export finds it, the list may be wrong, and marks are compared.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { ConflictError, ObjectStoreError } from '../catalogue/errors.ts';
import type { ByteRange } from '../catalogue/open-file.ts';
import { bucketAndPrefix } from '../catalogue/payload-store.ts';
import { Bucket } from '../files/payloads/bucket.ts';
import type { StoreWords } from '../files/payloads/store-errors.ts';
import { formatExportList, parseExportList, type Unit } from './export-list.ts';
import type { HiddenFiles } from './hidden-files.ts';
import { chunksOf, type TablesPlace } from './tables-place.ts';

export interface ExportBucketOptions {
  /** `s3://bucket/folder` */
  readonly address: string;
  readonly endpoint: string;
  readonly region: string;
  readonly listName: string;
  /** True to write into a folder that has other files, and to replace those of the same name. */
  readonly mayReplace: boolean;
  readonly signal: AbortSignal | undefined;
}

const words: StoreWords = {
  bucket: 'name another one',
  region: 'set AWS_REGION, or name it with --region',
  address: '--region and --endpoint',
  retry: 'Export again later: what has arrived is not sent again.',
  missing: (key) => new ObjectStoreError(`The object store lacks ${key}, which this export needs. Export again.`),
  wrongBytes: (key) =>
    new ObjectStoreError(
      `The object store has other bytes in ${key} than were sent. Is another export running? Export again.`,
    ),
};

/** Name of the mark among the metadata of an object. */
const markName = 'catalogue-unit';
/** Requests to remove objects under way at the same time. */
const removals = 8;
/** Age in milliseconds from which an upload counts as abandoned. */
const aDay = 86_400_000;

/** Media types, and what caches of HTTP may do with files that are replaced. */
const mediaTypes: Readonly<Record<string, { readonly type: string; readonly cacheControl?: string }>> = {
  parquet: { type: 'application/vnd.apache.parquet' },
  avro: { type: 'application/vnd.apache.avro' },
  json: { type: 'application/json', cacheControl: 'no-cache' },
  text: { type: 'text/plain', cacheControl: 'no-cache' },
};

export class ExportBucket implements TablesPlace {
  readonly concurrency = 4;
  readonly #options: ExportBucketOptions;
  readonly #bucket: Bucket;
  readonly #prefix: string;
  /** Name of the object that is there while an export writes. */
  readonly #unfinishedName: string;
  /** Files in the bucket when this export began. */
  readonly #present = new Set<string>();
  /** Units of the export before. */
  readonly #before = new Map<string, Unit>();
  readonly #after = new Map<string, Unit>();
  /** Files of this export or an earlier one. */
  readonly #known = new Set<string>();
  readonly #marks = new Map<string, string>();
  #listBefore = '';
  #beginning: Promise<void> | undefined;
  written = 0;
  removed = 0;

  private constructor(options: ExportBucketOptions) {
    const { bucket, prefix } = bucketAndPrefix({ store: options.address });
    this.#options = options;
    this.#bucket = new Bucket({ ...options, bucket }, words);
    this.#prefix = prefix;
    this.#unfinishedName = `${options.listName}.new`;
  }

  /** Lists what is there. @throws ConflictError if it has files and is no export; ObjectStoreError, UnavailableError */
  static async open(options: ExportBucketOptions): Promise<ExportBucket> {
    const place = new ExportBucket(options);
    try {
      await place.#readState();
      return place;
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  async #readState(): Promise<void> {
    const { address, listName, mayReplace } = this.#options;
    let listSize = 0;
    for await (const { key, size } of this.#bucket.list(this.#prefix)) {
      const file = key.slice(this.#prefix.length);
      if (file) this.#present.add(file);
      if (file === listName) listSize = size;
    }
    const isOwn = this.#present.has(listName) || this.#present.has(this.#unfinishedName);
    const [other] = this.#present;
    if (!isOwn && other !== undefined && !mayReplace)
      throw new ConflictError(
        `${address} isn't empty and is no export (${other} is in it). Name another folder of the bucket, or export into this one with --force.`,
      );
    this.#listBefore = await text(await this.#bucket.read(this.#prefix + listName, listSize));
    for (const unit of parseExportList(this.#listBefore)) {
      this.#before.set(unit.name, unit);
      for (const file of unit.files) this.#known.add(file);
    }
  }

  /** Those of files that are listed, or that an interrupted export may have written. */
  get unitsBefore(): readonly string[] {
    return [...this.#before.keys(), ...[...this.#present].filter(isTableFile).map(tableUnitOf)];
  }

  async removeHidden(hiddenIn: HiddenFiles): Promise<void> {
    const hidden: string[] = [];
    for (const file of this.#present)
      if (isTableFile(file) && hiddenIn(tableUnitOf(file))?.(file) && (await this.#isOfExport(file))) hidden.push(file);
    if (hidden.length === 0) return;
    await this.#begin();
    await this.#removeInOrder(hidden);
    for (const file of hidden) this.#present.delete(file);
  }

  /** Notes in the bucket that the list may be wrong from here on. */
  async #begin(): Promise<void> {
    if (!this.#wasInterrupted) this.#beginning ??= this.#put(this.#unfinishedName, Buffer.from('{}\n'));
    await this.#beginning;
  }

  /** True if an earlier export has ended before its end. */
  get #wasInterrupted(): boolean {
    return this.#present.has(this.#unfinishedName);
  }

  async keepUnit(name: string, fingerprint: string, files: readonly string[]): Promise<boolean> {
    if (!files.every((file) => this.#present.has(file))) return false;
    const isSame = this.#wasInterrupted
      ? await this.#haveMark(files, markOf(fingerprint))
      : this.#before.get(name)?.fingerprint === fingerprint;
    if (isSame) this.#after.set(name, { name, fingerprint, files });
    return isSame;
  }

  async #haveMark(files: readonly string[], mark: string): Promise<boolean> {
    for (const file of files) if ((await this.#markIn(file)) !== mark) return false;
    return true;
  }

  /** The mark of an object; undefined if it is of others. */
  async #markIn(file: string): Promise<string | undefined> {
    this.#options.signal?.throwIfAborted();
    return (await this.#bucket.find(this.#prefix + file))?.metadata[markName];
  }

  async beginUnit(_name: string, files: readonly string[], fingerprint: string): Promise<void> {
    await this.#begin();
    for (const file of files) {
      this.#marks.set(file, markOf(fingerprint));
      const mayBeOfOthers = !this.#known.has(file) && this.#present.has(file) && !this.#options.mayReplace;
      if (mayBeOfOthers && (await this.#markIn(file)) === undefined)
        throw new ConflictError(
          `${this.#options.address} has ${file} already, and not of an export. Move it away, or replace it with --force.`,
        );
    }
  }

  async write(file: string, bytes: Buffer): Promise<void> {
    await this.#put(file, bytes);
    this.written++;
  }

  async #put(file: string, bytes: Buffer): Promise<void> {
    await this.#bucket.put(this.#prefix + file, bytes, this.#detailsOf(file), this.#options.signal);
  }

  async writeStream(file: string, first: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<number> {
    let size = 0;
    async function* counted() {
      for await (const chunk of chunksOf(first, rest)) {
        size += chunk.length;
        yield chunk;
      }
    }
    const bytes = Readable.from(counted(), { objectMode: false });
    await this.#bucket.upload(this.#prefix + file, bytes, 0, this.#detailsOf(file), this.#options.signal);
    this.written++;
    return size;
  }

  #detailsOf(file: string) {
    const extension = file.slice(file.lastIndexOf('.') + 1);
    const media = mediaTypes[extension] ?? { type: 'text/plain', cacheControl: 'no-cache' };
    return { ...media, metadata: { [markName]: this.#marks.get(file) ?? '' } };
  }

  async readRange(file: string, size: number, range: ByteRange): Promise<Buffer> {
    return buffer(await this.#bucket.read(this.#prefix + file, size, range));
  }

  endUnit(name: string, fingerprint: string, files: readonly string[]): void {
    this.#after.set(name, { name, fingerprint, files });
    for (const file of files) this.#marks.delete(file);
  }

  async finish(): Promise<void> {
    const { listName } = this.#options;
    const kept = new Set([...this.#after.values()].flatMap(({ files }) => files));
    const stale: string[] = [];
    for (const file of this.#present) if (!kept.has(file) && (await this.#isOfExport(file))) stale.push(file);
    await this.#removeInOrder(stale);
    const list = formatExportList(this.#after.values());
    if (list !== this.#listBefore) await this.write(listName, Buffer.from(list));
    if (!this.#beginning && !this.#wasInterrupted) return;
    await this.#bucket.remove(this.#prefix + this.#unfinishedName);
    // Another program may keep tables of the same layout beside them.
    const tables = new Set([...kept, ...this.#known].map(tableOf));
    const isOwn = (key: string) => {
      const file = key.slice(this.#prefix.length);
      return isTableFile(file) && tables.has(tableOf(file));
    };
    const before = new Date(Date.now() - aDay);
    // The key may lack the permission to list them.
    await this.#bucket.removeUnfinishedUploads(this.#prefix, isOwn, before, false).catch(() => {});
  }

  /** True for a file of an earlier export, but for the lists. */
  async #isOfExport(file: string): Promise<boolean> {
    if (this.#known.has(file)) return true;
    return this.#wasInterrupted && isTableFile(file) && (await this.#markIn(file)) !== undefined;
  }

  /** Removes files: first what leads to others, so that no reader finds a table whose files are missing. */
  async #removeInOrder(stale: readonly string[]): Promise<void> {
    const isPointer = (file: string) => /\.(text|json)$/.test(file);
    for (const files of [stale.filter(isPointer), stale.filter((file) => !isPointer(file))])
      await forEachConcurrent(files, removals, (file) => this.#remove(file));
  }

  async #remove(file: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await this.#bucket.remove(this.#prefix + file);
    this.removed++;
  }

  async close(): Promise<void> {
    await this.#bucket.close();
  }
}

const markOf = (fingerprint: string): string => createHash('sha256').update(fingerprint).digest('hex').slice(0, 32);

/** True for the paths of the files of a table: `<namespace>/<dataset>/data/…`, and `metadata`. */
const isTableFile = (file: string): boolean => /^[^/]+\/[^/]+\/(data|metadata)\/[^/]+$/.test(file);

/** Folder of the table of a file. */
const tableOf = (file: string): string => file.split('/', 2).join('/');

/** Name of the unit of the table of a file. */
const tableUnitOf = (file: string): string => `table ${tableOf(file)}`;
