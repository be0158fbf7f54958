import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NotPermittedError, StaleError } from '../../src/catalogue/errors.ts';
import type { Call } from '../../src/cli/command.ts';
import { showSyncFailures } from '../../src/cli/sync/run.ts';

it('says what to type if a record changed while it was pushed or pulled, and else what the error says', () => {
  const lines: string[] = [];
  const global = { remote: 'prod', data: 'my data' };
  const call = { global, show: { failure: (line: string) => void lines.push(line) } } as unknown as Call;
  const path = 'namespaces/parks/datasets/trees/dataset.yaml';
  showSyncFailures(
    call,
    [],
    [
      { path, error: new StaleError() },
      { path, error: new NotPermittedError('Not yours.') },
    ],
  );
  assert.deepEqual(lines, [
    "parks/trees: It was changed meanwhile. Pull first: catalogue pull --remote prod --data 'my data'",
    'parks/trees: Not yours.',
  ]);
});
