/** Answers that show entities: pages of them, and one alone. */
import type { Page } from '../catalogue/catalogue.ts';
import { isPersonalTo } from '../catalogue/permissions.ts';
import type { Refs } from '../catalogue/ref.ts';
import { represent, representFile, toJson } from '../catalogue/represent.ts';
import type { Entities, Kind } from '../catalogue/types.ts';
import { pageLinks } from './links.ts';
import { questionFrom } from './question.ts';
import type { Ask, Shown } from './route.ts';

type Plain = Exclude<Kind, 'file'>;

/** The JSON of an entity, with the links that it was made for. */
interface CachedJson {
  readonly base: string;
  readonly suffix: string;
  readonly json: string;
}
const cache = new WeakMap<object, CachedJson>();

/** The JSON of an entity; made once for as long as the entity and the beginning of links stay the same. */
export function jsonOf<K extends Plain>(entity: Entities[K], { links, viewer }: Pick<Ask, 'links' | 'viewer'>): string {
  // JSON with personal fields is made for the asker, and not kept where others could get it.
  if (entity.kind === 'user' && isPersonalTo(viewer, entity.slug)) return toJson(represent.user(entity, links, true));
  const cached = cache.get(entity);
  if (cached?.base === links.base && cached.suffix === links.suffix) return cached.json;
  const json = toJson(represent[entity.kind as K](entity, links));
  cache.set(entity, { ...links, json });
  return json;
}

/** A page of a collection. */
export function page<K extends Kind>(kind: K, title: string) {
  return async (ask: Ask): Promise<Shown> => {
    const { catalogue, viewer, params, query, links } = ask;
    const within = { namespace: params.namespace, dataset: params.dataset };
    const found = await catalogue.list(kind, questionFrom(kind, query, within));
    const details = kind === 'file' ? await catalogue.inspect(found.items as readonly Entities['file'][]) : null;
    const items = () =>
      details
        ? (found.items as readonly Entities['file'][]).map((file, i) =>
            toJson(representFile(file, links, details[i] ?? { checksum: '', modified: '', commit: null })),
          )
        : (found.items as readonly Entities[Plain][]).map((item) => jsonOf(item, { links, viewer }));
    // What only a look at the disk tells may change while the catalogue stays the same.
    return shownPage(ask, title, found, items, details === null);
  };
}

/**
 * An answer that shows a page.
 * @param items the JSON of each
 * @param lasting whether the page stays the same for as long as its items do
 */
export function shownPage(
  { links, ctx, query }: Ask,
  title: string,
  found: Page<unknown>,
  items: () => readonly string[],
  lasting: boolean,
): Shown {
  const { next, previous } = pageLinks(`${links.base}${ctx.path}`, query, found);
  const linked = [...(next ? [`<${next}>; rel="next"`] : []), ...(previous ? [`<${previous}>; rel="prev"`] : [])].join(
    ', ',
  );
  return {
    title,
    parts: lasting ? [found.count, next, previous, ...found.items] : [],
    json: () =>
      `{"count":${found.count},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":[${items().join(',')}]}`,
    headers: linked ? [['Link', linked]] : [],
  };
}

/** One entity. */
export function detail<K extends Kind>(_kind: K, refFrom: (params: Ask['params']) => Refs[K]) {
  return async ({ catalogue, viewer, params, links }: Ask): Promise<Shown> => {
    const entity = await catalogue.get<K>(refFrom(params));
    if (entity.kind === 'file') {
      const [details = { checksum: '', modified: '', commit: null }] = await catalogue.inspect([entity]);
      return { title: entity.path, parts: [], json: () => toJson(representFile(entity, links, details)) };
    }
    const known = entity as Entities[Plain];
    const title = 'label' in known ? known.label : known.slug;
    return { title, parts: [entity], json: () => jsonOf(known, { links, viewer }) };
  };
}
