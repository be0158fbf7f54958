/** A server of ours on a folder, for tests: on a port that the system chooses. */
import { type ServeOptions, startServer } from '../../src/serve.ts';

/** Serves a folder. `startLog` has the lines that were logged before it was ready, `log` those since. */
export async function serveFolder(
  folder: string,
  options: Partial<ServeOptions> = {},
): Promise<{ base: string; startLog: readonly string[]; log: readonly string[]; close(): Promise<void> }> {
  const log: string[] = [];
  const serving = await startServer({ folder, host: '127.0.0.1', port: 0, log: (line) => log.push(line), ...options });
  const startLog = log.splice(0);
  return { base: serving.url, startLog, log, close: () => serving.close() };
}
