/** The catalogue in a folder as one viewer sees it. */

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
import type { FileProblems } from '../catalogue/diagnostic.ts';
import type { Difference, DifferenceOptions } from '../catalogue/difference.ts';
import { NotFoundError, NotPermittedError } from '../catalogue/errors.ts';
import type { ChangedDataset, ChangedDatasetsOptions, ChangesOptions } from '../catalogue/feed.ts';
import { datasetFolder, mediaPath } from '../catalogue/layout.ts';
import type { ListedKind } from '../catalogue/listing.ts';
import { findEntity, getEntity } from '../catalogue/lookup.ts';
import type { MapRequest, RowsMap } from '../catalogue/maps.ts';
import type { Media, Payload } from '../catalogue/open-file.ts';
import {
  isUserOrStaff,
  maySeePeople,
  mayWrite,
  namespaceIn,
  owningNamespace,
  ownUserFields,
  restrictSnapshotToVisible,
  type Viewer,
} from '../catalogue/permissions.ts';
import { type DatasetRef, datasetRefOf, type Ref, type Refs, type VersionRef } from '../catalogue/ref.ts';
import type { Replica } from '../catalogue/replica.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { Trash } from '../catalogue/trash.ts';
import type { CatalogueFile, Commit, Entities, FileDetails, Kind, Settings, Version } from '../catalogue/types.ts';
import { assertNoLfsPointers, assertNotLfsPointer, openMediaFile, openPayload } from './bytes.ts';
import type { Access, CatalogueFiles } from './catalogue-files.ts';
import type { FeedSources } from './changes-feed.ts';
import { loadedOnDemand, loadHistory, loadLists, loadMaps, loadRowFiles, loadRows } from './on-demand.ts';
import { scopesOf, scopesOfList } from './reading/scopes.ts';
import { isMediaHidden, isUploadUnshown } from './shown-images.ts';
import type { FileTrash } from './writing/file-trash.ts';

export class FileView implements Catalogue {
  readonly #files: CatalogueFiles;
  readonly #viewer: Viewer;
  readonly #access: Access;
  #replica: Replica | undefined;
  #trash: Trash | undefined;
  /** The last snapshot, and the part of it that the viewer may see. */
  #lastSnapshot: { whole: Snapshot; visible: Snapshot } | undefined;

  constructor(files: CatalogueFiles, viewer: Viewer) {
    this.#files = files;
    this.#viewer = viewer;
    this.#access = { files, viewer, visible: () => this.#snapshot };
  }

  get trash(): Trash {
    this.#trash ??= loadedOnDemand<Trash>({ list: true, restore: true, remove: true, empty: true }, () =>
      this.#fileTrash(),
    );
    return this.#trash;
  }

  get replica(): Replica {
    this.#replica ??= loadedOnDemand<Replica>(
      { manifest: true, digests: true, entry: true, read: true, apply: true, put: true, fitColumns: true },
      async () => new (await import('./replica/file-replica.ts')).FileReplica(this.#access),
    );
    return this.#replica;
  }

  async #fileTrash(): Promise<FileTrash> {
    const { FileTrash } = await import('./writing/file-trash.ts');
    return new FileTrash(this.#access);
  }

  get #snapshot(): Snapshot {
    const whole = this.#files.snapshot;
    if (this.#lastSnapshot?.whole !== whole)
      this.#lastSnapshot = { whole, visible: restrictSnapshotToVisible(this.#viewer, whole) };
    return this.#lastSnapshot.visible;
  }

  get revision(): object {
    return this.#snapshot;
  }

  get settings(): Settings {
    return this.#files.snapshot.settings; // the same for all viewers
  }

  async language(): Promise<string> {
    await this.#files.ensureRead([{ kind: 'settings' }]);
    return this.settings.language;
  }

  async list<K extends Kind>(kind: K, options: ListOptions): Promise<Page<Entities[K]>> {
    await this.#readForList(kind, options);
    const { listSnapshot } = await loadLists();
    return listSnapshot(kind, this.#snapshot, this.#files.store, options);
  }

  /** Reads what a list needs: for staff, who see all of it, that may be a part of the catalogue. */
  async #readForList(kind: Kind, options: ListOptions): Promise<void> {
    const part = this.#viewer.staff ? scopesOfList(kind, options) : undefined;
    if (part) await this.#files.ensureRead(part.scopes);
    if (!part || !findEntity(this.#snapshot, part.container)) await this.#files.load();
  }

  async changes(options: ChangesOptions = {}): Promise<ChangesPage> {
    const { listChangesSince } = await import('./changes-feed.ts');
    return listChangesSince(await this.#feedSources(), options);
  }

  async changedDatasets(options: ChangedDatasetsOptions): Promise<readonly ChangedDataset[]> {
    const { listChangedDatasets } = await import('./changes-feed.ts');
    return listChangedDatasets(await this.#feedSources(), options);
  }

  async #feedSources(): Promise<FeedSources> {
    const journal = await this.#files.feed();
    // What is listed must still be known after a crash.
    await journal.written();
    const { history } = journal;
    return { store: this.#files.store, history, viewer: this.#viewer, visible: this.#snapshot };
  }

  async get<K extends Kind>(ref: Refs[K]): Promise<Entities[K]> {
    if (ref.kind === 'file') {
      await this.#files.load();
      return (await (await loadLists()).getVisibleFile(this.#files.store, this.#snapshot, ref.slug)) as Entities[K];
    }
    await this.#files.ensureRead(scopesOf(ref));
    try {
      const entity = getEntity(this.#snapshot, ref as Refs[ListedKind]) as Entities[K];
      if (ref.kind === 'dataset') this.#files.noteView(ref);
      else if (ref.kind === 'version') this.#files.noteView(datasetRefOf(ref));
      return entity;
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      // Former names, and the members of groups, are only known once everything is read.
      await this.#files.load();
      if (ref.kind === 'version' && ref.slug === 'latest')
        assertNoLfsPointers(
          this.#files.store.tree,
          this.#snapshot.folders.get(ref.namespace)?.datasets.get(ref.dataset),
        );
      return getEntity(this.#snapshot, ref as Refs[ListedKind]) as Entities[K];
    }
  }

  async problemsOf(ref: DatasetRef): Promise<readonly FileProblems[]> {
    await this.#files.ensureRead(scopesOf(ref));
    return (await loadLists()).listProblemsIn(datasetFolder(ref.namespace, ref.slug), this.#snapshot);
  }

  /** A version whose data are asked for. @throws NotFoundError that says so if the payload is a Git LFS pointer */
  async #versionWithData(ref: VersionRef): Promise<Version> {
    const version = await this.get<'version'>(ref);
    if (!version.ready) assertNotLfsPointer(this.#files.store.tree, version);
    return version;
  }

  async payload(ref: VersionRef): Promise<Payload> {
    return openPayload(this.#files, await this.#versionWithData(ref));
  }

  async rows(ref: VersionRef, request: RowsRequest): Promise<Rows> {
    const { queryRows } = await loadRows();
    return queryRows(this.#files, await this.#versionWithData(ref), request, this.settings);
  }

  async map(ref: VersionRef, request: MapRequest): Promise<RowsMap> {
    const { openMap } = await loadMaps();
    return openMap(this.#files, await this.#versionWithData(ref), request, this.settings);
  }

  async profile(ref: VersionRef, request?: ProfileRequest): Promise<VersionProfile> {
    const { profileVersion } = await loadRows();
    return profileVersion(this.#files, await this.#versionWithData(ref), request);
  }

  readonly fileSizes = async (version: Version) => (await loadRowFiles()).sizesOfFiles(this.#files, version);

  async difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference> {
    const [before, after] = await Promise.all([this.#versionWithData(from), this.#versionWithData(to)]);
    const { compareVersions } = await loadRows();
    return compareVersions(this.#files, before, after, options);
  }

  async media(path: string): Promise<Media> {
    await this.#files.load();
    const { tree } = this.#files.store;
    const paths = [mediaPath(path), tree.linkTarget(mediaPath(path))];
    if (paths.some((one) => isMediaHidden(one, this.#files.snapshot, this.#snapshot))) throw new NotFoundError();
    if (!this.#viewer.staff && isUploadUnshown(mediaPath(path), this.#snapshot)) throw new NotFoundError();
    return openMediaFile(tree, path);
  }

  async inspect(files: readonly CatalogueFile[], signal?: AbortSignal): Promise<readonly FileDetails[]> {
    const { readFileChecksumsAndCommits } = await loadHistory();
    const snapshot = this.#snapshot;
    const versionOf = ({ record, ref }: CatalogueFile) =>
      record === 'payload' && ref?.kind === 'version' ? findEntity<'version'>(snapshot, ref) : undefined;
    const details = await readFileChecksumsAndCommits(this.#files.root, files, { versionOf, signal });
    return details.map((detail) =>
      detail.commit ? { ...detail, commit: this.#visibleCommit(detail.commit) } : detail,
    );
  }

  async history(ref: HistoryRef, options: Pick<ListOptions, 'page' | 'pageSize'> = {}): Promise<Page<Commit>> {
    const entity = await this.get<HistoryRef['kind']>(ref);
    await this.#files.load();
    await this.#files.commits.drained();
    const { historyPathspecs, listCommits } = await loadHistory();
    const paths = historyPathspecs(entity, this.#viewer, this.#files.snapshot, this.#snapshot);
    const page = await listCommits(this.#files.root, paths, options, this.settings);
    return { ...page, items: page.items.map((commit) => this.#visibleCommit(commit)) };
  }

  /** The commit, without its author if the viewer may not see people. */
  #visibleCommit(commit: Commit): Commit {
    return maySeePeople(this.#viewer, this.settings) ? commit : { ...commit, author: '' };
  }

  async create<K extends CreatableKind>(kind: K, input: Input, options?: WriteOptions): Promise<Entities[K]> {
    await this.#assertMayWrite(namespaceIn(kind, input));
    const { createRecord } = await import('./records/records.ts');
    return createRecord(this.#access, kind, input, options);
  }

  async edit<K extends WritableKind>(
    ref: Refs[K],
    input: Input,
    options: WriteOptions<Entities[K]> = {},
  ): Promise<Entities[K]> {
    await this.get(ref);
    const target = namespaceIn(ref.kind, input);
    if (ref.kind !== 'user') await this.#assertMayWrite(owningNamespace(ref, this.#snapshot));
    if (target !== undefined) await this.#assertMayWrite(target);
    const fields = ref.kind === 'user' ? this.#permittedFields(ref, input) : input;
    const { editRecord } = await import('./records/edit-record.ts');
    return editRecord(this.#access, ref, fields, options);
  }

  async publish(ref: DatasetRef, upload: Upload, options?: WriteOptions): Promise<Published> {
    await this.get(ref);
    await this.#assertMayWrite(ref.namespace);
    const { publishUpload } = await import('./records/publish.ts');
    return publishUpload(this.#access, ref, upload, options);
  }

  async remove(ref: Ref, options: RemoveOptions = {}): Promise<void> {
    await this.get(ref);
    await this.#assertMayWrite(owningNamespace(ref, this.#snapshot));
    const { removeRecord } = await import('./records/records.ts');
    const trashed = await removeRecord(this.#access, ref, options);
    if (options.permanently) await (await this.#fileTrash()).removeOwn(trashed);
  }

  /** Fields of a user that the viewer may write: staff write all; users their own, except those that give rights. */
  #permittedFields(ref: Refs['user'], input: Input): Input {
    if (mayWrite(this.#viewer, undefined)) return input;
    if (this.#viewer.readOnly || !isUserOrStaff(this.#viewer, ref.slug)) throw new NotPermittedError();
    return Object.fromEntries(Object.entries(input).filter(([name]) => ownUserFields.includes(name)));
  }

  /** Checks that the viewer may write in a namespace: its owners may, and staff. @throws NotPermittedError */
  async #assertMayWrite(namespace: string | undefined): Promise<void> {
    this.#files.store.tree.assertCatalogue();
    if (!this.#viewer.staff && namespace !== undefined)
      await this.#files.ensureRead([{ kind: 'namespace', slug: namespace }]);
    if (!mayWrite(this.#viewer, this.#snapshot.folders.get(namespace ?? ''))) throw new NotPermittedError();
  }
}
