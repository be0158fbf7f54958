/** A server for killed.test.ts: `<root>`. It makes and edits namespaces as user ann, says what it has done, and waits to be killed. */
import { writeSync } from 'node:fs';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';

const [root = ''] = process.argv.slice(2);
const files = await openFileCatalogue(root);
await files.load();
const catalogue = files.for({ username: 'ann', staff: true, groups: [] });
for (let n = 0; n < 6; n++) {
  await catalogue.create('namespace', { slug: `made-${n}`, label: `Made ${n}` });
  writeSync(1, `made-${n}\n`);
}
await catalogue.edit({ kind: 'namespace', slug: 'made-0' }, { label: 'Edited' });
writeSync(1, 'edited\n');
setInterval(() => {}, 1000);
