/** A record is made, or edited and moved. (What becomes of it when it is removed: `removing.ts`.) */
import type { CreatableKind, Input, WritableKind, WriteOptions } from '../../catalogue/catalogue.ts';
import { NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { drawId } from '../../catalogue/ids.ts';
import { parseInput } from '../../catalogue/input.ts';
import { namespaceFolder, recordStem, type Unit, unitOf, withExtensions } from '../../catalogue/layout.ts';
import { allOf } from '../../catalogue/listing.ts';
import { find } from '../../catalogue/lookup.ts';
import { formatRef, parseDatasetRef, type Refs, type VersionRef } from '../../catalogue/ref.ts';
import { schemas } from '../../catalogue/schemas.ts';
import type { Entities, Version } from '../../catalogue/types.ts';
import { withLock } from '../../disk/lock.ts';
import { newText } from '../../text/document.ts';
import { schemaHeader } from '../editor-schemas.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import type { Scope } from '../reading/unit-store.ts';
import { mustBeAsSeen, mustBeSound } from './guard.ts';
import { storingImages } from './images.ts';
import { aliasesAfter, move, placeOfRecord } from './moving.ts';
import { locked, locksOf, mustBeFree, parentOf } from './names.ts';
import { createRecord, editRecord } from './pen.ts';
import { show } from './shown.ts';

/** The keys of a record in their order. */
export const orderOf = (kind: WritableKind): readonly string[] => Object.keys(schemas[kind].properties);

/** A unit whose record can be made by fields alone. */
export type Made = Refs[CreatableKind];
type Kind = WritableKind;

/** Publishes a new record: its file is the commit, and comes last. */
export async function createRecordOf<K extends CreatableKind>(
  files: FileCatalogue,
  kind: K,
  input: Input,
): Promise<Entities[K]> {
  const fields = parseInput(kind, input, { partial: false }) as Record<string, unknown>;
  const unit = (
    kind === 'dataset'
      ? { kind, namespace: String(fields.namespace), slug: String(fields.slug) }
      : { kind, slug: String(fields.slug ?? fields.username) }
  ) as Made;
  await files.need([{ kind: 'settings' }, unit]);
  await mustExist(files, kind, fields);
  const path = `${recordStem(unit)}.yaml`;
  const id = drawId((candidate) => taken(files, kind, candidate));
  const header = schemaHeader(kind, path, files.snapshot.settings.base_url);
  const textOf = (kept: Input) => newText({ id, ...withoutBlanks(kept) }, orderOf(kind), header);
  await withLock(files.root, parentOf(unit), async () => {
    // Its namespace may have been renamed or removed while this waited for its turn.
    if (unit.kind === 'dataset') await recordPath(files, { kind: 'namespace', slug: unit.namespace });
    await mustBeFree(files, unit);
    await storingImages(files, stored(kind, fields), (kept) => createRecord(files.root, path, textOf(kept)));
  });
  await show(files, [unit]);
  return find(files.snapshot, unit as Refs[K]) as Entities[K];
}

/** The fields that stand in the file: those of its schema. Its place says some of the others, and `people.ts` the rest. */
function stored(kind: WritableKind, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => orderOf(kind).includes(name)));
}

/** Fields that say nothing aren't written: an empty text is what an absent one means. */
function withoutBlanks(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  );
}

/** What a record names has to be there. */
async function mustExist(
  files: FileCatalogue,
  kind: WritableKind,
  { namespace, dataset, version }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const missing = 'Invalid hyperlink - Object does not exist.';
  if (kind === 'dataset' && namespace !== undefined) {
    await files.need([{ kind: 'namespace', slug: String(namespace) }]);
    if (!files.snapshot.folders.get(String(namespace))?.namespace) throw new ValidationError({ namespace: [missing] });
  }
  if (kind === 'query' && dataset !== undefined) {
    const ref = parseDatasetRef(String(dataset));
    await files.need([ref, { kind: 'namespace', slug: ref.namespace }]);
    const found = files.snapshot.folders.get(ref.namespace)?.datasets.get(ref.slug);
    if (!found) throw new ValidationError({ dataset: [missing] });
    if (typeof version === 'string' && !found.versions.some(({ slug }) => slug === version))
      throw new ValidationError({ version: [missing] });
  }
}

function taken(files: FileCatalogue, kind: CreatableKind, id: number): boolean {
  for (const entity of allOf(files.snapshot, kind)) if (entity.id === id) return true;
  return false;
}

/** Edits a record in place; a new slug or namespace moves it, and the old address stays as an alias. */
export async function editRecordOf<K extends WritableKind>(
  files: FileCatalogue,
  ref: Refs[K],
  input: Input,
  { ifMatch: seen }: WriteOptions<Entities[K]> = {},
): Promise<Entities[K]> {
  const entity: object = find(files.snapshot, ref);
  const { label = '', dataset } = entity as { readonly label?: string; readonly dataset?: string };
  const fields = parseInput(ref.kind as K, input, { partial: true, label }) as Record<string, unknown>;
  if (ref.kind === 'version') return (await editVersion(files, ref, fields, seen as Version)) as Entities[K];
  const unit = ref as Made;
  const target = targetOf(unit, fields);
  const moves = formatRef(target) !== formatRef(unit);
  await mustExist(files, unit.kind, unit.kind === 'query' ? { dataset, ...fields } : fields);
  await locked(files, locksOf(unit, moves ? target : null), async () => {
    if (moves) await mustBeFree(files, target, unit);
    const path = await recordPath(files, unit);
    const change = (kept: Input) => (value: Input) => {
      mustBeSound(files, unit.kind, path);
      mustBeAsSeen<Kind>(files, ref, seen);
      return {
        ...kept,
        ...(fields.columns !== undefined && { columns: mergeColumns(value.columns, fields.columns) }),
        ...(moves && { aliases: aliasesAfter(value.aliases, unit, target) }),
      };
    };
    const order = orderOf(unit.kind);
    await storingImages(files, stored(unit.kind, fields), (kept) => editRecord(files.root, path, change(kept), order));
    if (moves) await move(files.root, placeOfRecord(unit, path), placeOfRecord(target, path));
  });
  await show(files, moves ? [...scopesOf(unit), ...scopesOf(target)] : [unit]);
  return find(files.snapshot, target as Refs[K]) as Entities[K];
}

function targetOf(unit: Made, { slug = unit.slug, namespace }: Readonly<Record<string, unknown>>): Made {
  return unit.kind === 'dataset'
    ? { kind: 'dataset', namespace: String(namespace ?? unit.namespace), slug: String(slug) }
    : { kind: unit.kind, slug: String(slug) };
}

/** What has to be looked at when a record comes or goes. */
export function scopesOf(unit: Unit): Scope[] {
  return unit.kind === 'namespace' ? [unit, { folder: `${namespaceFolder(unit.slug)}/` }] : [unit];
}

async function editVersion(files: FileCatalogue, ref: VersionRef, fields: Input, seen?: Version): Promise<Version> {
  const { slug } = find<'version'>(files.snapshot, ref);
  const path = versionPath(files, { ...ref, slug });
  const change = () => {
    mustBeSound(files, 'version', path);
    mustBeAsSeen<'version'>(files, { ...ref, slug }, seen);
    return fields;
  };
  await editRecord(files.root, path, change, orderOf('version'));
  await show(files, [unitOf(ref)]);
  return find<'version'>(files.snapshot, { ...ref, slug });
}

/** The record file of a version. */
export const versionPath = (files: FileCatalogue, ref: VersionRef): string => existing(files, recordStem(ref));

/** The record file that is there, whichever its extension. */
export async function recordPath(files: FileCatalogue, unit: Made): Promise<string> {
  return existing(files, recordStem(unit));
}

function existing(files: FileCatalogue, stem: string): string {
  const path = withExtensions(stem).find((candidate) => files.store.tree.stamp(candidate));
  if (path === undefined) throw new NotFoundError();
  return path;
}

/** Columns are told apart by name; their types belong to the data, and what a client doesn't say stays. */
function mergeColumns(now: unknown, wanted: unknown): unknown[] {
  const columns = (Array.isArray(now) ? now : []) as Record<string, unknown>[];
  const words = new Map((wanted as Record<string, unknown>[]).map((column) => [column.name, column]));
  const unknown = [...words.keys()].filter((name) => !columns.some((column) => column.name === name));
  if (unknown.length)
    throw new ValidationError({ columns: [`There is no column ${unknown.map((name) => `"${name}"`).join(', ')}.`] });
  return columns.map((column) => {
    const { label, description, unit } = words.get(column.name) ?? {};
    const given = Object.entries({ label, description, unit }).filter(([, value]) => value !== undefined);
    return withWords(column, Object.fromEntries(given));
  });
}

/**
 * What is new goes before a label that ends the column, not behind it: so git can merge it with a column that another
 * branch adds below.
 */
function withWords(column: Readonly<Record<string, unknown>>, words: Readonly<Record<string, unknown>>) {
  const { label, ...others } = column;
  const isLast = Object.keys(column).at(-1) === 'label';
  return isLast ? { ...others, ...words, label: words.label ?? label } : { ...column, ...words };
}
