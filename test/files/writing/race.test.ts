/** Eight processes write in the same catalogue, through two servers, the command line and the files: nothing is lost. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../../support/folder.ts';
import { compilerFor, run } from '../../support/program.ts';
import { serveFolder } from '../../support/server.ts';

/** How often each edits the record by HTTP or in the files. */
const times = 10;
/** How often each edits and adds at a prompt. */
const rounds = 2;
const script = fileURLToPath(new URL('race-child.ts', import.meta.url));

async function child(...args: string[]): Promise<void> {
  const writer = spawn(process.execPath, [...compilerFor(script), script, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(writer, 'exit');
  assert.equal(code, 0, args[0]);
}

test('eight processes', { timeout: 240_000 }, async (t) => {
  const { root } = makeFolder({
    settings: { title: 'x' },
    namespaces: { parks: { id: 1, label: 'Parks' } },
    datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
    users: { ann: { id: 1, staff: true } },
  });
  const servers = [await serveFolder(root), await serveFolder(root)];
  t.after(() => Promise.all(servers.map((server) => server.close())));
  const files = await openFileCatalogue(root);
  const { token } = await files.accounts.addToken('ann');

  const addresses = servers.map(({ base }) => `${base}/api/v1/namespaces/parks/datasets/trees/`);
  const http = ['h0', 'h1', 'h2'].map((name, i) => child('http', addresses[i % 2] ?? '', token, name, String(times)));
  const record = `${homeOf('parks/trees')}/dataset.yaml`;
  const byFile = ['f0', 'f1'].map((name) => child('file', root, record, name, String(times)));
  // Each at a prompt counts in a field of its own: without it, nobody else's field may be as it was before.
  const fields = { c0: 'publisher', c1: 'licence', c2: 'homepage' } as const;
  const typed = async (args: readonly string[]) => {
    const { exitCode, err } = await run(args, { cwd: root, env: { CATALOGUE_DATA: root } });
    assert.equal(exitCode, 0, `${args.join(' ')}: ${err}`);
  };
  const prompt = async (name: keyof typeof fields) => {
    const field = fields[name];
    await writeFile(join(root, '.catalogue', `${name}.csv`), '');
    for (let n = 0; n < rounds; n++) {
      const shown = parse(await readFile(join(root, record), 'utf8'));
      const next = String(Number(shown[field] || 0) + 1);
      await typed(['dataset', 'edit', 'parks/trees', `--${field}`, next, '--description', `${name}-${n}`]);
      await writeFile(join(root, '.catalogue', `${name}.csv`), `a\n${name}-${n}\n`);
      await typed([
        'version',
        'add',
        'parks/trees',
        join(root, '.catalogue', `${name}.csv`),
        '--notes',
        `${name}-${n}`,
      ]);
      await typed(['dataset', 'add', `parks/${name}-${n}`, '--label', name]);
      await typed(['query', 'add', `${name}-${n}`, '--label', name, '--dataset', 'parks/trees']);
    }
  };
  const byPrompt = ['c0', 'c1', 'c2'] as const;
  await Promise.all([...http, ...byFile, ...byPrompt.map(prompt)]);

  await files.load();
  const catalogue = files.for();
  const trees = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'parks', slug: 'trees' });
  const each = (names: readonly string[], count: number) =>
    names.flatMap((name) => Array.from({ length: count }, (_, n) => `${name}-${n}`)).sort();
  assert.deepEqual([...trees.keywords].sort(), each(['f0', 'f1', 'h0', 'h1', 'h2'], times));
  assert.equal(trees.contact, String(5 * times));
  assert.deepEqual([trees.publisher, trees.licence, trees.homepage], Array(3).fill(String(rounds)));
  assert.match(trees.description, new RegExp(`^c[0-2]-${rounds - 1}$`));
  const published = [...each(byPrompt, rounds), ...each(['h0', 'h1', 'h2'], 3)].sort();
  assert.deepEqual(trees.versions.map(({ notes }) => notes).sort(), published);
  assert.ok(trees.versions.every(({ ready }) => ready));
  const { items } = await catalogue.list('dataset', { pageSize: 100 });
  assert.deepEqual(items.map(({ slug }) => slug).sort(), [...each(byPrompt, rounds), 'trees']);
  const queries = await catalogue.list('query', { pageSize: 100 });
  assert.deepEqual(queries.items.map(({ slug }) => slug).sort(), each(byPrompt, rounds));
  // Numbers are counted in fields for a licence, a homepage and a contact: these warnings are right.
  const { problems } = await checkCatalogueFiles(root);
  assert.deepEqual(
    problems.filter(({ code }) => code !== 'value'),
    [],
  );
  for (const { log } of servers) assert.deepEqual(log, []);
  await files.close();
});
