/** Thread of `ProcessStarter`: starts processes, and passes messages on to them and from them. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './priority.ts';

/** How a process is started; messages are sent as `child_process.fork` does. */
export interface StartOptions extends Pick<ForkOptions, 'execArgv' | 'serialization'> {
  /** Path of the module that it runs. */
  readonly program: string;
  readonly args: readonly string[];
}

/** What is asked for. The id is that of the process, given by whoever asks. */
export interface ProcessCommand {
  readonly id: number;
  readonly command:
    | { readonly start: StartOptions }
    | { readonly send: unknown }
    | { readonly kill: true }
    | { readonly disconnect: true };
}

/** What happened: a message of the process, its end, or why it can't be started. */
export interface ProcessEvent {
  readonly id: number;
  readonly event: { readonly message: unknown } | { readonly ended: true } | { readonly failed: string };
}

const processes = new Map<number, ChildProcess>();

const report = (id: number, event: ProcessEvent['event']) =>
  parentPort?.postMessage({ id, event } satisfies ProcessEvent);

function start(id: number, { program, args, ...options }: StartOptions): void {
  const child = fork(program, args, { ...options, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  processes.set(id, child);
  // Now, and not by itself: starting takes time, too, and all of its threads inherit it.
  if (child.pid !== undefined) lowerPriority(child.pid);
  child.on('message', (message) => report(id, { message }));
  child.once('exit', () => {
    if (processes.delete(id)) report(id, { ended: true });
  });
  child.on('error', (error) => {
    if (child.pid === undefined && processes.delete(id)) report(id, { failed: error.message });
  });
}

parentPort?.on('message', ({ id, command }: ProcessCommand) => {
  if ('start' in command) {
    try {
      start(id, command.start);
    } catch (error) {
      report(id, { failed: (error as Error).message });
    }
    return;
  }
  const child = processes.get(id);
  if ('kill' in command) child?.kill('SIGKILL');
  else if (child?.connected && 'send' in command) child.send(command.send as object, () => {});
  else if (child?.connected) child.disconnect();
});
