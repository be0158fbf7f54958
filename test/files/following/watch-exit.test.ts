/** Nothing keeps a process alive once the catalogue is closed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { makeFollowedFolder } from '../../support/followed.ts';
import { compilerFor } from '../../support/program.ts';

const module = new URL('../../../src/files/file-catalogue.ts', import.meta.url).href;
const program = `
  const [, root, budget, wait] = process.argv;
  const { openFileCatalogue } = await import(${JSON.stringify(module)});
  const options = budget === '' ? {} : { watchBudget: Number(budget) };
  const catalogue = await openFileCatalogue(root, { watch: true, ...options });
  while (wait && catalogue.following === 'starting') await new Promise((done) => setTimeout(done, 1));
  await catalogue.close();
  const closed = performance.now();
  console.log(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').join());
  process.on('exit', () => console.log(performance.now() - closed));
`;

for (const [how, budget, wait] of [
  ['watching', '', 'wait'],
  ['still starting', '', ''],
  ['polling', '3', 'wait'],
] as const)
  test(`a process that closes the catalogue ends: ${how}`, async (t) => {
    const folder = makeFollowedFolder(t);
    for (let i = 0; i < 50; i++) folder.dataset(`namespaces/a/datasets/d${i}`, 'D');
    const args = [...compilerFor(module), '--input-type=module', '-e', program, folder.root, budget, wait];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 });
    const [timers, duration] = stdout.split('\n');
    assert.equal(timers, '', 'no timer is left that would keep the process alive');
    assert.ok(Number(duration) < 3000, stdout);
  });
