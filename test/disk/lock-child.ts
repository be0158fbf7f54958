/** A process that works under a lock, for lock.test.ts: `count <root> <file> <times>` or `hold <root>`. */
import { readFile, writeFile } from 'node:fs/promises';
import { withLock } from '../../src/disk/lock.ts';

const [what, root = '', file = '', times = '0'] = process.argv.slice(2);

if (what === 'count')
  for (let done = 0; done < Number(times); done++)
    await withLock(
      root,
      'counter',
      async () => {
        const before = Number(await readFile(file, 'utf8'));
        await writeFile(file, String(before + 1));
      },
      { wait: 60_000 },
    );
else
  await withLock(root, 'held', async () => {
    process.stdout.write('held\n');
    await new Promise((done) => setTimeout(done, 600_000));
  });
