/** The commands of docs/querying.md write what it says, on the example catalogue. (test/pack.test.ts runs its program.) */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandsIn } from '../support/examples.ts';
import { temporaryFolder } from '../support/program.ts';
import { type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(checkout, 'docs/querying.md'), 'utf8');

/** Commands with the output that is expected of each. */
const examples = commandsIn(page);

/** The words of a command, without the quotes around them. */
const wordsOf = (command: string) =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));

describe('docs/querying.md', () => {
  const home = temporaryFolder();
  const root = join(home.path, 'catalogue-data');
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    cpSync(join(checkout, 'catalogue-data'), root, { recursive: true, filter: (path) => !path.endsWith('.catalogue') });
    server = await serveFolder(root);
  });
  after(async () => {
    await server.close();
    home.remove();
  });

  it('has examples', () => assert.ok(examples.length > 5));

  for (const { command, expected } of examples)
    it(command, async () => {
      const [program, ...argv] = wordsOf(command);
      if (program === 'curl') {
        const response = await fetch(String(argv.at(-1)).replace('http://localhost:8000', server.base));
        assert.equal((await response.text()).replaceAll('\r', ''), expected);
      } else {
        const { out, err } = await type(argv, { root });
        assert.equal(out.replaceAll('\r', ''), expected, err);
      }
    });
});
