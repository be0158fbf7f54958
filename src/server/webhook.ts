/** The webhook by which a git host (GitHub, GitLab, Gitea, Forgejo) tells that something was pushed. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { NotFoundError, NotPermittedError } from '../catalogue/errors.ts';
import { toJson } from '../catalogue/represent.ts';
import { TooLargeError } from './errors.ts';
import { assertContentLength } from './limits.ts';
import type { Context, Representation, RequestContext } from './route.ts';

/** The largest payload of GitHub, in bytes. */
const largestPayload = 25 * 1024 * 1024;

/**
 * Starts a fetch from the git remote. What the payload says isn't used: the remote itself is asked.
 * @throws NotFoundError if no remote is followed or there is no secret; NotPermittedError if the sender doesn't prove that it
 *   knows the secret; TooLargeError
 */
export async function gitWebhookHandler({ ctx, app, dryRun }: RequestContext): Promise<Representation> {
  const { gitUpdates } = app;
  if (!gitUpdates) throw new NotFoundError();
  if (!(await isFromSecretHolder(ctx, gitUpdates.secret)))
    throw new NotPermittedError('The signature of the webhook is wrong: give its sender the secret of this server.');
  if (!dryRun) gitUpdates.start();
  return { title: 'Git webhook', dependsOn: [], status: 202, json: () => toJson({ status: 'fetching' }) };
}

/**
 * True if the request has the secret, as GitLab sends it or as a bearer token (RFC 6750), or if its body is signed with it
 * (HMAC-SHA-256), as GitHub, Gitea and Forgejo do.
 */
async function isFromSecretHolder(ctx: Context, secret: string): Promise<boolean> {
  const hmac = createHmac('sha256', secret);
  let size = 0;
  assertContentLength(ctx.req, largestPayload);
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestPayload) throw new TooLargeError(largestPayload);
    hmac.update(chunk);
  }
  const signature = hmac.digest('hex');
  return [
    [ctx.get('X-Hub-Signature-256'), `sha256=${signature}`],
    [ctx.get('X-Gitea-Signature'), signature],
    [ctx.get('X-Gitlab-Token'), secret],
    [ctx.get('Authorization'), `Bearer ${secret}`],
    // Headers are read as Latin-1; the secret is sent as UTF-8.
  ].some(([sent = '', expected = '']) => areEqualInConstantTime(Buffer.from(sent, 'latin1'), Buffer.from(expected)));
}

function areEqualInConstantTime(a: Buffer, b: Buffer): boolean {
  const [left, right] = [a, b].map((bytes) => createHash('sha256').update(bytes).digest()) as [Buffer, Buffer];
  return timingSafeEqual(left, right);
}
