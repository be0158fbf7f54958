/** A catalogue elsewhere, over HTTP: what it is asked is what the server's routes answer. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Catalogue,
  CreatableKind,
  HistoryRef,
  Input,
  ListOptions,
  Media,
  Page,
  Payload,
  Published,
  Rows,
  RowsRequest,
  Upload,
  WritableKind,
  WriteOptions,
} from '../catalogue/catalogue.ts';
import type { Difference, DifferenceOptions } from '../catalogue/difference.ts';
import { StaleError } from '../catalogue/errors.ts';
import type { DatasetRef, Ref, Refs, VersionRef } from '../catalogue/ref.ts';
import type { CatalogueFile, Commit, Entities, FileDetails, Kind, Settings } from '../catalogue/types.ts';
import { apiRoot, collections, pathOf } from '../catalogue/urls.ts';
import { RemoteAccounts } from './accounts.ts';
import { differenceOf } from './difference.ts';
import type { Http } from './http.ts';
import { pageFrom, pagingQuery, questionQuery } from './pages.ts';
import { type Json, part, read, readCommit, readDetails } from './read.ts';
import { RemoteReplica } from './replica.ts';
import { rowsOf } from './rows.ts';
import { mediaAt, payloadOf } from './stored.ts';
import { RemoteTrash } from './trash.ts';
import { publishTo } from './upload.ts';
import { bodyOf } from './write.ts';

export class RemoteCatalogue implements Catalogue {
  readonly #http: Http;
  readonly settings: Settings;
  /** What users sign in with there. */
  readonly accounts: RemoteAccounts;
  readonly trash: RemoteTrash;
  readonly replica: RemoteReplica;
  /** Strong validators of entities that came alone: what a write may build on (RFC 9110, section 13.1.1). */
  readonly #tags = new WeakMap<object, string>();
  readonly #details = new WeakMap<CatalogueFile, FileDetails>();

  constructor(http: Http, settings: Settings) {
    this.#http = http;
    this.settings = settings;
    this.accounts = new RemoteAccounts(http);
    this.trash = new RemoteTrash(http);
    this.replica = new RemoteReplica(http);
  }

  /** Another one each time: whether anything has changed, nobody knows without asking. */
  get revision(): object {
    return {};
  }

  async list<K extends Kind>(kind: K, question: ListOptions): Promise<Page<Entities[K]>> {
    const { value } = await this.#http.json({ path: collectionPath(kind, question), query: questionQuery(question) });
    return pageFrom(value, question, (object) => this.#read(kind, object));
  }

  async get<K extends Kind>(ref: Refs[K]): Promise<Entities[K]> {
    const { value, headers } = await this.#http.json({ path: pathOf(ref) });
    return this.#tagged(this.#read(ref.kind as K, value), headers.etag);
  }

  async payload(ref: VersionRef): Promise<Payload> {
    return payloadOf(this.#http, await this.get<'version'>(ref));
  }

  async rows(ref: VersionRef, question: RowsRequest): Promise<Rows> {
    return rowsOf(this.#http, await this.get<'version'>(ref), question);
  }

  async difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference> {
    const [before, after] = await Promise.all([this.get<'version'>(from), this.get<'version'>(to)]);
    return differenceOf(this.#http, before, after, options);
  }

  media(path: string): Promise<Media> {
    return mediaAt(this.#http, path);
  }

  /** What came with the files when they were listed; of others, they are asked for again. */
  async inspect(files: readonly CatalogueFile[]): Promise<readonly FileDetails[]> {
    const details = async (file: CatalogueFile): Promise<FileDetails> => {
      const known = this.#details.get(file);
      if (known) return known;
      return readDetails((await this.#http.json({ path: pathOf({ kind: 'file', slug: String(file.id) }) })).value);
    };
    return Promise.all(files.map(details));
  }

  async history(ref: HistoryRef, question: Pick<ListOptions, 'page' | 'pageSize'> = {}): Promise<Page<Commit>> {
    const { value } = await this.#http.json({ path: `${pathOf(ref)}history/`, query: pagingQuery(question) });
    return pageFrom(value, question, readCommit);
  }

  async create<K extends CreatableKind>(kind: K, input: Input): Promise<Entities[K]> {
    const path = `${apiRoot}${collections[kind]}/`;
    const body = await bodyOf(kind, input, this.#http.base);
    const { value } = await this.#http.json({ method: 'POST', path, ...body });
    return this.#read(kind, value);
  }

  async edit<K extends WritableKind>(
    ref: Refs[K],
    input: Input,
    basis: WriteOptions<Entities[K]> = {},
  ): Promise<Entities[K]> {
    const asksVersion = ref.kind === 'query' && typeof input.version === 'string' && input.dataset === undefined;
    const whole = asksVersion ? { ...input, dataset: (await this.get<'query'>(ref as Refs['query'])).dataset } : input;
    const body = await bodyOf(ref.kind, whole, this.#http.base);
    const headers = { ...body.headers, ...(await this.#condition(ref, basis)) };
    const { value, headers: answered } = await this.#http.json({
      method: 'PATCH',
      path: pathOf(ref),
      ...body,
      headers,
    });
    return this.#tagged(this.#read(ref.kind as K, value), answered.etag);
  }

  async publish(ref: DatasetRef, upload: Upload): Promise<Published> {
    return publishTo(this.#http, await this.get<'dataset'>(ref), upload, () => this.get<'dataset'>(ref));
  }

  async remove(ref: Ref, basis: WriteOptions<Entities[Kind]> = {}): Promise<void> {
    const headers = await this.#condition(ref, basis);
    const { body } = await this.#http.ask({ method: 'DELETE', path: pathOf(ref), headers });
    body.resume();
  }

  /** Lets go of the connections. */
  close(): Promise<void> {
    return this.#http.close();
  }

  #read<K extends Kind>(kind: K, value: unknown): Entities[K] {
    const object: Json = part(value);
    const entity = read[kind](object);
    if (entity.kind === 'file') this.#details.set(entity, readDetails(object));
    return entity;
  }

  #tagged<T extends object>(entity: T, tag: string | undefined): T {
    if (tag !== undefined) this.#tags.set(entity, tag);
    return entity;
  }

  /** What the one who writes has seen, as a condition; what came in a list is compared with what is there now. */
  async #condition(
    ref: Ref,
    { ifMatch: seen }: WriteOptions<Entities[Kind]>,
  ): Promise<Readonly<Record<string, string>>> {
    if (seen === undefined) return {};
    const tag = this.#tags.get(seen);
    if (tag !== undefined) return { 'if-match': tag };
    const now = await this.get<Kind>(ref as Refs[Kind]);
    if (!isDeepStrictEqual(now, seen)) throw new StaleError();
    const fresh = this.#tags.get(now);
    return fresh === undefined ? {} : { 'if-match': fresh };
  }
}

/** Where a collection is asked: within a namespace or a dataset, the one there. */
function collectionPath(kind: Kind, { namespace, dataset }: ListOptions): string {
  if (namespace === undefined) return `${apiRoot}${collections[kind]}/`;
  if (dataset === undefined) return `${pathOf({ kind: 'namespace', slug: namespace })}${collections[kind]}/`;
  return `${pathOf({ kind: 'dataset', namespace, slug: dataset })}version/`;
}
