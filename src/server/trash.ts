/** What was removed, for staff: listed, put back, and deleted for good. */
import { NotAuthenticatedError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { pageOf } from '../catalogue/listing.ts';
import { representTrash, toJson } from '../catalogue/represent.ts';
import type { Trash, TrashEntry } from '../catalogue/trash.ts';
import { readInput } from './body.ts';
import { shownPage } from './collections.ts';
import { last, pagingFrom } from './question.ts';
import type { Ask, Shown } from './route.ts';

export async function trashList(ask: Ask): Promise<Shown> {
  const { query, links, catalogue } = ask;
  const found = pageOf(await trashOf(ask).list(), pagingFrom(query), catalogue.settings);
  return shownPage(ask, 'Trash', found, () => found.items.map((entry) => toJson(representTrash(entry, links))), false);
}

export async function trashEntry(ask: Ask): Promise<Shown> {
  const entry = (await trashOf(ask).list()).find(({ id }) => id === ask.params.entry);
  if (!entry) throw new NotFoundError();
  return shown(ask, entry);
}

/** `dry_run` in the body looks only whether it could be done. */
export async function restoreEntry(ask: Ask): Promise<Shown> {
  const { dry_run: dryRun = false } = await readInput(ask.ctx);
  if (typeof dryRun !== 'boolean') throw new ValidationError({ dry_run: ['Must be a valid boolean.'] });
  return shown(ask, await trashOf(ask).restore(ask.params.entry ?? '', { dryRun }));
}

export async function deleteEntry(ask: Ask): Promise<undefined> {
  await trashOf(ask).remove(ask.params.entry ?? '');
  ask.ctx.status = 204;
}

/** All of it, or with `?before=` what was removed earlier. The answer shows what is gone. */
export async function emptyTrash(ask: Ask): Promise<Shown> {
  const { query, links } = ask;
  const text = last(query, 'before');
  const before = text === undefined ? undefined : new Date(text);
  if (before && (Number.isNaN(before.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text ?? '')))
    throw new ValidationError({ before: ['It is a moment, as in 2030-12-31T00:00:00Z.'] });
  const results = (await trashOf(ask).empty(before)).map((entry) => representTrash(entry, links));
  const body = { count: results.length, next: null, previous: null, results };
  return { title: 'Trash', parts: [], json: () => toJson(body) };
}

function trashOf({ viewer, catalogue }: Ask): Trash {
  if (viewer.username === null) throw new NotAuthenticatedError();
  return catalogue.trash;
}

function shown({ links }: Ask, entry: TrashEntry): Shown {
  return { title: entry.id, parts: [], json: () => toJson(representTrash(entry, links)) };
}
