/** Former addresses that a record claims to have had: nobody takes over those of others by writing them. */
import { movedTo } from '../../catalogue/aliases.ts';
import { ConflictError } from '../../catalogue/errors.ts';
import { parseRecord } from '../../text/parse.ts';
import { formatOf } from '../writing/pen.ts';
import type { RecordPlace } from './place.ts';
import { type Access, mustOwn } from './rights.ts';
import type { Draft } from './text.ts';

/**
 * Aliases that stand in the record already stay. A new one of a dataset has to lie where its writer may write; one of a
 * namespace or a query must be nobody else's. Staff may write any: who renamed what elsewhere is for them to know.
 * @param before the record's bytes as they are; null where there is none
 * @throws NotPermittedError, whatever is at that address; ConflictError
 */
export function mustBeOnesOwn(access: Access, { place, value }: Draft, before: Buffer | null): void {
  if (access.viewer.staff) return;
  const known = aliasesIn(recordIn(before, place));
  for (const alias of aliasesIn(value)) if (!known.includes(alias)) mayClaim(access, place.ref, alias);
}

function mayClaim(access: Access, ref: RecordPlace['ref'], alias: string): void {
  const { snapshot } = access.files;
  if (ref.kind === 'dataset') {
    const [namespace = ''] = alias.includes('/') ? alias.split('/') : [ref.namespace];
    mustOwn(access, snapshot.folders.has(namespace) ? namespace : slugAfter(access, 'namespace', namespace));
  } else if (ref.kind === 'namespace' || ref.kind === 'query') {
    const there = ref.kind === 'namespace' ? snapshot.folders : snapshot.queries;
    const holder = there.has(alias) ? alias : slugAfter(access, ref.kind, alias);
    if (holder !== undefined && holder !== ref.slug)
      throw new ConflictError(`The name ${alias} is that of another ${ref.kind}, or was: leave it out of the aliases.`);
  }
}

/** What has the name now that something had before; undefined where nothing had it. */
function slugAfter({ files }: Access, kind: 'namespace' | 'query', slug: string): string | undefined {
  return movedTo(files.snapshot, { kind, slug })?.slug;
}

function recordIn(bytes: Buffer | null, { path }: RecordPlace): unknown {
  const parsed = bytes && parseRecord(bytes.toString(), formatOf(path));
  return parsed && 'value' in parsed ? parsed.value : null;
}

function aliasesIn(record: unknown): readonly string[] {
  const { aliases } = Object(record);
  return Array.isArray(aliases) ? aliases.map(String) : [];
}
