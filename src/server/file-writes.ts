/** Writes to the files that a catalogue is made of: records, one or many at once, and bytes that are added. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { StaleError, ValidationError } from '../catalogue/errors.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import type { ChangeOutcome, FileEntry, RecordChange } from '../catalogue/replica.ts';
import { readJsonBody, readTextBody, whileConnected } from './body.ts';
import { dropBody } from './continue.ts';
import { BadRequestError, errorResponse, MethodNotAllowedError, PreconditionRequiredError } from './errors.ts';
import { assertContentLength } from './limits.ts';
import { refuseDryRun } from './query-string.ts';
import type { Representation, RequestContext } from './route.ts';
import { checksumInHeader, checksumNeeded } from './upload-headers.ts';
import { largestUpload } from './uploads.ts';

/** The largest body of changes, in bytes. */
const largestChanges = 8 * 1024 * 1024;
/** Changes in one request; a client that has more sends several requests. */
const mostChanges = 1000;

/** Applies changes one after the other; responds with the outcome of each, as if it had been a request of its own. */
export async function applyFileChangesHandler({ catalogue, ctx, dryRun }: RequestContext): Promise<Representation> {
  const changes = parseChanges(await readJsonBody(ctx, largestChanges));
  const outcomes = await catalogue.replica.apply(changes, { dryRun });
  const results = outcomes.map((outcome) => {
    const result = representOutcome(outcome);
    if (!outcome.done && result.status === 500) ctx.app.emit('error', outcome.error, ctx);
    return result;
  });
  return { title: 'Files', dependsOn: [], type: 'application/json', json: () => JSON.stringify(results) };
}

function representOutcome(outcome: ChangeOutcome) {
  const { path } = outcome;
  if (outcome.done) return { path, status: 200 };
  const { status, body } = errorResponse(outcome.error);
  return { path, status, ...(outcome.error instanceof ValidationError ? { errors: body } : body) };
}

/** @throws ValidationError with the number of the first invalid change */
function parseChanges(body: unknown): readonly RecordChange[] {
  if (!Array.isArray(body)) throw new ValidationError({ non_field_errors: ['Expected a list of changes.'] });
  if (body.length > mostChanges)
    throw new ValidationError({
      non_field_errors: [`These are ${body.length} changes: send at most ${mostChanges} at once.`],
    });
  const wrong = body.findIndex((change) => !isChange(change));
  if (wrong < 0) return body;
  const forms = [
    '{do: "write", path, text, ifMatch, replaces}',
    '{do: "remove", path, ifMatch}',
    '{do: "move", path, to, ifMatch, text, queries}',
  ];
  throw new ValidationError({
    non_field_errors: [`Number ${wrong + 1} is not a change. Write ${forms.join(', ')}.`],
  });
}

function isChange(value: unknown): value is RecordChange {
  const change = Object(value) as Record<string, unknown>;
  const isText = (name: string) => typeof change[name] === 'string';
  if (!isText('path')) return false;
  if (change.do === 'write')
    return (
      isText('text') &&
      (change.ifMatch === null || isText('ifMatch')) &&
      (change.replaces === undefined || isText('replaces'))
    );
  if (!isText('ifMatch')) return false;
  if (change.do === 'remove') return true;
  const { queries = [] } = change;
  const isListOfSlugs = Array.isArray(queries) && queries.every((slug) => typeof slug === 'string');
  return change.do === 'move' && isText('to') && (change.text === undefined || isText('text')) && isListOfSlugs;
}

/** Writes one file: the whole text of a record, or bytes that are new. */
export async function putFileHandler(request: RequestContext): Promise<undefined> {
  const { catalogue, ctx, params, dryRun } = request;
  const { path = '' } = params;
  if (isBytesPath(path)) return putBytes(request);
  const ifMatch = await requireCondition(request);
  const digest = ctx.get('Repr-Digest') ? announcedChecksum(ctx) : null;
  const text = await readTextBody(ctx);
  const written = entryOf(path, text);
  if (digest !== null && digest !== written.checksum)
    throw new BadRequestError('The bytes have another checksum than Repr-Digest: they were damaged on their way.');
  // A request that is repeated since its response was lost finds its own text.
  const isNew = ifMatch === null && (await currentEntry(request)) === null;
  assertDone(await catalogue.replica.apply([{ do: 'write', path, text, ifMatch }], { dryRun }));
  const entry = dryRun ? written : await catalogue.replica.entry(path);
  respondWithEntry(ctx, isNew ? 201 : 200, entry);
}

/** Removes a record, with all that belongs to it, to the trash. Bytes are removed with their record only. */
export async function removeRecordFileHandler(request: RequestContext): Promise<undefined> {
  const { catalogue, ctx, params, dryRun } = request;
  if (isBytesPath(params.path ?? '')) {
    ctx.set('Allow', 'GET, PUT, HEAD, OPTIONS');
    throw new MethodNotAllowedError('DELETE');
  }
  const { path } = await catalogue.replica.entry(params.path ?? '');
  const ifMatch = (await requireCondition(request)) ?? '';
  assertDone(await catalogue.replica.apply([{ do: 'remove', path, ifMatch }], { dryRun }));
  ctx.status = 204;
}

/**
 * The condition of a write (RFC 9110, section 13.1), without which a client could overwrite what it hasn't seen.
 * @returns the checksum of If-Match, of several that of the record; null for `If-None-Match: *`, by which the record must not exist
 * @throws PreconditionRequiredError, StaleError
 */
async function requireCondition(request: RequestContext): Promise<string | null> {
  const { ctx } = request;
  const [condition, none] = [ctx.get('If-Match').trim(), ctx.get('If-None-Match').trim()];
  if (condition === '*') {
    const entry = await currentEntry(request);
    if (!entry) throw new StaleError();
    return entry.checksum;
  }
  if (condition) {
    const checksums = condition.split(',').map((tag) => /^"([0-9a-f]{64})"$/.exec(tag.trim())?.[1] ?? '');
    const [first = ''] = checksums;
    const current = checksums.length > 1 ? (await currentEntry(request))?.checksum : first;
    return checksums.find((checksum) => checksum === current) ?? first;
  }
  if (none === '*') return null;
  throw new PreconditionRequiredError(
    'Send If-Match with the ETag of the file as you know it, or If-None-Match: * for a new file.',
  );
}

/** The entry of the record that is written; null if the viewer may not see it, or it isn't there. */
const currentEntry = ({ catalogue, params }: RequestContext): Promise<FileEntry | null> =>
  catalogue.replica.entry(params.path ?? '').catch(() => null);

function assertDone(outcomes: readonly ChangeOutcome[]): void {
  for (const outcome of outcomes) if (!outcome.done) throw outcome.error;
}

/** The entry of a record with a text. */
function entryOf(path: string, text: string): FileEntry {
  const bytes = Buffer.from(text);
  return { path, checksum: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, record: true };
}

async function putBytes({ catalogue, ctx, params, dryRun }: RequestContext): Promise<undefined> {
  refuseDryRun({ dryRun });
  const path = params.path ?? '';
  const { checksum, size } = announcedBytes(ctx);
  let isNew = false;
  const source = () => {
    isNew = true;
    return Readable.from(ctx.req.iterator({ destroyOnReturn: false }), { objectMode: false });
  };
  await whileConnected(ctx, (signal) => catalogue.replica.put(path, { source, checksum, size, signal }));
  // If the same bytes are stored already, the body isn't read.
  if (!isNew) dropBody(ctx.req);
  respondWithEntry(ctx, isNew ? 201 : 200, { path, checksum, size, record: false });
}

/** Checksum and size of the bytes, from Repr-Digest and Content-Length. */
function announcedBytes(ctx: ParameterizedContext): { readonly checksum: string; readonly size: number } {
  const checksum = announcedChecksum(ctx);
  const length = ctx.get('Content-Length');
  if (!length) ctx.throw(411, 'Send the number of bytes: Content-Length.');
  assertContentLength(ctx.req, largestUpload);
  return { checksum, size: Number(length) };
}

/** @throws BadRequestError if Repr-Digest has no SHA-256 */
function announcedChecksum(ctx: ParameterizedContext): string {
  const checksum = checksumInHeader(ctx);
  if (checksum === undefined) throw new BadRequestError(checksumNeeded);
  return checksum;
}

function respondWithEntry(ctx: ParameterizedContext, status: number, entry: FileEntry): void {
  ctx.status = status;
  ctx.set('ETag', `"${entry.checksum}"`);
  ctx.body = JSON.stringify(entry);
  ctx.set('Content-Type', 'application/json');
}
