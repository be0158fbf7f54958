/** Representations of what has happened: the commits of an entity, and the changes of all. */
import type { HistoryRef } from '../catalogue/catalogue.ts';
import { resourceUrl, toJson } from '../catalogue/represent.ts';
import { representPage } from './collections.ts';
import { lastParameterValue, parsePaging, refuseMisspelledParameters } from './query-string.ts';
import { historyPage } from './record-pages.ts';
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';

/** A page of the commits that touched the entity at the address, the newest first. */
export function makeHistoryHandler(kind: HistoryRef['kind']): Handler {
  return async (request) => {
    const { catalogue, params, query } = request;
    refuseMisspelledParameters(query, ['page', 'page_size']);
    const ref = refFromRouteParams(kind, params) as HistoryRef;
    const page = await catalogue.history(ref, parsePaging(query));
    const representation = { ...representPage(request, 'History', page, () => page.items.map(toJson)), dependsOn: [] };
    return request.isPage ? historyPage(request, representation, ref, page) : representation;
  };
}

/** A page of the records that changed since a time. */
export async function changesHandler(request: RequestContext): Promise<Representation> {
  const { catalogue, query, links } = request;
  refuseMisspelledParameters(query, ['since', 'page_size', 'cursor']);
  const { pageSize } = parsePaging(query);
  const [since, cursor] = [lastParameterValue(query, 'since'), lastParameterValue(query, 'cursor')];
  const page = await catalogue.changes({ pageSize, since, cursor });
  const items = () =>
    page.items.map(({ ref, datetime, recordDatetime, removed, movedTo }) => {
      const moved_to = movedTo && resourceUrl(links, movedTo);
      const url = resourceUrl(links, ref);
      return toJson({ kind: ref.kind, url, datetime, record_datetime: recordDatetime, removed, moved_to });
    });
  const members = { until: page.until, complete_since: page.completeSince };
  // Changes appear with time, without a new revision of the catalogue. Until one does, `until` alone is another.
  return { ...representPage(request, 'Changes', page, items, members), dependsOn: [], madeAt: page.until ?? undefined };
}
