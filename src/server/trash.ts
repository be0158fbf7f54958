/** The trash, for staff: removed entities are listed, restored, and deleted for good. */
import { NotAuthenticatedError, NotFoundError, NotPermittedError, ValidationError } from '../catalogue/errors.ts';
import { paginate } from '../catalogue/listing.ts';
import { representTrashEntry, toJson } from '../catalogue/represent.ts';
import type { Trash, TrashEntry } from '../catalogue/trash.ts';
import { readInputBody } from './body.ts';
import { representPage } from './collections.ts';
import { lastParameterValue, parsePaging, refuseDryRun, refuseUnknownParameters } from './query-string.ts';
import type { Representation, RequestContext } from './route.ts';

export async function listTrashHandler(request: RequestContext): Promise<Representation> {
  const { query, links, catalogue } = request;
  const page = paginate(await trashOf(request).list(), parsePaging(query), catalogue.settings);
  const items = () => page.items.map((entry) => toJson(representTrashEntry(entry, links)));
  return { ...representPage(request, 'Trash', page, items), dependsOn: [] };
}

export async function showTrashEntryHandler(request: RequestContext): Promise<Representation> {
  const entry = (await trashOf(request).list()).find(({ id }) => id === request.params.entry);
  if (!entry) throw new NotFoundError();
  return represent(request, entry);
}

/** Restores an entry; with `dry_run` in the query string or the body, only checks that it could be restored. */
export async function restoreTrashEntryHandler(request: RequestContext): Promise<Representation> {
  const trash = trashOf(request);
  const { dry_run = false } = await readInputBody(request.ctx);
  if (typeof dry_run !== 'boolean') throw new ValidationError({ dry_run: ['Must be a valid boolean.'] });
  const dryRun = dry_run || request.dryRun;
  return represent(request, await trash.restore(request.params.entry ?? '', { dryRun }));
}

export async function deleteTrashEntryHandler(request: RequestContext): Promise<undefined> {
  refuseDryRun(request);
  await trashOf(request).remove(request.params.entry ?? '');
  request.ctx.status = 204;
}

/** Deletes all entries, or with `?before=` those removed earlier than that; responds with what it has deleted. */
export async function emptyTrashHandler(request: RequestContext): Promise<Representation> {
  refuseDryRun(request);
  const { query, links } = request;
  refuseUnknownParameters(query, ['before', 'dry_run']);
  const text = lastParameterValue(query, 'before');
  const before = text === undefined ? undefined : new Date(text);
  if (before && (Number.isNaN(before.getTime()) || !/^\d{4}-\d\d-\d\d/.test(text ?? '')))
    throw new ValidationError({ before: ['Give a time, such as 2030-12-31T00:00:00Z.'] });
  const results = (await trashOf(request).empty(before)).map((entry) => representTrashEntry(entry, links));
  const body = { count: results.length, next: null, previous: null, results };
  return { title: 'Trash', dependsOn: [], json: () => toJson(body) };
}

/** @throws NotAuthenticatedError, NotPermittedError */
function trashOf({ viewer, catalogue }: RequestContext): Trash {
  if (viewer.username === null) throw new NotAuthenticatedError();
  if (!viewer.staff) throw new NotPermittedError();
  return catalogue.trash;
}

function represent({ links }: RequestContext, entry: TrashEntry): Representation {
  return { title: entry.id, dependsOn: [], json: () => toJson(representTrashEntry(entry, links)) };
}
