/**
 * Program of the process that runs git for a larger one (`git-starter.ts`). It ends when that one does, as soon as all that it runs has
 * ended: a commit isn't cut off.
 */
import { GitError, type GitStart, startGit } from './start-git.ts';

/** What is asked for: to run git, or to kill what was started by the request of that id. */
export type GitRequest = { readonly id: number } & ({ readonly start: GitStart } | { readonly kill: true });

/** What came of a request: git's stdout, or a `GitError`. */
export type GitReply = { readonly id: number } & (
  | { readonly output: Buffer }
  | { readonly failed: string; readonly exitCode: number | null }
);

const killers = new Map<number, AbortController>();

async function run(id: number, start: GitStart): Promise<GitReply> {
  const killer = new AbortController();
  killers.set(id, killer);
  try {
    return { id, output: await startGit(start, { signal: killer.signal }) };
  } catch (error) {
    const exitCode = error instanceof GitError ? error.exitCode : null;
    return { id, failed: (error as Error).message, exitCode };
  } finally {
    killers.delete(id);
  }
}

process.on('message', async (request: GitRequest) => {
  if ('kill' in request) return killers.get(request.id)?.abort();
  const reply = await run(request.id, request.start);
  if (process.connected) process.send?.(reply, () => {});
});
// A service manager sends these signals to all processes of a service. The larger process may wait for a commit then, so this one goes on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
