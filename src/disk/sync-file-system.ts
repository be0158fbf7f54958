/**
 * Sync of a whole file system (syncfs(2)): many files are on disk as soon as a few of them would be. Node has no such
 * call, but the program `sync -f` of GNU coreutils and BusyBox makes it. A shell that stays starts that program: to start a process,
 * the system copies the tables of the whole memory, and then each page that is written to for the first time costs a
 * fault. In a server with 400 MB that is some 100 ms a process, in a shell one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { release } from 'node:os';
import { createInterface } from 'node:readline';

/**
 * Types of file systems (statfs(2)) that wait for the disk: ext4, XFS, Btrfs, F2FS, tmpfs. Others may not, such as FUSE,
 * whose programs are not asked.
 */
const waitingTypes: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994];

/**
 * For each line that it reads, the shell syncs the file system of the folder `$1` and prints a line: `done`, or anything else if that failed.
 * An old `sync` warns that it ignores its arguments, so a warning is a failure, too.
 */
const script = `while read -r line; do
  if [ -z "$(sync -f "$1" 2>&1 || echo failed)" ]; then echo done; else echo failed; fi
done`;

/** Milliseconds without a sync after which a shell ends. */
const idle = 2000;

const shells = new Map<string, SyncShell>();

/** Rounds by folder: the one under way, and the one that those who call meanwhile wait for. */
const current = new Map<string, Promise<boolean>>();
const next = new Map<string, Promise<boolean>>();
/** False after the program was missing or failed: then files are synced one by one. */
let isUsable = true;

/**
 * Syncs the file system of a folder. Calls that wait at the same time share one sync.
 * @returns false if it can't be done, or may not have been: then the files are to be synced one by one
 */
export function syncFileSystem(folder: string): Promise<boolean> {
  const waiting = next.get(folder);
  if (waiting) return waiting;
  const round = Promise.resolve(current.get(folder)).then(() => {
    next.delete(folder);
    const work = syncNow(folder).finally(() => current.delete(folder));
    current.set(folder, work);
    return work;
  });
  next.set(folder, round);
  return round;
}

async function syncNow(folder: string): Promise<boolean> {
  try {
    if (!isUsable || !reportsErrors() || !waitingTypes.includes((await statfs(folder)).type)) return false;
    const shell = shells.get(folder) ?? new SyncShell(folder);
    shells.set(folder, shell);
    isUsable = await shell.sync();
  } catch {
    isUsable = false;
  }
  return isUsable;
}

/** True for Linux from 5.8: before, syncfs hid the errors of the disk. */
function reportsErrors(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

/** A shell that syncs the file system of a folder each time it is asked. It ends after a while, or with this process. */
class SyncShell {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #pipes: readonly [input: Socket, output: Socket];
  #end: NodeJS.Timeout | undefined;
  #answer: (isSynced: boolean) => void = () => {};

  constructor(folder: string) {
    this.#folder = folder;
    // The folder isn't the current one: a shell there would keep its file system from being unmounted.
    const child = spawn('sh', ['-c', script, 'sync', folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    const ended = () => {
      this.#forget();
      this.#answer(false);
    };
    this.#process = child.once('error', ended).once('close', ended);
    // A shell that has ended reads no more, and `close` says so.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => this.#answer(line === 'done'));
    this.#pipes = [child.stdin as Socket, child.stdout as Socket];
  }

  /** Called for one sync at a time. @returns false if it failed, or the shell ended */
  async sync(): Promise<boolean> {
    const [input] = this.#pipes;
    clearTimeout(this.#end);
    this.#isAwaited = true;
    const isSynced = await new Promise<boolean>((resolve) => {
      this.#answer = resolve;
      input.write('\n');
    });
    this.#isAwaited = false;
    this.#end = setTimeout(() => {
      this.#forget();
      input.end();
    }, idle).unref();
    return isSynced;
  }

  /** True if this process goes on as long as the shell runs. */
  set #isAwaited(value: boolean) {
    for (const handle of [this.#process, ...this.#pipes]) value ? handle.ref() : handle.unref();
  }

  #forget(): void {
    if (shells.get(this.#folder) === this) shells.delete(this.#folder);
  }
}
