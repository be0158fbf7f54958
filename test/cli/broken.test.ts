/** Records that were never read because a merge conflict is in their files: commands say so, and don't propose to add them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeRoot, seed, type } from '../support/prompt.ts';

const conflict = (line: string) => `id: 7\n<<<<<<< HEAD\n${line}: a\n=======\n${line}: b\n>>>>>>> other\n`;
const dataset = 'namespaces/parks/datasets/ash/dataset.yaml';
const version = 'namespaces/parks/datasets/benches/versions/one.yaml';

const brokenRoot = () =>
  makeRoot({
    ...seed,
    files: {
      ...seed.files,
      [dataset]: conflict('label'),
      [version]: conflict('description'),
      'queries/tall.yaml': conflict('label'),
      'groups/gardeners.yaml': conflict('label'),
      'users/ann.yaml': conflict('email'),
    },
  });

describe('a record with a merge conflict', () => {
  const cases: readonly [line: string, path: string][] = [
    ['dataset show parks/ash', dataset],
    ['dataset edit parks/ash --label X', dataset],
    ['dataset remove parks/ash --yes', dataset],
    ['data parks/ash', dataset],
    ['version list parks/ash', dataset],
    ['version show parks/benches@one', version],
    ['data parks/benches', version],
    ['query show tall', 'queries/tall.yaml'],
    ['query edit tall --label X', 'queries/tall.yaml'],
    ['data @tall', 'queries/tall.yaml'],
    ['group show gardeners', 'groups/gardeners.yaml'],
    ['user show ann', 'users/ann.yaml'],
    ['user edit ann --email a@example.org', 'users/ann.yaml'],
    ['dataset add parks/ash --label Ash', dataset],
    ['group add gardeners --label Gardeners', 'groups/gardeners.yaml'],
    ['user add ann', 'users/ann.yaml'],
  ];
  it('is called broken, with the place, and "catalogue check" to see more', async () => {
    const root = await brokenRoot();
    for (const [line, path] of cases) {
      const { exitCode, out, err } = await type(line.split(' '), { root });
      assert.deepEqual([exitCode, out], [5, ''], `${line}: ${err}`);
      assert.ok(err.startsWith('error: The record of ') && err.includes(` is broken: ${path}:2: `), `${line}: ${err}`);
      assert.doesNotMatch(err, /There is no|Add it with/, line);
      assert.match(err, /catalogue check\n$/, line);
    }
    assert.match(
      (await type(['version', 'show', 'parks/ash@one'], { root })).err,
      /^error: The record of parks\/ash is broken: namespaces\/parks\/datasets\/ash\/dataset\.yaml:2: /,
    );
    const { exitCode, err } = await type(['dataset', 'show', 'parks/asf'], { root });
    assert.deepEqual([exitCode, /^error: There is no dataset parks\/asf\./.test(err)], [3, true]);
  });

  it('is a namespace: no command says that there is none', async () => {
    const root = await makeRoot({ ...seed, files: { 'namespaces/forests/namespace.yaml': conflict('label') } });
    for (const line of ['namespace show forests', 'namespace edit forests --label X', 'dataset list forests'])
      assert.doesNotMatch((await type(line.split(' '), { root })).err, /There is no|Add it with/, line);
  });
});
