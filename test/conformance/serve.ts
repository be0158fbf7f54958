/** Our server on a copy of the fixture. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveFolder } from '../support/server.ts';
import { fixture } from './exchange.ts';

/** Serves a fresh copy of the fixture until `close` is called. */
export async function serveFixture(): Promise<{ base: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  await cp(fixture, folder, { recursive: true });
  const server = await serveFolder(folder);
  return {
    base: server.base.replace(/\/+$/, ''),
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
