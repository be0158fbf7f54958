/** A benchmark in processes of its own, of which nothing remains: it and all that it starts end together. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Milliseconds that an interrupted benchmark has to end by itself. */
const patience = 3000;

/**
 * Runs a program with Node, as the head of a process group. When it ends, or the signal is aborted, the rest of the group is
 * ended: servers and programs that were compared with.
 * @param temporary folder for all temporary files; the caller removes it
 * @returns true if the program has ended well
 */
export async function runBenchmark(
  args: readonly string[],
  temporary: string,
  signal: AbortSignal,
  variables: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  if (signal.aborted) return false;
  const env = { ...process.env, ...variables, TMPDIR: temporary };
  const child = spawn(process.execPath, args, { stdio: 'inherit', env, detached: true });
  const interrupt = () => {
    endGroup(child, 'SIGTERM');
    setTimeout(endGroup, patience, child, 'SIGKILL').unref();
  };
  signal.addEventListener('abort', interrupt);
  try {
    const [exitCode] = await once(child, 'exit');
    return exitCode === 0;
  } finally {
    signal.removeEventListener('abort', interrupt);
    endGroup(child, 'SIGKILL');
  }
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    // None of the group is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
