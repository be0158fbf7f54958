/** What other programs, such as git, do in the folder between the plan of a write and its end: nothing of it is lost. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { it, type TestContext } from 'node:test';
import { StaleError } from '../../../src/catalogue/errors.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { ChangedMeanwhileError, openRecordFile } from '../../../src/files/writing/record-file.ts';
import { rewriteRecord, writeBack } from '../../../src/files/writing/rewrite.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { makeFolder } from '../../support/folder.ts';

async function open(t: TestContext) {
  const folder = makeFolder({ groups: { wardens: { id: 1, label: 'Wardens' } } }, t);
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const textOf = (path: string) => fs.readFileSync(folder.path(path), 'utf8');
  return { folder, files, textOf, groups: () => fs.readdirSync(folder.path('groups')).sort() };
}

const asYaml = 'id: 1\nlabel: By git\n';
const asJson = '{ "id": 1, "label": "By git" }\n';

for (const [from, to, text] of [
  ['json', 'yaml', asYaml],
  ['yaml', 'json', asJson],
] as const)
  it(`a record that git has given the extension .${to} keeps it, if a push wanted the same`, async (t) => {
    const { folder, files, textOf, groups } = await open(t);
    if (from === 'json') {
      fs.rmSync(folder.path('groups/wardens.yaml'));
      fs.writeFileSync(folder.path('groups/wardens.json'), '{ "id": 1, "label": "Wardens" }\n');
    }
    const paths = { from: `groups/wardens.${from}`, path: `groups/wardens.${to}` };
    const file = await openRecordFile(files.store.tree, paths.from);
    fs.rmSync(folder.path(paths.from));
    fs.writeFileSync(folder.path(paths.path), text);
    const before = file.bytes ?? assert.fail();
    const rewriting = { do: 'rewrite', ...paths, text: text.replace('git', 'push'), file, before } as const;
    await assert.rejects(rewriteRecord(folder.root, rewriting), StaleError);
    assert.deepEqual(groups(), [`wardens.${to}`]);
    assert.equal(textOf(paths.path), text);
  });

it('what an editor saves while a write is undone stays', async (t) => {
  const { folder, textOf } = await open(t);
  const path = folder.path('groups/wardens.yaml');
  const written = textOf('groups/wardens.yaml');
  const openNow = fs.openSync;
  const end = replaceBuiltin(t, fs, 'openSync', (opened: string, ...rest: [number]) => {
    if (opened.endsWith('.catalogue-tmp')) fs.writeFileSync(path, asYaml);
    return openNow(opened, ...rest);
  });
  await assert.rejects(writeBack(path, written, Buffer.from('id: 1\n')), ChangedMeanwhileError);
  end();
  assert.equal(textOf('groups/wardens.yaml'), asYaml);
});
