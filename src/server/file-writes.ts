/** Writing the files that a catalogue is made of: records one by one or many at once, and bytes that are added. */
import { Readable } from 'node:stream';
import { ValidationError } from '../catalogue/errors.ts';
import type { ChangeOutcome, RecordChange } from '../catalogue/replica.ts';
import { readJson, readText } from './body.ts';
import {
  answerTo,
  BadRequestError,
  MethodNotAllowedError,
  PreconditionRequiredError,
  TooLargeError,
  UnsupportedMediaTypeError,
} from './errors.ts';
import { isBytes, seenBy, tell } from './files.ts';
import { unhurried } from './limits.ts';
import type { Ask, Shown } from './route.ts';
import { largestUpload } from './uploads.ts';

/** The largest body of changes, in bytes. */
const largestChanges = 8 * 1024 * 1024;
/** Changes that are done for one request: whoever has more sends them in several. */
const mostChanges = 1000;

/** Does changes one after the other; tells of each what became of it, as if it had been a request of its own. */
export async function changeFiles({ catalogue, ctx }: Ask): Promise<Shown> {
  const changes = changesIn(await readJson(ctx, largestChanges));
  const outcomes = await catalogue.replica.apply(changes);
  ctx.state.type = 'application/json';
  const told = outcomes.map((outcome) => {
    const answer = outcomeFor(outcome);
    if (!outcome.done && answer.status === 500) ctx.app.emit('error', outcome.error, ctx);
    return answer;
  });
  return { title: 'Files', parts: [], json: () => JSON.stringify(told) };
}

function outcomeFor(outcome: ChangeOutcome) {
  const { path } = outcome;
  if (outcome.done) return { path, status: 200 };
  const { status, body } = answerTo(outcome.error);
  return { path, status, ...(outcome.error instanceof ValidationError ? { errors: body } : body) };
}

/** @throws ValidationError that says which of them is none */
function changesIn(body: unknown): readonly RecordChange[] {
  if (!Array.isArray(body)) throw new ValidationError({ non_field_errors: ['Expected a list of changes.'] });
  if (body.length > mostChanges)
    throw new ValidationError({
      non_field_errors: [`These are ${body.length} changes: send at most ${mostChanges} at once.`],
    });
  const wrong = body.findIndex((change) => !isChange(change));
  if (wrong < 0) return body;
  const forms = [
    '{do: "write", path, text, ifMatch}',
    '{do: "remove", path, ifMatch}',
    '{do: "move", path, to, ifMatch}',
  ];
  throw new ValidationError({ non_field_errors: [`Number ${wrong + 1} is no change. Write ${forms.join(', ')}.`] });
}

function isChange(value: unknown): value is RecordChange {
  const change = Object(value) as Record<string, unknown>;
  const isText = (name: string) => typeof change[name] === 'string';
  if (!isText('path')) return false;
  if (change.do === 'write') return isText('text') && (change.ifMatch === null || isText('ifMatch'));
  return isText('ifMatch') && (change.do === 'remove' || (change.do === 'move' && isText('to')));
}

/** One write: of a record's whole text, as the client has seen it; or of bytes that are new. */
export async function putFile(ask: Ask): Promise<undefined> {
  if (isBytes(ask)) return putBytes(ask);
  const { catalogue, ctx, params } = ask;
  const path = params.path ?? '';
  const ifMatch = await mustSay(ask);
  const text = await readText(ctx);
  mustBeDone(await catalogue.replica.apply([{ do: 'write', path, text, ifMatch }]));
  tell(ctx, ifMatch === null ? 201 : 200, await catalogue.replica.entry(path));
}

/** A record goes to the trash, with what belongs to it; bytes go with their record. */
export async function removeFile(ask: Ask): Promise<undefined> {
  const { catalogue, ctx, params } = ask;
  if (isBytes(ask)) {
    ctx.set('Allow', 'GET, PUT, HEAD, OPTIONS');
    throw new MethodNotAllowedError('DELETE');
  }
  const { path } = await catalogue.replica.entry(params.path ?? '');
  const ifMatch = (await mustSay(ask)) ?? '';
  mustBeDone(await catalogue.replica.apply([{ do: 'remove', path, ifMatch }]));
  ctx.status = 204;
}

/** Nobody writes over what they haven't seen, not even by leaving something out. */
async function mustSay(ask: Ask): Promise<string | null> {
  const ifMatch = await seenBy(ask);
  if (ifMatch !== undefined) return ifMatch;
  throw new PreconditionRequiredError(
    'Say what you have ifMatch: If-Match with the ETag of the file, or If-None-Match: * where there is none.',
  );
}

function mustBeDone(outcomes: readonly ChangeOutcome[]): void {
  for (const outcome of outcomes) if (!outcome.done) throw outcome.error;
}

async function putBytes({ catalogue, ctx, params }: Ask): Promise<undefined> {
  const path = params.path ?? '';
  const { checksum, size } = announced(ctx);
  unhurried(ctx.req);
  const gone = new AbortController();
  ctx.req.once('close', () => {
    if (!ctx.req.complete) gone.abort(new BadRequestError('The connection was cut off.'));
  });
  let isNew = false;
  const source = () => {
    isNew = true;
    return Readable.from(ctx.req.iterator({ destroyOnReturn: false }), { objectMode: false });
  };
  await catalogue.replica.put(path, { source, checksum, size, signal: gone.signal }).catch((error) => {
    // That a client left is nothing that went wrong on our side.
    throw gone.signal.aborted ? gone.signal.reason : error;
  });
  // Of bytes that are there already, nothing is read.
  if (!isNew) ctx.req.resume();
  tell(ctx, isNew ? 201 : 200, { path, checksum, size, record: false });
}

/** What the bytes are to be: their digest (RFC 9530) and length. */
function announced(ctx: Ask['ctx']): { readonly checksum: string; readonly size: number } {
  const digest = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(ctx.get('Repr-Digest'))?.[1];
  if (digest === undefined)
    throw new BadRequestError('Say what the bytes are: Repr-Digest: sha-256=:<base64 of the SHA-256>:');
  const coding = ctx.get('Content-Encoding');
  if (coding && coding !== 'identity') throw new UnsupportedMediaTypeError(`Content-Encoding: ${coding}`);
  const length = ctx.get('Content-Length');
  if (!length) ctx.throw(411, 'Say how many bytes there are: Content-Length.');
  if (Number(length) > largestUpload) throw new TooLargeError(largestUpload);
  return { checksum: Buffer.from(digest, 'base64').toString('hex'), size: Number(length) };
}
