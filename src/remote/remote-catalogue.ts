/** A catalogue on a remote server: each method of the interface is a request to one of the server's routes. */
import { isDeepStrictEqual } from 'node:util';
import type {
  Catalogue,
  ChangesPage,
  CreatableKind,
  HistoryRef,
  Input,
  ListOptions,
  Page,
  ProfileRequest,
  Published,
  RemoveOptions,
  Rows,
  RowsRequest,
  Upload,
  WritableKind,
  WriteOptions,
} from '../catalogue/catalogue.ts';
import type { VersionProfile } from '../catalogue/column-statistics.ts';
import type { Difference, DifferenceOptions } from '../catalogue/difference.ts';
import { NotFoundError, StaleError } from '../catalogue/errors.ts';
import type { ChangesOptions } from '../catalogue/feed.ts';
import type { MapRequest, RowsMap } from '../catalogue/maps.ts';
import type { Media, Payload } from '../catalogue/open-file.ts';
import { type DatasetRef, datasetRefOf, type Ref, type Refs, type VersionRef } from '../catalogue/ref.ts';
import { settingsFromRecord } from '../catalogue/settings.ts';
import type { CatalogueFile, ColumnType, Commit, Entities, FileDetails, Kind, Settings } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections, columnPath, parseCatalogueUrl } from '../catalogue/urls.ts';
import { RemoteAccounts } from './accounts.ts';
import { type Answer, answers, listPageShape } from './answers.ts';
import { type Http, type HttpOptions, openHttp } from './http.ts';
import { fetchMap } from './maps.ts';
import { isFound, withMissingNames } from './missing-links.ts';
import { listQueryPairs, pagingQueryPairs, parseListPage } from './pages.ts';
import { fetchMediaFile, fetchPayload, sendUpload } from './payloads.ts';
import { parseChangedRecord, parseCommit, parseFileDetails, read } from './read.ts';
import { RemoteReplica } from './replica.ts';
import { fetchDifference, fetchRows } from './rows.ts';
import { type Shape, unexpectedResponseFieldError } from './shapes.ts';
import { RemoteTrash } from './trash.ts';
import { encodeInput, writeQuery } from './write.ts';

/**
 * The catalogue of a server, as the owner of the token sees it. Sends no request yet.
 * @param address `https://data.example.org`, with the path before `/api/v1/` if there is one
 * @throws ValidationError if the address is not valid, or contains a password
 */
export async function openRemoteCatalogue(address: string, options: HttpOptions = {}): Promise<RemoteCatalogue> {
  const base = parseCatalogueUrl(address.trim());
  const settings = settingsFromRecord({ title: new URL(base).host, base_url: base });
  return new RemoteCatalogue(await openHttp(base, options), settings);
}

export class RemoteCatalogue implements Catalogue {
  readonly #http: Http;
  readonly settings: Settings;
  /** Passwords and tokens of the server's users. */
  readonly accounts: RemoteAccounts;
  readonly trash: RemoteTrash;
  readonly replica: RemoteReplica;
  /** ETags of the entities that `get` and `edit` returned, for If-Match (RFC 9110, section 13.1.1). */
  readonly #tags = new WeakMap<object, string>();
  /** Details that came with the files of a list. */
  readonly #details = new WeakMap<CatalogueFile, FileDetails>();

  constructor(http: Http, settings: Settings) {
    this.#http = http;
    this.settings = settings;
    this.accounts = new RemoteAccounts(http);
    this.trash = new RemoteTrash(http);
    this.replica = new RemoteReplica(http);
  }

  /** A new one each time, since a change is not known without a request. */
  get revision(): object {
    return {};
  }

  /** The language that the root of the API names in its header Content-Language (RFC 9110, section 8.5). */
  async language(): Promise<string> {
    const { headers } = await this.#http.requestJson({ path: apiRoot }, answers.any);
    return headers['content-language'] ?? '';
  }

  async list<K extends Kind>(kind: K, options: ListOptions): Promise<Page<Entities[K]>> {
    const request = { path: collectionPath(kind, options), query: listQueryPairs(options) };
    const { value } = await this.#http.requestJson(request, listPageShape(shapeOf(kind)));
    return parseListPage(value, options, (object) => this.#read(kind, object));
  }

  async get<K extends Kind>(ref: Refs[K]): Promise<Entities[K]> {
    const { value, headers } = await this.#http.requestJson({ path: apiPath(ref) }, shapeOf(ref.kind as K));
    return this.#tagged(this.#read(ref.kind as K, value), headers.etag);
  }

  async payload(ref: VersionRef): Promise<Payload> {
    return fetchPayload(this.#http, await this.get<'version'>(ref));
  }

  async rows(ref: VersionRef, rows: RowsRequest): Promise<Rows> {
    const version = await this.get<'version'>(ref);
    const columnsOf = async () => (await this.get<'dataset'>(datasetRefOf(version))).columns;
    return fetchRows(this.#http, version, rows, columnsOf);
  }

  async map(ref: VersionRef, request: MapRequest): Promise<RowsMap> {
    return fetchMap(this.#http, await this.get<'version'>(ref), request);
  }

  async profile(ref: VersionRef, { parameters = [] }: Partial<ProfileRequest> = {}): Promise<VersionProfile> {
    const path = `${apiPath(ref.slug === 'latest' ? { kind: 'dataset', namespace: ref.namespace, slug: ref.dataset } : ref)}profile/`;
    return (await this.#http.requestJson({ path, query: parameters }, answers.profile)).value;
  }

  async columnTypes(dataset: DatasetRef, name: string): Promise<ReadonlyMap<string, ColumnType | null>> {
    const request = { path: columnPath(dataset, name) };
    // Of a column that is only described, and on an older server, there is no resource.
    const found = await this.#http.requestJson(request, answers.column).catch(nullIfNotFound);
    return new Map(found?.value.versions.map(({ slug, type }) => [slug, type ?? null]));
  }

  async difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference> {
    const [before, after] = await Promise.all([this.get<'version'>(from), this.get<'version'>(to)]);
    return fetchDifference(this.#http, before, after, options);
  }

  media(path: string): Promise<Media> {
    return fetchMediaFile(this.#http, path);
  }

  /** Details of files; a request for each file that no list has returned. */
  async inspect(files: readonly CatalogueFile[]): Promise<readonly FileDetails[]> {
    const details = async (file: CatalogueFile): Promise<FileDetails> => {
      const known = this.#details.get(file);
      if (known) return known;
      const path = apiPath({ kind: 'file', slug: String(file.id) });
      return parseFileDetails((await this.#http.requestJson({ path }, answers.file)).value);
    };
    return Promise.all(files.map(details));
  }

  async changes({ since, cursor = '', pageSize }: ChangesOptions = {}): Promise<ChangesPage> {
    const paging = { cursor, pageSize };
    const query = [...(since === undefined ? [] : [['since', since] as const]), ...pagingQueryPairs(paging)];
    const { value } = await this.#http.requestJson(
      { path: `${apiRoot}changes/`, query },
      listPageShape(answers.change),
    );
    const { until = null, complete_since: completeSince = null } = value;
    const page = parseListPage(value, paging, parseChangedRecord);
    if (page.nextCursor === undefined) throw unexpectedResponseFieldError('next');
    return { ...page, until, completeSince };
  }

  async history(ref: HistoryRef, paging: Pick<ListOptions, 'page' | 'pageSize'> = {}): Promise<Page<Commit>> {
    const request = { path: `${apiPath(ref)}history/`, query: pagingQueryPairs(paging) };
    const { value } = await this.#http.requestJson(request, listPageShape(answers.commit));
    return parseListPage(value, paging, parseCommit);
  }

  async create<K extends CreatableKind>(kind: K, input: Input, { dryRun }: WriteOptions = {}): Promise<Entities[K]> {
    const path = `${apiRoot}${collections[kind]}/`;
    const body = await encodeInput(kind, input, this.#http.base);
    const request = { method: 'POST', path, query: writeQuery(dryRun), ...body } as const;
    const { value } = await this.#http.requestJson(request, shapeOf(kind)).catch(this.#withMissingNames(kind, input));
    return this.#read(kind, value);
  }

  async edit<K extends WritableKind>(
    ref: Refs[K],
    input: Input,
    options: WriteOptions<Entities[K]> = {},
  ): Promise<Entities[K]> {
    const asksVersion = ref.kind === 'query' && typeof input.version === 'string' && input.dataset === undefined;
    const whole = asksVersion ? { ...input, dataset: (await this.get<'query'>(ref as Refs['query'])).dataset } : input;
    const body = await encodeInput(ref.kind, whole, this.#http.base);
    const headers = { ...body.headers, ...(await this.#condition(ref, options)) };
    const request = {
      method: 'PATCH',
      path: apiPath(ref),
      query: writeQuery(options.dryRun),
      ...body,
      headers,
    } as const;
    const { value, headers: answered } = await this.#http
      .requestJson(request, shapeOf(ref.kind as K))
      .catch(this.#withMissingNames(ref.kind, input));
    return this.#tagged(this.#read(ref.kind as K, value), answered.etag);
  }

  async publish(ref: DatasetRef, upload: Upload, { dryRun }: WriteOptions = {}): Promise<Published> {
    const query = writeQuery(dryRun);
    return sendUpload(this.#http, await this.get<'dataset'>(ref), upload, query, () => this.get<'dataset'>(ref));
  }

  async remove(ref: Ref, options: RemoveOptions = {}): Promise<void> {
    const headers = await this.#condition(ref, options);
    const { body } = await this.#http.request({
      method: 'DELETE',
      path: apiPath(ref),
      query: [...writeQuery(options.dryRun), ...(options.permanently ? [['permanently', 'true'] as const] : [])],
      headers,
    });
    body.resume();
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#http.close();
  }

  #read<K extends Kind>(kind: K, object: Answer<K>): Entities[K] {
    const entity = read[kind](object);
    if (entity.kind === 'file') this.#details.set(entity, parseFileDetails(object as Answer<'file'>));
    return entity;
  }

  /** Throws the error of a write with the names of what is missing. */
  #withMissingNames(kind: WritableKind, input: Input): (error: unknown) => Promise<never> {
    return async (error) => {
      throw await withMissingNames(error, kind, input, (ref) => isFound(this.get(ref as Refs['group'])));
    };
  }

  #tagged<T extends object>(entity: T, tag: string | undefined): T {
    if (tag !== undefined) this.#tags.set(entity, tag);
    return entity;
  }

  /** Headers for `ifMatch`. An entity from a list has no ETag, and is compared with the current one. */
  async #condition(ref: Ref, { ifMatch }: WriteOptions<Entities[Kind]>): Promise<Readonly<Record<string, string>>> {
    if (ifMatch === undefined) return {};
    const tag = this.#tags.get(ifMatch);
    if (tag !== undefined) return { 'if-match': tag };
    const current = await this.get<Kind>(ref as Refs[Kind]);
    if (!isDeepStrictEqual(current, ifMatch)) throw new StaleError();
    const currentTag = this.#tags.get(current);
    return currentTag === undefined ? {} : { 'if-match': currentTag };
  }
}

/** The shape of the objects of a kind. */
const shapeOf = <K extends Kind>(kind: K) => answers[kind] as Shape<Answer<K>>;

/** Path of a collection: that of the namespace or dataset, if there is one. */
function collectionPath(kind: Kind, { namespace, dataset }: ListOptions): string {
  if (namespace === undefined) return `${apiRoot}${collections[kind]}/`;
  if (dataset === undefined) return `${apiPath({ kind: 'namespace', slug: namespace })}${collections[kind]}/`;
  return `${apiPath({ kind: 'dataset', namespace, slug: dataset })}version/`;
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}
