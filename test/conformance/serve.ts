/** Our server on a copy of the fixture, with the recorded users' accounts. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { serveFolder } from '../support/server.ts';
import { fixture } from './exchange.ts';

export interface Fixture {
  readonly base: string;
  /** Stands for alice. */
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Serves a fresh copy of the fixture until `close` is called.
 * @param passwords of users, by name
 */
export async function serveFixture(passwords: Readonly<Record<string, string>> = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  await cp(fixture, folder, { recursive: true });
  const files = await openFileCatalogue(folder);
  for (const [username, password] of Object.entries(passwords)) await files.accounts.setPassword(username, password);
  // A new password ends the tokens of its user.
  const { token } = await files.accounts.addToken('alice');
  await files.close();
  const server = await serveFolder(folder);
  return {
    base: server.base.replace(/\/+$/, ''),
    token,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
