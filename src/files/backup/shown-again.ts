/** What a restore into a folder with files would show to more people than may see it now. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConflictError } from '../../catalogue/errors.ts';
import {
  datasetsFolder,
  parseRecordFileName,
  type RecordRef,
  recordFormat,
  recordPaths,
  versionsFolder,
} from '../../catalogue/layout.ts';
import { type DatasetRef, formatRef } from '../../catalogue/ref.ts';
import { isServed, showsMore } from '../../catalogue/shows-more.ts';
import { isTemporaryFile } from '../../disk/durable.ts';
import { parseRecordText } from '../../text/parse.ts';
import { mayBePrivate } from '../reading/placeholder.ts';

type Container = Extract<RecordRef, { kind: 'namespace' | 'dataset' | 'version' }>;
type Fields = Readonly<Record<string, unknown>>;

/** Longest list of records in the message. */
const mostNamed = 5;

/** A record that a restore would show to more people. */
interface Shown {
  readonly ref: Container;
  /** What has hidden it since the backup, and the options of `edit` that take it back. */
  readonly why: 'private' | 'people' | 'withdrawn' | 'moved';
  readonly options: string;
}

const reasons: Readonly<Record<Shown['why'], string>> = {
  private: 'it was made private',
  people: 'readers or owners were removed',
  withdrawn: 'it was withdrawn',
  moved: 'it was moved to a namespace that fewer people see',
};

/**
 * Refuses a restore that would show more than the folder does. Records that the folder lacks are shown as the backup has them.
 * @param from the folder with the files of the backup
 * @param root the folder that they will be moved into
 * @param file path of the backup, for the message
 * @throws ConflictError with the names of what was made more private, or withdrawn, since the backup
 */
export function assertShowsNoMore(from: string, root: string, file: string): void {
  const found = [...recordsShownAgain(from, root)];
  const [first] = found;
  if (!first) return;
  const lines = found
    .slice(0, mostNamed)
    .map(({ ref, why }) => `  ${ref.kind} ${formatRef(ref)}: ${reasons[why]} since the backup`);
  if (found.length > mostNamed) lines.push(`  … and ${found.length - mostNamed} more`);
  throw new ConflictError(
    `The backup would show more than ${root} does now. Nothing was restored.\n${lines.join('\n')}\n` +
      `To look into the backup, restore it into a new folder: catalogue restore ${basename(file)} NEW-FOLDER\n` +
      'If they may be seen again, with all that was added to them since, show them first, and repeat the restore: ' +
      `catalogue --data ${root} ${first.ref.kind} edit ${formatRef(first.ref)} ${first.options}`,
  );
}

/** Records of a backup by which more people may see something than by those of a folder. */
function* recordsShownAgain(from: string, root: string): Generator<Shown> {
  let find: ReturnType<typeof finderById> | undefined;
  for (const ref of containersIn(from)) {
    const theirs = readRecord(from, ref);
    const ours = readRecord(root, ref);
    if (!theirs || ours?.text === theirs.text) continue;
    const fields = fieldsOf(theirs) ?? shownByBroken(ref, theirs);
    if (fields === null) continue;
    if (!ours && ref.kind !== 'version') find ??= finderById(root);
    const now = ours ? ref : find?.(ref, fields.id);
    const file = ours ?? (now && readRecord(root, now));
    const shown =
      now &&
      file &&
      (compare(now, file, fields, namespacesOf(from, root, ref, now)) ?? compareNamespaces(from, root, ref, now));
    if (shown) yield shown;
  }
}

/** What a broken record shows: nothing; but the datasets of a namespace are served, unless it may say that it is private. */
const shownByBroken = ({ kind }: Container, { text }: RecordFile): Fields | null =>
  kind === 'namespace' && !mayBePrivate(text) ? {} : null;

interface RecordFile {
  readonly path: string;
  readonly text: string;
}

/** The records of the namespaces of a dataset in the backup and in the folder; null for one that can't be parsed. */
function namespacesOf(from: string, root: string, ref: Container, now: Container): readonly (Fields | null)[] {
  if (ref.kind !== 'dataset' || now.kind !== 'dataset') return [];
  const records = [readRecord(from, namespaceOf(ref)), readRecord(root, namespaceOf(now))];
  return records.flatMap((record) => (record ? [fieldsOf(record)] : []));
}

const namespaceOf = ({ namespace }: DatasetRef) => ({ kind: 'namespace', slug: namespace }) as const;

/**
 * What a record in the folder hides that another one shows; undefined if it hides nothing more.
 * @param namespaces of a dataset, see `showsMore`
 */
function compare(
  ref: Container,
  ours: RecordFile,
  theirs: Fields,
  namespaces: readonly (Fields | null)[] = [],
): Shown | undefined {
  const fields = fieldsOf(ours);
  // A backup is what repairs a broken record, unless it may say that it is private.
  if (fields === null && !/visib|priv|ready|draft/i.test(ours.text)) return undefined;
  if (ref.kind === 'version') {
    const isHidden = isServed(theirs) && (fields === null || !isServed(fields));
    return isHidden ? { ref, why: 'withdrawn', options: '--ready true' } : undefined;
  }
  if (!showsMore(theirs, fields, ref.kind, namespaces)) return undefined;
  const isPrivate =
    theirs.visibility !== 'private' && fields?.visibility !== 'public' && fields?.visibility !== undefined;
  return isPrivate || fields === null
    ? { ref, why: 'private', options: '--visibility public' }
    : { ref, why: 'people', options: '--reader …' };
}

/** Compares the namespace of a dataset in the backup with the one that the dataset was moved to since. */
function compareNamespaces(from: string, root: string, ref: Container, now: Container): Shown | undefined {
  if (ref.kind !== 'dataset' || now.kind !== 'dataset' || ref.namespace === now.namespace) return undefined;
  const [its, other] = [namespaceOf(ref), namespaceOf(now)];
  const [before, ours] = [readRecord(from, its) ?? readRecord(root, its), readRecord(root, other)];
  const isHidden = before && ours && compare(other, ours, fieldsOf(before) ?? {});
  return isHidden ? { ref: now, why: 'moved', options: `--namespace ${ref.namespace}` } : undefined;
}

/** A function that finds the namespace or dataset with an id in a folder. */
function finderById(root: string): (ref: Container, id: unknown) => Container | undefined {
  const byId = new Map<string, Container>();
  for (const ref of containersIn(root)) {
    if (ref.kind === 'version') continue;
    const file = readRecord(root, ref);
    const id = file && fieldsOf(file)?.id;
    if (typeof id === 'number') byId.set(`${ref.kind} ${id}`, ref);
  }
  return ({ kind }, id) => byId.get(`${kind} ${id}`);
}

/** Namespaces, datasets and versions of a folder, by the names of their files. */
function* containersIn(root: string): Generator<Container> {
  for (const namespace of namesIn(join(root, 'namespaces'))) {
    yield { kind: 'namespace', slug: namespace };
    for (const slug of namesIn(join(root, datasetsFolder(namespace)))) {
      yield { kind: 'dataset', namespace, slug };
      const stems = namesIn(join(root, versionsFolder(namespace, slug))).map((name) => parseRecordFileName(name)?.stem);
      for (const stem of new Set(stems))
        if (stem !== undefined) yield { kind: 'version', namespace, dataset: slug, slug: stem };
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !isTemporaryFile(name));
  } catch {
    return [];
  }
}

/** The first file of a record that can be read, in a folder; null without one. */
function readRecord(root: string, ref: Container): RecordFile | null {
  for (const path of recordPaths(ref))
    try {
      return { path, text: readFileSync(join(root, path), 'utf8') };
    } catch {}
  return null;
}

function fieldsOf({ path, text }: RecordFile): Fields | null {
  const parsed = parseRecordText(text, recordFormat(path));
  const value = 'value' in parsed ? parsed.value : null;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
