/** A process that adds tokens, for accounts.test.ts: `<root> <user> <times>`. */
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';

const [root = '', user = '', times = '0'] = process.argv.slice(2);
const catalogue = await openFileCatalogue(root, { watch: false });
for (let n = 0; n < Number(times); n++) {
  const { token } = await catalogue.accounts.addToken(user, { label: `${process.pid} ${n}` });
  process.stdout.write(`${token}\n`);
}
await catalogue.close();
