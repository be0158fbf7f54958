/** The JSON of entities as bytes: written once for each, and put together in turns. */
import { isUserOrStaff } from '../catalogue/permissions.ts';
import { represent, toJson } from '../catalogue/represent.ts';
import type { Entities, Kind } from '../catalogue/types.ts';
import { Turns } from '../data/event-loop.ts';
import { ownBytes } from './own-bytes.ts';
import type { AppContext, RequestContext } from './route.ts';

type Plain = Exclude<Kind, 'file'>;
type Context = Pick<RequestContext, 'links' | 'viewer'> & { readonly app: Pick<AppContext, 'staticExport'> };

interface Fragment {
  readonly base: string;
  readonly suffix: string;
  readonly bytes: Buffer;
}
const fragments = new WeakMap<object, Fragment>();

/**
 * The JSON of an entity in UTF-8; written once for as long as the entity is the same and links begin the same. An export
 * keeps none: an entity is in a handful of its files, and those of all entities take more memory than the rest of it.
 */
export function entityBytes<K extends Plain>(entity: Entities[K], { links, viewer, app }: Context): Buffer {
  // What only some may see is written for them, and not kept where others could get it.
  if (entity.kind === 'user' && isUserOrStaff(viewer, entity.slug))
    return Buffer.from(toJson(represent.user(entity, links, true)));
  const known = fragments.get(entity);
  if (known?.base === links.base && known.suffix === links.suffix) return known.bytes;
  const bytes = Buffer.from(toJson(represent[entity.kind as K](entity, links)));
  if (app.staticExport) return bytes;
  const kept = { ...links, bytes: ownBytes(bytes) };
  fragments.set(entity, kept);
  return kept.bytes;
}

export const entityJson = <K extends Plain>(entity: Entities[K], context: Context): string =>
  entityBytes(entity, context).toString();

const comma = Buffer.from(',');

/**
 * A list of entities in JSON, written in turns: a thousand of them are megabytes.
 * @param list the JSON of what contains the list, which is empty and at its end: `{"results":[]}`
 */
export async function listBytes(list: string, entities: readonly Entities[Plain][], context: Context): Promise<Buffer> {
  const turns = new Turns();
  const end = list.length - ']}'.length;
  const parts: Buffer[] = [Buffer.from(list.slice(0, end))];
  for (const [i, entity] of entities.entries()) {
    if (i > 0) parts.push(comma);
    parts.push(entityBytes(entity, context));
    if (turns.isOver) await turns.next();
  }
  parts.push(Buffer.from(list.slice(end)));
  const body = Buffer.allocUnsafe(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    at += part.copy(body, at);
    if (turns.isOver) await turns.next();
  }
  return body;
}
