/** A writer for rewrite.test.ts, until it is killed: `<root>`. It gives a record one extension after the other, and says so. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';

const stem = 'namespaces/parks/datasets/trees/dataset';
const root = process.argv[2] ?? '';
const files = await openFileCatalogue(root);
const { replica } = files.for();

for (let count = 0; ; count++)
  for (const extension of ['json', 'yaml', 'yml', 'json', 'yml', 'yaml']) {
    const former = ['yaml', 'yml', 'json'].find((one) => existsSync(join(root, `${stem}.${one}`)));
    if (former === extension) continue;
    const replaces = `${stem}.${former}`;
    const ifMatch = createHash('sha256')
      .update(readFileSync(join(root, replaces)))
      .digest('hex');
    const label = `${extension} ${count}`;
    const text = extension === 'json' ? `{\n\t"id": 1,\n\t"label": "${label}"\n}` : `id: 1\nlabel: ${label}\n`;
    const path = `${stem}.${extension}`;
    for (const outcome of await replica.apply([{ do: 'write', path, text, ifMatch, replaces }]))
      if (!outcome.done) throw outcome.error;
    writeSync(1, `${label}\n`);
  }
