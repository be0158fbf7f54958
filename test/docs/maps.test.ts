/** The numbers and the command of docs/maps.md are true. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandsIn } from '../support/examples.ts';
import { temporaryFolder } from '../support/program.ts';
import { serveFolder } from '../support/server.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(checkout, 'docs/maps.md'), 'utf8');

it('docs/maps.md shows what the server says of a picture', async (test) => {
  const home = temporaryFolder();
  const root = join(home.path, 'catalogue-data');
  cpSync(join(checkout, 'catalogue-data'), root, { recursive: true, filter: (path) => !path.endsWith('.catalogue') });
  const server = await serveFolder(root);
  test.after(async () => {
    await server.close();
    home.remove();
  });
  const examples = commandsIn(page);
  assert.equal(examples.length, 1);
  for (const { command, expected } of examples) {
    const address = /'(http[^']+)'/.exec(command)?.[1] ?? '';
    const response = await fetch(address.replace('http://localhost:8000', server.base));
    assert.equal(`${/<desc>.*<\/desc>/.exec(await response.text())?.[0]}\n`, expected);
  }
});

it('docs/maps.md has the limits of the sources', () => {
  const numberIn = (file: string, name: string) => {
    const source = readFileSync(join(checkout, 'src/data/map', file), 'utf8');
    const [, digits = ''] = new RegExp(`const ${name} = ([\\d_]+)`).exec(source) ?? [];
    return Number(digits.replaceAll('_', '')).toLocaleString('en');
  };
  for (const limit of [
    numberIn('marks.ts', 'mostPoints'),
    numberIn('marks.ts', 'mostColouredPoints'),
    numberIn('tile.ts', 'mostFeatures'),
  ])
    assert.ok(page.includes(limit), limit);
});
