/** The numbers in docs/maps.md are those of the sources. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(checkout, 'docs/maps.md'), 'utf8');

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
