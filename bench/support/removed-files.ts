/**
 * Waiting for a file system that makes files slowly just now. ext4 without a journal doesn't give the place of a removed file to a
 * new one for a minute, or for six if it isn't on disk yet, and looks at all such places for each new file
 * (`recently_deleted` in the kernel). After another benchmark has removed its folders, a copy would measure that.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Folders that are made for a look, with a file in each, and the milliseconds that each of them may take. */
const tried = 200;
const slow = 0.25;
/** Seconds between two looks, and the longest wait. */
const pause = 15;
const longest = 400;

/** Returns once files in a folder are made at the usual speed, or after some minutes. @param home gets a folder `tried` */
export async function untilFilesAreMadeQuickly(home: string): Promise<void> {
  for (let waited = 0; millisecondsOfFile(join(home, 'tried', String(waited))) > slow; waited += pause) {
    if (waited >= longest) return console.log('Files are made slowly here: each figure below has this in it.');
    if (waited === 0) console.log('Waiting until files that were removed lately slow the file system down no more…');
    await sleep(pause * 1000);
  }
}

function millisecondsOfFile(folder: string): number {
  const started = performance.now();
  for (let i = 0; i < tried; i++) {
    mkdirSync(join(folder, String(i)), { recursive: true });
    writeFileSync(join(folder, String(i), 'file'), 'x');
  }
  return (performance.now() - started) / tried;
}
