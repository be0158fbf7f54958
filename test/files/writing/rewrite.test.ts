/** A record that gets other extensions, seen by another process, while its writer is killed again and again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { recordFormat } from '../../../src/catalogue/layout.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { parseRecordText } from '../../../src/text/parse.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';
import { compilerFor } from '../../support/program.ts';

const script = fileURLToPath(new URL('rewrite-child.ts', import.meta.url));
const kills = 3;

test('a record that gets another extension is one file at each moment, which can be read', async (t) => {
  const folder = makeFolder(
    { namespaces: { parks: { id: 1, label: 'Parks' } }, datasets: { 'parks/trees': { id: 1, label: 'Trees' } } },
    t,
  );
  const home = folder.path(homeOf('parks/trees'));
  const seen = new Set<string>();
  const look = () => {
    const names = readdirSync(home).filter((name) => name.startsWith('dataset.'));
    assert.equal(names.length, 1, names.join());
    const [name = ''] = names;
    const text = readOrNull(`${home}/${name}`);
    // It has got another name since.
    if (text === null) return;
    const parsed = parseRecordText(text, recordFormat(name));
    assert.ok('value' in parsed && Object(parsed.value).id === 1, `${name}: ${text}`);
    seen.add(name);
  };
  for (let count = 0; count < kills; count++) {
    const child = spawn(process.execPath, [...compilerFor(script), script, folder.root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (words: string) => {
      said += words;
      if (said.split('\n').length > 40) setTimeout(() => child.kill('SIGKILL'), Math.random() * 10);
    });
    while (child.exitCode === null && child.signalCode === null) {
      look();
      await turn();
    }
    const [, signal] = await ended;
    assert.equal(signal, 'SIGKILL', said);
    look();
    assert.deepEqual((await checkCatalogueFiles(folder.root)).problems, []);
  }
  assert.deepEqual([...seen].sort(), ['dataset.json', 'dataset.yaml', 'dataset.yml']);
});

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
