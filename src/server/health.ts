/** Health of the server, for supervisors, load balancers and Prometheus. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotFoundError } from '../catalogue/errors.ts';
import { toJson } from '../catalogue/represent.ts';
import { corsHeaders, securityHeaders } from './headers.ts';
import { chooseRequestId, requestIdHeader } from './request.ts';
import type { Representation, RequestContext } from './route.ts';

/** /healthz: the process answers. */
export async function aliveHandler(): Promise<Representation> {
  return { title: 'Health', dependsOn: ['ok'], json: () => '{"status":"ok"}' };
}

/**
 * /readyz: the catalogue has been read, else the request wouldn't get here. It is computed anew each time, since the folder
 * can disappear without a new revision of the catalogue.
 * @throws UnavailableError if the catalogue can't be read at the moment
 */
export async function readyHandler({ catalogue, app }: RequestContext): Promise<Representation> {
  const { count } = await catalogue.list('dataset', { pageSize: 1 });
  const more = app.health();
  return { title: 'Readiness', dependsOn: [], json: () => toJson({ status: 'ok', datasets: count, ...more }) };
}

/** Responds to requests before the catalogue has been read: the process is alive, and not ready. */
export function respondWhileStarting({ url }: IncomingMessage, response: ServerResponse): void {
  const isAlive = url === '/healthz';
  for (const [name, value] of [...securityHeaders, ...corsHeaders]) response.setHeader(name, value);
  response.setHeader(requestIdHeader, chooseRequestId({}, false));
  response.writeHead(isAlive ? 200 : 503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
  response.end(isAlive ? '{"status":"ok"}' : '{"detail":"The catalogue is being read."}');
}

/** /metrics: the figures for Prometheus, if they are collected. They count what anybody may see. */
export async function metricsHandler({ ctx, app: { metrics, publicCatalogue } }: RequestContext): Promise<undefined> {
  if (!metrics) throw new NotFoundError();
  const { type, body } = await metrics.text(publicCatalogue);
  ctx.body = body;
  ctx.set({ 'Content-Type': type, 'Cache-Control': 'no-store' });
}
