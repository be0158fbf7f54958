/** Writes: POST creates, PUT and PATCH edit, DELETE removes; as Django REST Framework responds to them. */

import type { CreatableKind, Input, WritableKind, WriteOptions } from '../catalogue/catalogue.ts';
import { type FieldErrors, StaleError, ValidationError } from '../catalogue/errors.ts';
import { type InputOptions, parseInput } from '../catalogue/input.ts';
import { type Refs, refOf } from '../catalogue/ref.ts';
import { resourceUrl } from '../catalogue/represent.ts';
import type { Dataset, Entities, Query, User } from '../catalogue/types.ts';
import { Turns } from '../data/event-loop.ts';
import { readInputBody } from './body.ts';
import { entityTitle } from './collections.ts';
import { entityBytes, entityJson } from './entity-json.ts';
import { encodedEtag, etagMatches, etagOf, withoutCodings } from './etags.ts';
import type { Headers } from './headers.ts';
import { resolveHyperlinks } from './hyperlinks.ts';
import { maxIndent } from './middleware/negotiate.ts';
import { parseBooleanParameter } from './query-string.ts';
import { tryQuery } from './query-trial.ts';
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { assertMayCreate, assertMayEdit } from './write-permissions.ts';

/** Creates an entity; the namespace of a dataset is that of the address, unless the body names one. */
export function makeCreateHandler<K extends CreatableKind>(kind: K): Handler {
  return async (request) => {
    const { catalogue, ctx, links, params, dryRun } = request;
    assertMayCreate(request, kind);
    const given = await readInputBody(ctx, kind);
    const inherits = kind === 'dataset' && params.namespace !== undefined && given.namespace === undefined;
    const input = inherits
      ? {
          ...given,
          namespace: resourceUrl({ base: '', suffix: '' }, { kind: 'namespace', slug: params.namespace ?? '' }),
        }
      : given;
    const fields = await parseFields(request, kind, input, { partial: false });
    if (kind === 'query') await tryQuery(request, fields);
    const entity = await catalogue.create(kind, fields, { dryRun });
    const headers: Headers = dryRun ? [] : [['Location', resourceUrl(links, refOf(entity))]];
    return { ...representWritten(request, entity), status: 201, headers };
  };
}

/**
 * Edits the entity at the address; fields that aren't given stay as they are.
 * @param required 'all' for PUT: all fields that creating requires; 'some' for PATCH: none of them
 */
export function makeEditHandler<K extends WritableKind>(kind: K, required: 'all' | 'some'): Handler {
  return async (request) => {
    const { catalogue, ctx, params } = request;
    const entity = await catalogue.get<K>(refFromRouteParams(kind, params));
    await assertMayEdit(request, entity);
    const options = await writeOptionsFrom(request, entity);
    const { label } = entity as { label?: string };
    const partial = required === 'some';
    const input = await readInputBody(ctx, kind);
    const fields = await parseFields(request, kind, input, { partial, ...(label !== undefined && { label }) });
    if (kind === 'query') await tryQuery(request, fields, entity as Query);
    const passwordHash =
      kind === 'user' ? await verifyCurrentPassword(request, (entity as User).slug, fields) : undefined;
    const ref = refOf(entity as never) as Refs[K];
    const edited = await catalogue.edit<K>(ref, fields, { ...options, passwordHash }).catch((error) => {
      const isPasswordStale = error instanceof StaleError && passwordHash !== undefined && !options.ifMatch;
      throw isPasswordStale ? wrongPasswordError() : error;
    });
    return representWritten(request, edited);
  };
}

/**
 * Edits a dataset as PATCH does, if it is still as it was read.
 * @throws StaleError if it was changed; ValidationError and the other errors of an edit
 */
export async function editDatasetIfUnchanged(
  request: Pick<RequestContext, 'catalogue' | 'links'>,
  dataset: Dataset,
  input: Input,
): Promise<Dataset> {
  const fields = await parseFields(request, 'dataset', input, { partial: true, label: dataset.label });
  return request.catalogue.edit<'dataset'>(refOf(dataset) as Refs['dataset'], fields, { ifMatch: dataset });
}

/**
 * Refuses a new password without the present one: a token or a session that was stolen must not last for ever. Staff may
 * set any password.
 * @returns the hash of the present password, if it is needed
 * @throws ValidationError; ThrottledError after too many attempts
 */
async function verifyCurrentPassword(
  { ctx, app, viewer, catalogue }: RequestContext,
  username: string,
  fields: Input,
): Promise<string | undefined> {
  if (fields.password === undefined || viewer.staff || viewer.username !== username) return undefined;
  if (fields.current_password === undefined)
    throw new ValidationError({ current_password: ['This field is required.'] });
  const given = String(fields.current_password);
  const hash = await app.signIn.verifyPassword(ctx.req, catalogue.settings, username, given);
  if (hash === null) throw wrongPasswordError();
  return hash;
}

const wrongPasswordError = () => new ValidationError({ current_password: ['The current password is not right.'] });

/** Removes the entity at the address; with `?permanently=true`, keeps nothing of it in the trash. */
export function makeRemoveHandler<K extends WritableKind>(kind: K): Handler {
  return async (request) => {
    const { catalogue, ctx, params } = request;
    const entity = await catalogue.get<K>(refFromRouteParams(kind, params));
    await assertMayEdit(request, entity);
    const permanently = parseBooleanParameter(request.query, 'permanently');
    const options = await writeOptionsFrom(request, entity);
    await catalogue.remove(refOf(entity as never), { ...options, permanently });
    ctx.status = 204;
    return undefined;
  };
}

/**
 * The fields of an input, typed, its hyperlinks followed.
 * @throws ValidationError with the errors of all fields together
 */
async function parseFields(
  { catalogue, links }: Pick<RequestContext, 'catalogue' | 'links'>,
  kind: WritableKind,
  given: Input,
  options: InputOptions,
): Promise<Input> {
  const { input, errors } = await resolveHyperlinks(kind, given, catalogue, links.base);
  let all: FieldErrors = errors;
  try {
    const { language } = catalogue.settings;
    const fields = parseInput(kind, input, { ...options, language, present: Object.keys(errors) });
    if (Object.keys(errors).length === 0) return fields;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    all = { ...error.fields, ...errors };
  }
  throw new ValidationError(all);
}

/**
 * Options of a write: dry run, and If-Match, which prevents lost updates (RFC 9110, section 13.1.1). The catalogue
 * compares the entity with the files again when it writes. If-None-Match is for what must not be there, or not be as it
 * was (section 13.1.2): the entity is there.
 * @throws StaleError if the tag isn't that of the entity, or If-None-Match has it
 */
async function writeOptionsFrom<K extends WritableKind>(
  request: RequestContext,
  entity: Entities[K],
): Promise<WriteOptions<Entities[K]>> {
  const { ctx, dryRun } = request;
  const [match, noneMatch] = [ctx.get('If-Match'), ctx.get('If-None-Match')];
  const isOpen = !match || match.trim() === '*';
  if (isOpen && !noneMatch) return { dryRun };
  const names = async (condition: string) => {
    const tags = withoutCodings(condition);
    for await (const bytes of jsonForms(entity, request))
      if (etagMatches(tags, encodedEtag(etagOf(bytes), 'identity'))) return true;
    return false;
  };
  if (!isOpen && !(await names(match))) throw new StaleError();
  if (noneMatch && (await names(noneMatch)))
    throw new StaleError(
      'It is there, and If-None-Match says that it must not be. Leave that header out, or send If-Match.',
    );
  return { ...(!isOpen && { ifMatch: entity }), dryRun };
}

/**
 * The JSON of an entity in each form that a client may have read, the usual one first: links as `?format=json` makes them, and
 * indentation. In turns with other requests: that of a dataset with thousands of versions is a megabyte in each form.
 */
async function* jsonForms(
  entity: Entities[WritableKind],
  request: RequestContext,
): AsyncGenerator<Buffer, void, undefined> {
  const turns = new Turns();
  const { links } = request;
  const suffixes = [...new Set([links.suffix, '', '?format=json', '?_format=json'])];
  const compact = suffixes.map((suffix) => entityBytes(entity, { ...request, links: { ...links, suffix } }));
  yield* compact;
  for (const bytes of compact) {
    const value: unknown = JSON.parse(bytes.toString());
    for (let indent = 0; indent <= maxIndent; indent++) {
      if (turns.isOver) await turns.next();
      yield Buffer.from(JSON.stringify(value, null, indent));
    }
  }
}

function representWritten(request: RequestContext, entity: Entities[WritableKind]): Representation {
  return {
    title: entityTitle(entity),
    dependsOn: [],
    json: () => entityJson(entity, request),
    bytes: () => entityBytes(entity, request),
  };
}
