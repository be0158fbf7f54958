/** The catalogue in a folder as one viewer sees it. */

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
import { NotFoundError, NotPermittedError } from '../catalogue/errors.ts';
import { mediaPath, recordFolders, type Scope } from '../catalogue/layout.ts';
import { type ListedKind, list, narrow, pageOf } from '../catalogue/listing.ts';
import { find } from '../catalogue/lookup.ts';
import { isPersonalTo, mayWrite, ownUserFields, type Viewer, visibleTo } from '../catalogue/permissions.ts';
import type { DatasetRef, Ref, Refs, VersionRef } from '../catalogue/ref.ts';
import type { Replica } from '../catalogue/replica.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { CatalogueFile, Commit, Entities, FileDetails, Kind, Settings } from '../catalogue/types.ts';
import { folderIsGone } from '../disk/private-folder.ts';
import { openMedia, openPayload } from './bytes.ts';
import type { Access, CatalogueFiles } from './catalogue-files.ts';
import { compareVersions } from './difference.ts';
import { listFiles } from './files-list.ts';
import { commitsOf, inspectFiles } from './git/history.ts';
import { historyPaths } from './git/history-paths.ts';
import { publishVersion } from './records/publish.ts';
import { createRecord, editRecord, removeRecord } from './records/records.ts';
import { FileReplica } from './replica/file-replica.ts';
import { queryRows } from './rows.ts';
import { isMediaHidden } from './shown-media.ts';
import { FileTrash } from './writing/file-trash.ts';

export class FileView implements Catalogue {
  readonly #files: CatalogueFiles;
  readonly #viewer: Viewer;
  readonly #access: Access;
  readonly replica: Replica;
  readonly trash: FileTrash;
  #seen: { whole: Snapshot; visible: Snapshot } | undefined;

  constructor(files: CatalogueFiles, viewer: Viewer) {
    this.#files = files;
    this.#viewer = viewer;
    this.#access = { files, viewer, visible: () => this.#snapshot };
    this.trash = new FileTrash(this.#access);
    this.replica = new FileReplica(this.#access);
  }

  get #snapshot(): Snapshot {
    const whole = this.#files.snapshot;
    if (this.#seen?.whole !== whole) this.#seen = { whole, visible: visibleTo(this.#viewer, whole) };
    return this.#seen.visible;
  }

  get revision(): object {
    return this.#snapshot;
  }

  get settings(): Settings {
    return this.#snapshot.settings;
  }

  async list<K extends Kind>(kind: K, question: ListOptions): Promise<Page<Entities[K]>> {
    await this.#files.load();
    const snapshot = this.#snapshot;
    if (kind !== 'file') return list(snapshot, kind as ListedKind, question) as Page<Entities[K]>;
    const files = narrow('file', listFiles(this.#files.store, snapshot), question);
    return pageOf(files, question, snapshot.settings) as Page<Entities[K]>;
  }

  async get<K extends Kind>(ref: Refs[K]): Promise<Entities[K]> {
    if (ref.kind === 'file') return (await this.#file(ref.slug)) as Entities[K];
    await this.#files.ensureRead(scopesOf(ref));
    try {
      return find(this.#snapshot, ref as Refs[ListedKind]) as Entities[K];
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      // Only the whole catalogue knows what has moved, and what a group's members are.
      await this.#files.load();
      return find(this.#snapshot, ref as Refs[ListedKind]) as Entities[K];
    }
  }

  async #file(id: string): Promise<CatalogueFile> {
    await this.#files.load();
    const file = listFiles(this.#files.store, this.#snapshot).find((entry) => String(entry.id) === id);
    if (!file) throw new NotFoundError();
    return file;
  }

  async payload(ref: VersionRef): Promise<Payload> {
    return openPayload(this.#files.store.tree, await this.get<'version'>(ref));
  }

  async rows(ref: VersionRef, question: RowsRequest): Promise<Rows> {
    return queryRows(this.#files, await this.get<'version'>(ref), question, this.settings);
  }

  async difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference> {
    const [before, after] = await Promise.all([this.get<'version'>(from), this.get<'version'>(to)]);
    return compareVersions(this.#files, before, after, options);
  }

  async media(path: string): Promise<Media> {
    await this.#files.load();
    if (isMediaHidden(mediaPath(path), this.#files.snapshot, this.#snapshot)) throw new NotFoundError();
    return openMedia(this.#files.store.tree, path);
  }

  inspect(files: readonly CatalogueFile[]): Promise<readonly FileDetails[]> {
    return inspectFiles(this.#files.root, files);
  }

  async history(ref: HistoryRef, question: Pick<ListOptions, 'page' | 'pageSize'> = {}): Promise<Page<Commit>> {
    const thing = await this.get<HistoryRef['kind']>(ref);
    await this.#files.load();
    await this.#files.commits.drained();
    const paths = historyPaths(thing, this.#viewer, this.#files.snapshot, this.#snapshot);
    return commitsOf(this.#files.root, paths, question, this.settings);
  }

  async create<K extends CreatableKind>(kind: K, input: Input, options?: WriteOptions): Promise<Entities[K]> {
    await this.#permit(namespaceIn(kind, input));
    return createRecord(this.#access, kind, input, options);
  }

  async edit<K extends WritableKind>(
    ref: Refs[K],
    input: Input,
    options: WriteOptions<Entities[K]> = {},
  ): Promise<Entities[K]> {
    const entity = await this.get(ref);
    const target = namespaceIn(ref.kind, input);
    if (ref.kind !== 'user') await this.#permit(namespaceOf(ref, entity));
    if (target !== undefined) await this.#permit(target);
    const fields = ref.kind === 'user' ? this.#ownPart(ref, input) : input;
    return editRecord(this.#access, ref, fields, options);
  }

  async publish(ref: DatasetRef, upload: Upload, options?: WriteOptions): Promise<Published> {
    await this.get(ref);
    await this.#permit(ref.namespace);
    return publishVersion(this.#access, ref, upload, options);
  }

  async remove(ref: Ref, options: WriteOptions<Entities[Kind]> = {}): Promise<void> {
    await this.#permit(namespaceOf(ref, await this.get(ref)));
    return removeRecord(this.#access, ref, options);
  }

  /** The fields of a user that the viewer may write: staff all, users those of their own that give no rights. */
  #ownPart(ref: Refs['user'], input: Input): Input {
    if (mayWrite(this.#viewer, undefined)) return input;
    if (this.#viewer.readOnly || !isPersonalTo(this.#viewer, ref.slug)) throw new NotPermittedError();
    return Object.fromEntries(Object.entries(input).filter(([name]) => ownUserFields.includes(name)));
  }

  /** Owners may write in their namespace, staff everywhere. */
  async #permit(namespace: string | undefined): Promise<void> {
    if (!this.#files.store.tree.isCatalogue()) throw folderIsGone();
    if (!this.#viewer.staff && namespace !== undefined)
      await this.#files.ensureRead([{ kind: 'namespace', slug: namespace }]);
    if (!mayWrite(this.#viewer, this.#snapshot.folders.get(namespace ?? ''))) throw new NotPermittedError();
  }
}

/**
 * The namespace that an input names: that of a dataset, or of the dataset of a query. '' if it is not a text: parsing the
 * input reports that.
 */
function namespaceIn(kind: WritableKind, { namespace, dataset }: Input): string | undefined {
  const address = kind === 'dataset' ? namespace : kind === 'query' ? dataset : undefined;
  if (address === undefined) return undefined;
  return typeof address === 'string' ? (address.split('/')[0] ?? '') : '';
}

/** The namespace that a thing belongs to. */
function namespaceOf(ref: Ref, entity: Entities[Kind]): string | undefined {
  if (ref.kind === 'namespace') return ref.slug;
  if (entity.kind === 'query') return entity.dataset.split('/')[0];
  return 'namespace' in ref ? ref.namespace : undefined;
}

/** What has to be read to find one thing, in a catalogue that hasn't been read as a whole. */
function scopesOf(ref: Exclude<Ref, { kind: 'file' }>): readonly Scope[] {
  const settings = { kind: 'settings' } as const;
  switch (ref.kind) {
    case 'dataset':
      return [settings, { kind: 'namespace', slug: ref.namespace }, ref];
    case 'version':
      return [settings, { kind: 'namespace', slug: ref.namespace }, { ...ref, kind: 'dataset', slug: ref.dataset }];
    case 'group':
      return [settings, ref, { folder: `${recordFolders.user}/` }];
    default:
      return [settings, ref];
  }
}
