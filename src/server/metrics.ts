/** What the server counts, for Prometheus to collect. */
import type { Registry } from 'prom-client';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import type { Kind } from '../catalogue/types.ts';
import type { Exchange } from './exchange.ts';
import type { Ask } from './route.ts';

export interface Metrics {
  /** Counts an exchange. */
  answered(exchange: Exchange): void;
  /** All figures as text. What there is in the catalogue is counted as anybody may see it. */
  text(catalogue: Catalogue): Promise<{ readonly type: string; readonly body: string }>;
}

const kinds: readonly Kind[] = ['namespace', 'dataset', 'version', 'query', 'group', 'user', 'file'];

/** Starts to count. */
export async function openMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry: Registry = new Registry();
  const registers = [registry];
  // Memory, processor, garbage collection, and how late the event loop is.
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'catalogue_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'catalogue_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route', 'method'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const prepared = new Counter({
    name: 'catalogue_prepared_answers_total',
    help: 'Answers to GET and HEAD that lay ready, and those that did not.',
    labelNames: ['result'],
    registers,
  });
  const entities = new Gauge({
    name: 'catalogue_entities',
    help: 'What there is in the catalogue, as anybody may see it.',
    labelNames: ['kind'],
    registers,
  });
  const problems = new Gauge({
    name: 'catalogue_invalid_files',
    help: 'Files with something wrong, as anybody may see them.',
    registers,
  });
  let counted: object | undefined;

  async function count(catalogue: Catalogue): Promise<void> {
    if (counted === catalogue.revision) return;
    counted = catalogue.revision;
    for (const kind of kinds) entities.set({ kind }, (await catalogue.list(kind, { pageSize: 1 })).count);
    problems.set((await catalogue.list('file', { pageSize: 1, filters: { status: ['invalid'] } })).count);
  }

  return {
    answered({ route, method, status, milliseconds, prepared: hit }) {
      const name = route ?? 'none';
      requests.inc({ route: name, method, status });
      durations.observe({ route: name, method }, milliseconds / 1000);
      if (method === 'GET' || method === 'HEAD') prepared.inc({ result: hit ? 'hit' : 'miss' });
    },
    async text(catalogue) {
      await count(catalogue);
      return { type: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** Answers with the figures, where they are kept. */
export async function showMetrics({ ctx }: Ask): Promise<undefined> {
  const { metrics, open } = ctx.state as { metrics?: Metrics | undefined; open: Catalogue };
  if (!metrics) throw new NotFoundError();
  const { type, body } = await metrics.text(open);
  ctx.body = body;
  ctx.set({ 'Content-Type': type, 'Cache-Control': 'no-store' });
}
