/** A file that is written for one response: to the system's folder for temporary files, and deleted then. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEvery, type DiskSpace, diskSpaceOf, reservedBytes } from './disk-space.ts';
import { type DerivedFile, noRoomError, type RoomCheck } from './file-in-the-making.ts';

/** In bytes. */
const readSize = 256 * 1024;
/** Files that are written at the same time, at most. */
const maxAtOnce = 2;

let running = 0;
/** Files that wait until another one is written. */
const waiting: (() => void)[] = [];

/** @throws the signal's reason, also while it waits */
async function inTurn(signal: AbortSignal, write: () => Promise<void>): Promise<void> {
  while (running >= maxAtOnce) {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    signal.throwIfAborted();
  }
  running++;
  try {
    await write();
  } finally {
    running--;
    for (const wake of waiting.splice(0)) wake();
  }
}

/** A check that the disk of a folder keeps some room: others write temporary files there, too. */
function roomCheckOf(folder: string, spaceOf: (folder: string) => Promise<DiskSpace>): RoomCheck {
  let next = 0;
  return async (bytes) => {
    if (bytes < next) return;
    next = bytes + checkEvery;
    const { free, total } = await spaceOf(folder);
    if (free < Math.min(reservedBytes, total / 10)) throw noRoomError();
  };
}

type WriteTo = NonNullable<DerivedFile['writeTo']>;

/**
 * The bytes of a file that is written for them.
 * @param signal ends the writing
 * @throws what `writeTo` throws; the signal's reason; UnavailableError if the disk is nearly full
 */
export async function* chunksOfTemporaryFile(
  writeTo: WriteTo,
  signal: AbortSignal = new AbortController().signal,
  spaceOf: (folder: string) => Promise<DiskSpace> = diskSpaceOf,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-file-'));
  try {
    const path = join(folder, 'file');
    await inTurn(signal, () => writeTo(path, { assertRoom: roomCheckOf(folder, spaceOf), signal }));
    const file = await open(path);
    yield* file.createReadStream({ highWaterMark: readSize }) as AsyncIterable<Buffer>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
