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
import { mediaPath, recordFolders } from '../catalogue/layout.ts';
import { type ListedKind, list, narrow, pageOf } from '../catalogue/listing.ts';
import { find } from '../catalogue/lookup.ts';
import { isPersonalTo, mayWrite, ownUserFields, type Viewer, visibleTo } from '../catalogue/permissions.ts';
import type { DatasetRef, Ref, Refs, VersionRef } from '../catalogue/ref.ts';
import type { Replica } from '../catalogue/replica.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { CatalogueFile, Commit, Entities, FileDetails, Kind, Settings } from '../catalogue/types.ts';
import { folderIsGone } from '../disk/private-folder.ts';
import { openMedia, openPayload } from './bytes.ts';
import { FileReplica } from './depot/depot.ts';
import { differenceBetween } from './difference.ts';
import type { FileCatalogue } from './file-catalogue.ts';
import { filesOf } from './files-list.ts';
import { added, edited, removed } from './git/commits.ts';
import { commitsOf, inspectFiles } from './git/history.ts';
import { historyPaths } from './git/history-paths.ts';
import type { Scope } from './reading/unit-store.ts';
import { rowsOf } from './rows.ts';
import { isHidden } from './shown-media.ts';
import { FileTrash } from './writing/file-trash.ts';
import { createGroup, createUser, editGroup, editUser, removeGroup, removeUser } from './writing/people.ts';
import { publishVersion } from './writing/publishing.ts';
import { removeRecordOf } from './writing/removing.ts';
import { createRecordOf, editRecordOf } from './writing/writing.ts';

export class FileView implements Catalogue {
  readonly #files: FileCatalogue;
  readonly #viewer: Viewer;
  readonly replica: Replica;
  readonly trash: FileTrash;
  #seen: { whole: Snapshot; visible: Snapshot } | undefined;

  constructor(files: FileCatalogue, viewer: Viewer) {
    this.#files = files;
    this.#viewer = viewer;
    this.trash = new FileTrash(files, viewer);
    this.replica = new FileReplica({ files, viewer, visible: () => this.#snapshot });
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
    const files = narrow('file', filesOf(this.#files.store, snapshot), question);
    return pageOf(files, question, snapshot.settings) as Page<Entities[K]>;
  }

  async get<K extends Kind>(ref: Refs[K]): Promise<Entities[K]> {
    if (ref.kind === 'file') return (await this.#file(ref.slug)) as Entities[K];
    await this.#files.need(scopesOf(ref));
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
    const file = filesOf(this.#files.store, this.#snapshot).find((entry) => String(entry.id) === id);
    if (!file) throw new NotFoundError();
    return file;
  }

  async payload(ref: VersionRef): Promise<Payload> {
    return openPayload(this.#files.store.tree, await this.get<'version'>(ref));
  }

  async rows(ref: VersionRef, question: RowsRequest): Promise<Rows> {
    return rowsOf(this.#files, await this.get<'version'>(ref), question, this.settings);
  }

  async difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference> {
    const [before, after] = await Promise.all([this.get<'version'>(from), this.get<'version'>(to)]);
    return differenceBetween(this.#files, before, after, options);
  }

  async media(path: string): Promise<Media> {
    await this.#files.load();
    if (isHidden(mediaPath(path), this.#files.snapshot, this.#snapshot)) throw new NotFoundError();
    return openMedia(this.#files.store.tree, path);
  }

  inspect(files: readonly CatalogueFile[]): Promise<readonly FileDetails[]> {
    return inspectFiles(this.#files.root, files);
  }

  async history(ref: HistoryRef, question: Pick<ListOptions, 'page' | 'pageSize'> = {}): Promise<Page<Commit>> {
    const thing = await this.get<HistoryRef['kind']>(ref);
    await this.#files.load();
    await this.#files.commits.caughtUp();
    const paths = historyPaths(thing, this.#viewer, this.#files.snapshot, this.#snapshot);
    return commitsOf(this.#files.root, paths, question, this.settings);
  }

  async create<K extends CreatableKind>(kind: K, input: Input): Promise<Entities[K]> {
    await this.#permit(homeIn(kind, input));
    return this.#write(async () => {
      if (kind === 'user') return (await createUser(this.#files, input)) as Entities[K];
      if (kind === 'group') return (await createGroup(this.#files, input)) as Entities[K];
      return createRecordOf(this.#files, kind, input);
    }, added);
  }

  async edit<K extends WritableKind>(
    ref: Refs[K],
    input: Input,
    basis: WriteOptions<Entities[K]> = {},
  ): Promise<Entities[K]> {
    const entity = await this.get(ref);
    const fields = ref.kind === 'user' ? this.#ownPart(ref, input) : input;
    const target = homeIn(ref.kind, input);
    if (ref.kind !== 'user') await this.#permit(namespaceOf(ref, entity));
    if (target !== undefined) await this.#permit(target);
    const place: Input = { ...ref };
    if (['slug', 'namespace'].some((name) => (fields[name] ?? place[name]) !== place[name]))
      await this.#files.commits.caughtUp();
    return this.#write(
      async () => {
        const { ifMatch: seen } = basis as WriteOptions<never>;
        if (ref.kind === 'user') return (await editUser(this.#files, ref, fields, { ifMatch: seen })) as Entities[K];
        if (ref.kind === 'group') return (await editGroup(this.#files, ref, fields, { ifMatch: seen })) as Entities[K];
        return editRecordOf(this.#files, ref, fields, basis);
      },
      (result) => edited(entity, result),
    );
  }

  async publish(ref: DatasetRef, upload: Upload): Promise<Published> {
    await this.get(ref);
    await this.#permit(ref.namespace);
    const work = () => publishVersion(this.#files, ref, upload);
    return this.#write(work, ({ version }) => added(version));
  }

  async remove(ref: Ref, basis: WriteOptions<Entities[Kind]> = {}): Promise<void> {
    await this.#permit(namespaceOf(ref, await this.get(ref)));
    await this.#files.commits.caughtUp();
    const work = () => {
      const { ifMatch: seen } = basis as WriteOptions<never>;
      if (ref.kind === 'user') return removeUser(this.#files, ref, { ifMatch: seen });
      if (ref.kind === 'group') return removeGroup(this.#files, ref, { ifMatch: seen });
      return removeRecordOf(this.#files, ref, basis);
    };
    return this.#write(work, () => removed(ref));
  }

  /** Everything that is written goes through here: the trash learns who removed, and git who changed what. */
  #write<T>(work: () => Promise<T>, say: (result: T) => string): Promise<T> {
    return this.#files.commits.during(this.#viewer.username, work, say);
  }

  /** What of an edit the viewer may write: staff all of it, users what of their own record grants nothing. */
  #ownPart(ref: Refs['user'], input: Input): Input {
    if (mayWrite(this.#viewer, undefined)) return input;
    if (this.#viewer.readOnly || !isPersonalTo(this.#viewer, ref.slug)) throw new NotPermittedError();
    return Object.fromEntries(Object.entries(input).filter(([name]) => ownUserFields.includes(name)));
  }

  /** What lies in a namespace is for its owners to write, what doesn't is for staff. */
  async #permit(namespace: string | undefined): Promise<void> {
    if (!this.#files.store.tree.isCatalogue()) throw folderIsGone();
    if (!this.#viewer.staff && namespace !== undefined)
      await this.#files.need([{ kind: 'namespace', slug: namespace }]);
    if (!mayWrite(this.#viewer, this.#snapshot.folders.get(namespace ?? ''))) throw new NotPermittedError();
  }
}

/**
 * The namespace that an input puts something in: a dataset's own, or that of the dataset which a query asks; '' for
 * what is no text, which the input's own check refuses.
 */
function homeIn(kind: WritableKind, { namespace, dataset }: Input): string | undefined {
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
