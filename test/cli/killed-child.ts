/** A writer for killed-runs.test.ts, until it is killed: it has a temporary file in each folder, and a lock. `<root> <folder>…` */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryPathBeside } from '../../src/disk/durable.ts';
import { withLock } from '../../src/disk/lock.ts';

const [root = '', ...folders] = process.argv.slice(2);
await withLock(root, `writer ${process.pid}`, async () => {
  for (const folder of folders) writeFileSync(temporaryPathBeside(join(root, folder, 'x')), 'half');
  process.stdout.write('at work\n');
  await new Promise((done) => setTimeout(done, 600_000));
});
