/** A client that openapi-typescript makes of the served document: it compiles under `strict`, and works. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// TypeScript 7 has no API for programs that write TypeScript: openapi-typescript gets version 5.
const resolve =
  'export const resolve = (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context);';
register(`data:text/javascript,${encodeURIComponent(resolve)}`);

async function run(folder: string, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}

it('a client made by openapi-typescript compiles under strict, and works', async (t) => {
  const catalogue = makeFolder(
    {
      namespaces: { parks: { label: 'Parks' } },
      datasets: { 'parks/a': { label: 'A' }, 'parks/b': { label: 'B' }, 'parks/c': { label: 'C' } },
      users: { ann: { staff: true } },
    },
    t,
  );
  const files = await openFileCatalogue(catalogue.root);
  const { token } = await files.accounts.addToken('ann');
  await files.close();
  const server = await serveFolder(catalogue.root);
  t.after(() => server.close());
  // Within the project, whose packages it uses.
  const folder = mkdtempSync(join(root, 'node_modules', '.client-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));

  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const document = await (await fetch(new URL('/api/v1/openapi.json', server.base))).json();
  writeFileSync(join(folder, 'api.d.ts'), astToString(await openapiTS(document as never)));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const options = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
  };
  const compilerOptions = { ...options, exactOptionalPropertyTypes: true, rewriteRelativeImportExtensions: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts', 'api.d.ts'] }));
  copyFileSync(join(root, 'test/openapi/client/program.ts'), join(folder, 'program.ts'));
  assert.equal(await run(folder, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'), '');
  assert.equal(await run(folder, 'program.js', server.base.replace(/\/$/, ''), token), '');
});
