/** Writing: POST creates, PUT and PATCH edit, DELETE removes; as Django REST Framework answers them. */
import type { CreatableKind, Input, WritableKind, WriteOptions } from '../catalogue/catalogue.ts';
import { type FieldErrors, StaleError, ValidationError } from '../catalogue/errors.ts';
import { type InputOptions, parseInput } from '../catalogue/input.ts';
import { type Refs, refOf } from '../catalogue/ref.ts';
import { urlOf } from '../catalogue/represent.ts';
import type { Entities } from '../catalogue/types.ts';
import { readInput } from './body.ts';
import { jsonOf } from './collections.ts';
import { namesTag } from './headers.ts';
import { followLinks } from './hyperlinks.ts';
import { tagOf } from './prepared.ts';
import type { Ask, Shown } from './route.ts';

/** Creates an entity of the kind; a namespace in the address is the dataset's, unless the body says otherwise. */
export function create<K extends CreatableKind>(kind: K) {
  return async (ask: Ask): Promise<Shown> => {
    const { catalogue, ctx, links, params } = ask;
    const given = await readInput(ctx, kind);
    const own = kind === 'dataset' && params.namespace !== undefined && given.namespace === undefined;
    const input = own
      ? { ...given, namespace: urlOf({ base: '', suffix: '' }, { kind: 'namespace', slug: params.namespace ?? '' }) }
      : given;
    const fields = await understood(ask, kind, input, { partial: false });
    const entity = await catalogue.create(kind, fields);
    return { ...written(ask, entity), status: 201, headers: [['Location', urlOf(links, refOf(entity))]] };
  };
}

/** Edits the entity at the address: PUT needs what creating needs, PATCH nothing; what isn't given stays. */
export function edit<K extends WritableKind>(refFrom: (params: Ask['params']) => Refs[K], partial: boolean) {
  return async (ask: Ask): Promise<Shown> => {
    const { catalogue, ctx, params } = ask;
    const entity = await catalogue.get<K>(refFrom(params));
    const basis = basisOf(ask, entity);
    const { label } = entity as { label?: string };
    const options = { partial, ...(label !== undefined && { label }) };
    const fields = await understood(ask, entity.kind as K, await readInput(ctx, entity.kind as K), options);
    return written(ask, await catalogue.edit<K>(refOf(entity as never) as Refs[K], fields, basis));
  };
}

/** Removes the entity at the address. */
export function remove<K extends WritableKind>(refFrom: (params: Ask['params']) => Refs[K]) {
  return async (ask: Ask): Promise<undefined> => {
    const { catalogue, ctx, params } = ask;
    const entity = await catalogue.get<K>(refFrom(params));
    await catalogue.remove(refOf(entity as never), basisOf(ask, entity));
    ctx.status = 204;
    return undefined;
  };
}

/**
 * The fields of an input, typed, its hyperlinks followed.
 * @throws ValidationError with what is wrong with all of them together
 */
async function understood(ask: Ask, kind: WritableKind, given: Input, options: InputOptions): Promise<Input> {
  const { input, errors } = await followLinks(kind, given, ask.catalogue);
  let found: FieldErrors = errors;
  try {
    const fields = parseInput(kind, input, { ...options, present: Object.keys(errors) });
    if (Object.keys(errors).length === 0) return fields;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    found = { ...error.fields, ...errors };
  }
  throw new ValidationError(found);
}

/**
 * If-Match guards against lost updates (RFC 9110, section 13.1.1): it names what the client has seen. The catalogue
 * compares it with the files again when it writes.
 * @throws StaleError where that isn't what is there now
 */
function basisOf<K extends WritableKind>(ask: Ask, entity: Entities[K]): WriteOptions<Entities[K]> {
  const condition = ask.ctx.get('If-Match');
  if (!condition || condition.trim() === '*') return {};
  const etag = `"${tagOf(jsonOf(entity, ask))}"`;
  // A form of the same answer that was packed has the coding behind its tag.
  if (!namesTag(condition.replace(/-(?:br|gzip)"/g, '"'), etag)) throw new StaleError();
  return { ifMatch: entity };
}

function written(ask: Ask, entity: Entities[WritableKind]): Shown {
  return { title: 'label' in entity ? entity.label : entity.slug, parts: [], json: () => jsonOf(entity, ask) };
}
