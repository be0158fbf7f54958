/** A server of ours on a folder, for tests: on a port that the system chooses. */
import { type ServeOptions, startServer } from '../../src/serve.ts';

/** Serves a folder; what goes wrong inside is collected, so that a test can look at it. */
export async function serveFolder(
  folder: string,
  options: Partial<ServeOptions> = {},
): Promise<{ base: string; log: readonly string[]; close(): Promise<void> }> {
  const log: string[] = [];
  const serving = await startServer({ folder, host: '127.0.0.1', port: 0, log: (line) => log.push(line), ...options });
  return { base: serving.url, log, close: () => serving.close() };
}
