/** Three movements, and no others: a record is published, edited, or withdrawn. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { ConflictError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { drawId } from '../catalogue/ids.ts';
import { parseInput } from '../catalogue/input.ts';
import { allOf } from '../catalogue/listing.ts';
import { find } from '../catalogue/lookup.ts';
import { formatRef, type Ref, type Refs } from '../catalogue/ref.ts';
import { schemas } from '../catalogue/schemas.ts';
import type { Dataset, Entities, Namespace } from '../catalogue/types.ts';
import { newText } from './document.ts';
import { removeDurably, syncFolder } from './durable.ts';
import { schemaHeader } from './editor-schemas.ts';
import type { FileCatalogue } from './file-catalogue.ts';
import { datasetFolder, datasetsFolder, extensions, namespaceFolder, stemOf, type Unit } from './layout.ts';
import { withLock } from './lock.ts';
import { createRecord, editRecord } from './pen.ts';

const orderOf = (kind: WritableKind): readonly string[] => Object.keys(schemas[kind].properties);

/** Publishes a new record: its file is the commit, and comes last. */
export async function createRecordOf<K extends WritableKind>(
  files: FileCatalogue,
  kind: K,
  input: Input,
): Promise<Entities[K]> {
  const { slug, namespace, ...fields } = parseInput(kind, input, { partial: false }) as Record<string, unknown>;
  const unit: Unit =
    kind === 'dataset'
      ? { kind, namespace: String(namespace), slug: String(slug) }
      : { kind: 'namespace', slug: String(slug) };
  const scopes = unit.kind === 'dataset' ? [{ kind: 'namespace', slug: unit.namespace } as const, unit] : [unit];
  await files.need([{ kind: 'settings' }, ...scopes]);
  if (unit.kind === 'dataset') mustExist(files, unit.namespace);
  await mustBeFree(files, unit);
  const path = `${stemOf(unit)}.yaml`;
  const id = drawId((candidate) => taken(files, kind, candidate));
  const header = schemaHeader(kind, path, files.snapshot.settings.base_url);
  const text = newText('yaml', { id, ...withoutBlanks(fields) }, orderOf(kind), header);
  await createRecord(files.root, path, text);
  await files.refresh(scopes);
  return find(files.snapshot, unit as Refs[K]) as Entities[K];
}

/** Fields that say nothing aren't written: an empty text is what an absent one means. */
function withoutBlanks(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  );
}

function mustExist(files: FileCatalogue, namespace: string): void {
  if (!files.snapshot.folders.get(namespace)?.namespace)
    throw new ValidationError({ namespace: ['Invalid hyperlink - Object does not exist.'] });
}

/** Names that differ only in case are the same: not every file system could keep them apart. */
async function mustBeFree(files: FileCatalogue, unit: Unit & { slug: string }): Promise<void> {
  const parent = unit.kind === 'dataset' ? datasetsFolder(unit.namespace) : 'namespaces';
  const names = await readdir(join(files.root, parent)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (!names.some((name) => name.toLowerCase() === unit.slug.toLowerCase())) return;
  throw new ValidationError(
    unit.kind === 'dataset'
      ? { non_field_errors: ['The fields namespace, slug must make a unique set.'] }
      : { slug: ['namespace with this slug already exists.'] },
  );
}

function taken(files: FileCatalogue, kind: WritableKind, id: number): boolean {
  for (const entity of allOf(files.snapshot, kind)) if (entity.id === id) return true;
  return false;
}

/** Edits a record in place; a new slug or namespace moves its folder, and the old address stays as an alias. */
export async function editRecordOf<K extends WritableKind>(
  files: FileCatalogue,
  ref: Refs[K],
  input: Input,
): Promise<Entities[K]> {
  const unit = ref as Refs['dataset'] | Refs['namespace'];
  const entity = find(files.snapshot, ref) as Dataset | Namespace;
  const { slug, namespace, ...fields } = parseInput(unit.kind, input, {
    partial: true,
    label: entity.label,
  }) as Record<string, unknown>;
  const target: typeof unit =
    unit.kind === 'dataset'
      ? { kind: 'dataset', namespace: String(namespace ?? unit.namespace), slug: String(slug ?? unit.slug) }
      : { kind: 'namespace', slug: String(slug ?? unit.slug) };
  const moves = formatRef(target) !== formatRef(unit);
  if (moves) {
    if (target.kind === 'dataset') {
      await files.need([{ kind: 'namespace', slug: target.namespace }]);
      mustExist(files, target.namespace);
    }
    if (formatRef(target).toLowerCase() !== formatRef(unit).toLowerCase()) await mustBeFree(files, target);
  }
  await withLock(files.root, stemOf(unit), async () => {
    await editRecord(
      files.root,
      await recordPath(files, unit),
      (value) => ({
        ...(fields.columns ? { ...fields, columns: mergeColumns(value.columns, fields.columns) } : fields),
        ...(moves && { aliases: aliasesAfter(value.aliases, unit, target) }),
      }),
      orderOf(unit.kind),
    );
    if (moves) await move(files, unit, target);
  });
  const before = unit.kind === 'dataset' ? [unit] : [unit, { folder: `${namespaceFolder(unit.slug)}/` }];
  const after = target.kind === 'dataset' ? [target] : [target, { folder: `${namespaceFolder(target.slug)}/` }];
  await files.refresh(moves ? [...before, ...after] : [unit]);
  return find(files.snapshot, target as Refs[K]) as Entities[K];
}

/** The record file that is there, whichever its extension. */
async function recordPath(files: FileCatalogue, unit: Unit): Promise<string> {
  const stem = stemOf(unit);
  for (const extension of extensions) {
    const path = `${stem}.${extension}`;
    if (files.store.folder.stamp(path)) return path;
  }
  throw new NotFoundError();
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
    return { ...column, ...Object.fromEntries(given) };
  });
}

function aliasesAfter(now: unknown, from: Ref, to: Ref): string[] {
  const aliases = Array.isArray(now) ? now.map(String) : [];
  const old =
    from.kind === 'dataset' && to.kind === 'dataset' && from.namespace === to.namespace ? from.slug : formatRef(from);
  // Aliases within the old namespace keep their meaning when the dataset leaves it.
  const kept =
    from.kind === 'dataset' && to.kind === 'dataset' && from.namespace !== to.namespace
      ? aliases.map((alias) => (alias.includes('/') ? alias : `${from.namespace}/${alias}`))
      : aliases;
  const here = to.kind === 'dataset' ? [to.slug, formatRef(to)] : [to.slug];
  return [...new Set([...kept, old])].filter(
    (alias) => !here.includes(alias) || (alias === old && !here.includes(old)),
  );
}

async function move(files: FileCatalogue, from: Ref, to: Ref): Promise<void> {
  const [source, target] = [folderOf(from), folderOf(to)].map((path) => join(files.root, path)) as [string, string];
  await mkdir(dirname(target), { recursive: true });
  await rename(source, target);
  await syncFolder(dirname(target));
  await syncFolder(dirname(source));
}

function folderOf(ref: Ref): string {
  return ref.kind === 'dataset' ? datasetFolder(ref.namespace, ref.slug) : namespaceFolder(ref.slug);
}

/** Withdraws a record with all that lies in its folder. */
export async function removeRecordOf(files: FileCatalogue, ref: Ref): Promise<void> {
  if (ref.kind !== 'namespace' && ref.kind !== 'dataset')
    throw new ConflictError(`A ${ref.kind} is removed by removing its file.`);
  if (ref.kind === 'namespace') {
    await files.need([{ folder: `${namespaceFolder(ref.slug)}/` }]);
    const count = files.snapshot.folders.get(ref.slug)?.datasets.size ?? 0;
    const folders = await readdir(join(files.root, datasetsFolder(ref.slug))).catch(() => []);
    if (count || folders.some((name) => !name.startsWith('.')))
      throw new ConflictError(
        `The namespace ${ref.slug} still has ${Math.max(count, folders.length)} dataset(s). Remove or move them first.`,
      );
  }
  await withLock(files.root, stemOf(ref), () => removeDurably(join(files.root, folderOf(ref))));
  await files.refresh([ref]);
}
