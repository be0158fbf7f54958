/** What is shown of a record that is broken: its last valid state, unless the text says that it is hidden. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { anonymous } from '../../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';

const home = homeOf('parks/trees');
const encodings: readonly [name: string, encode: (text: string) => Buffer][] = [
  ['UTF-8 with a syntax error', (text) => Buffer.from(`${text}keywords: [\n`)],
  ['UTF-8 with a mark and a syntax error', (text) => Buffer.from(`\ufeff${text}keywords: [\n`)],
  ['UTF-16, little end first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16, big end first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
];

for (const [name, encode] of encodings)
  it(`a broken record hides what its first line hides: ${name}`, async (t) => {
    const folder = makeFolder({ namespaces: { parks: { id: 1, label: 'Parks' } } }, t);
    folder.dataset(home, 'Trees', ['1']);
    const catalogue = await openFileCatalogue(folder.root);
    t.after(() => catalogue.close());
    await catalogue.load();
    const shown = async () => {
      await catalogue.refresh([{ folder: '' }]);
      const ref = { kind: 'version', namespace: 'parks', dataset: 'trees', slug: '1' } as const;
      return catalogue
        .for(anonymous)
        .get<'version'>(ref)
        .then(({ ready }) => (ready ? 'ready' : 'withdrawn'))
        .catch(() => 'hidden');
    };
    const write = async (path: string, text: string) => {
      folder.write(path, encode(text));
      return shown();
    };
    const before = await shown();
    assert.equal(await write(`${home}/dataset.yaml`, 'label: Trees\n'), before);
    assert.equal(await write(`${home}/dataset.yaml`, 'visibility: internal\nlabel: Trees\n'), 'hidden');
    folder.dataset(home, 'Trees', ['1']);
    assert.equal(await write(`${home}/versions/1.yaml`, 'label: "1"\n'), before);
    assert.equal(await write(`${home}/versions/1.yaml`, 'ready: false\nlabel: "1"\n'), 'withdrawn');
  });
