/** A catalogue that is kept nowhere: as much of one as those who present catalogues need to be tested. */
import type { Catalogue, Input } from '../../src/catalogue/catalogue.ts';
import { datasetFrom, namespaceFrom, versionFrom, withVersions } from '../../src/catalogue/entities.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../src/catalogue/errors.ts';
import { parseInput } from '../../src/catalogue/input.ts';
import { type ListedKind, list } from '../../src/catalogue/listing.ts';
import { find } from '../../src/catalogue/lookup.ts';
import { type DatasetRef, formatRef, type NamespaceRef, type Refs } from '../../src/catalogue/ref.ts';
import type { RecordOf } from '../../src/catalogue/schemas.ts';
import { settingsFrom } from '../../src/catalogue/settings.ts';
import { apply, emptySnapshot, type Reading, type Snapshot } from '../../src/catalogue/snapshot.ts';
import type { Kind } from '../../src/catalogue/types.ts';

/** What a catalogue starts with: records by name (`parks`, `parks/trees`, `parks/trees@20200101000000000000`). */
export interface Seed {
  readonly settings?: RecordOf<'settings'>;
  readonly namespaces?: Readonly<Record<string, RecordOf<'namespace'>>>;
  readonly datasets?: Readonly<Record<string, RecordOf<'dataset'>>>;
  readonly versions?: Readonly<Record<string, RecordOf<'version'>>>;
}

export class MemoryCatalogue implements Catalogue {
  snapshot: Snapshot = emptySnapshot;

  constructor({ settings = {}, namespaces = {}, datasets = {}, versions = {} }: Seed = {}) {
    this.#put({ kind: 'settings', entity: settingsFrom(settings) });
    for (const [slug, record] of Object.entries(namespaces))
      this.#put({ kind: 'namespace', slug, entity: namespaceFrom(slug, record) });
    for (const [name, record] of Object.entries(datasets)) {
      const [namespace = '', slug = ''] = name.split('/');
      const own = Object.entries(versions)
        .filter(([version]) => version.startsWith(`${name}@`))
        .map(([version, fields]) => versionFrom(namespace, slug, version.slice(name.length + 1), fields, { size: 10 }));
      this.#put({ kind: 'dataset', namespace, slug, entity: withVersions(datasetFrom(namespace, slug, record), own) });
    }
  }

  #put(reading: Reading): void {
    this.snapshot = apply(this.snapshot, { readings: [reading], problems: new Map() });
  }

  get revision() {
    return this.snapshot;
  }

  get settings() {
    return this.snapshot.settings;
  }

  list: Catalogue['list'] = async (kind, question) => list(this.snapshot, kind as ListedKind, question) as never;

  get: Catalogue['get'] = async (ref) => find(this.snapshot, ref as Refs[ListedKind]) as never;

  create: Catalogue['create'] = async (kind, input) => {
    const fields = parseInput(kind, input, { partial: false });
    const ref = this.#target(kind, fields);
    this.#mustBeFree(ref);
    return this.#keep(ref, fields);
  };

  edit: Catalogue['edit'] = async (given, input) => {
    const ref = given as NamespaceRef | DatasetRef;
    const current = await this.get<'namespace' | 'dataset'>(ref);
    const fields = { ...current, ...parseInput(ref.kind, input, { partial: true, label: current.label }) };
    const target = this.#target(ref.kind, fields);
    const moved = formatRef(target) !== formatRef(ref);
    if (moved) {
      this.#mustBeFree(target);
      this.#drop(ref);
    }
    return this.#keep(target, moved ? { ...fields, aliases: [formatRef(ref)] } : fields);
  };

  remove: Catalogue['remove'] = async (given) => {
    const ref = given as NamespaceRef | DatasetRef;
    await this.get<'namespace' | 'dataset'>(ref);
    if (ref.kind === 'namespace' && this.snapshot.folders.get(ref.slug)?.datasets.size)
      throw new ConflictError(`${ref.slug} still has datasets.`);
    this.#drop(ref);
  };

  // It keeps records only, and no data.
  payload: Catalogue['payload'] = () => Promise.reject(new NotFoundError());
  rows: Catalogue['rows'] = () => Promise.reject(new NotFoundError());
  publish: Catalogue['publish'] = () => Promise.reject(new NotFoundError());
  media: Catalogue['media'] = () => Promise.reject(new NotFoundError());
  inspect: Catalogue['inspect'] = async () => [];

  #target(kind: Kind, fields: Input): NamespaceRef | DatasetRef {
    const slug = String(fields.slug);
    return kind === 'namespace' ? { kind, slug } : { kind: 'dataset', namespace: String(fields.namespace), slug };
  }

  #mustBeFree(ref: NamespaceRef | DatasetRef): void {
    const { folders } = this.snapshot;
    if (ref.kind === 'dataset' && !folders.get(ref.namespace))
      throw new ValidationError({ namespace: ['No such namespace.'] });
    const taken = ref.kind === 'namespace' ? folders.has(ref.slug) : folders.get(ref.namespace)?.datasets.has(ref.slug);
    if (taken) throw new ValidationError({ non_field_errors: ['The fields namespace, slug must make a unique set.'] });
  }

  #keep(ref: NamespaceRef | DatasetRef, fields: Input): never {
    if (ref.kind === 'namespace')
      this.#put({ ...ref, entity: namespaceFrom(ref.slug, fields as RecordOf<'namespace'>) });
    else this.#put({ ...ref, entity: datasetFrom(ref.namespace, ref.slug, fields as RecordOf<'dataset'>) });
    return find(this.snapshot, ref) as never;
  }

  #drop(ref: NamespaceRef | DatasetRef): void {
    this.#put({ ...ref, entity: null });
  }
}
