/** Metrics of the server, for Prometheus to collect. */
import type { Registry } from 'prom-client';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Kind } from '../catalogue/types.ts';
import type { AccessEntry } from './access-log.ts';

export interface Metrics {
  /** Counts a response. */
  count(entry: AccessEntry): void;
  /** All figures as text. */
  text(catalogue: Catalogue): Promise<{ readonly type: string; readonly body: string }>;
}

const kinds: readonly Kind[] = ['namespace', 'dataset', 'version', 'query', 'group', 'user', 'file'];

/** Starts to collect metrics. */
export async function startMetrics(): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry: Registry = new Registry();
  const registers = [registry];
  // Memory, processor, garbage collection, and lag of the event loop.
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'catalogue_requests_total',
    help: 'Responses sent.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'catalogue_request_duration_seconds',
    help: 'From the head of a request to the end of its response.',
    labelNames: ['route', 'method'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers,
  });
  const cacheResults = new Counter({
    name: 'catalogue_response_cache_total',
    help: 'Responses to GET and HEAD from the response cache (hit), and others (miss).',
    labelNames: ['result'],
    registers,
  });
  const entities = new Gauge({
    name: 'catalogue_entities',
    help: 'Entities of the catalogue that anybody may see.',
    labelNames: ['kind'],
    registers,
  });
  const problems = new Gauge({
    name: 'catalogue_invalid_files',
    help: 'Invalid files that anybody may see.',
    registers,
  });
  let counted: object | undefined;

  async function countEntities(catalogue: Catalogue): Promise<void> {
    if (counted === catalogue.revision) return;
    counted = catalogue.revision;
    for (const kind of kinds) entities.set({ kind }, (await catalogue.list(kind, { pageSize: 1 })).count);
    problems.set((await catalogue.list('file', { pageSize: 1, filters: { status: ['invalid'] } })).count);
  }

  return {
    count({ route, method, status, milliseconds, cached }) {
      const name = route ?? 'none';
      requests.inc({ route: name, method, status });
      durations.observe({ route: name, method }, milliseconds / 1000);
      if (method === 'GET' || method === 'HEAD') cacheResults.inc({ result: cached ? 'hit' : 'miss' });
    },
    async text(catalogue) {
      await countEntities(catalogue);
      return { type: registry.contentType, body: await registry.metrics() };
    },
  };
}
