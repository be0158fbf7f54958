/** A catalogue made and served until the test, or all of the file's tests, end. */
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { ServeOptions } from '../../src/serve.ts';
import { type CatalogueFolder, type FolderContent, makeLastingFolder } from './folder.ts';
import { serveFolder } from './server.ts';

export interface Served {
  readonly folder: CatalogueFolder;
  readonly base: string;
  readonly log: readonly string[];
  close(): Promise<void>;
}

/** Serves a folder of this content. Nothing must have gone wrong inside when it ends: the log says so. */
export async function served(
  content: FolderContent,
  test?: TestContext,
  options?: Partial<ServeOptions>,
): Promise<Served> {
  const folder = makeLastingFolder(content);
  const server = await serveFolder(folder.root, options);
  const end = async () => {
    await server.close();
    folder.remove();
    const errors = server.log.filter((line) => /Error|^\s+at |^response:/.test(line));
    assert.deepEqual(errors, []);
  };
  if (test) test.after(end);
  else after(end);
  return { ...server, folder };
}
