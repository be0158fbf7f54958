import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as errors from '../../src/catalogue/errors.ts';
import { makeRoot, type } from '../support/prompt.ts';

/** What is said when the catalogue answers an edit with this error. */
async function failing(error: Error, ...more: string[]) {
  const faults = { edit: () => Promise.reject(error) };
  const { exitCode, out, err } = await type(['dataset', 'edit', 'parks/trees', '--label', 'X', ...more], { faults });
  assert.equal(out, '');
  return { exitCode, err };
}

const system = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: what the system says`), { code, path });

describe('errors', () => {
  const moved = new errors.MovedError({ kind: 'dataset', namespace: 'water', slug: 'oaks' });
  const table: readonly [error: Error, exitCode: number, message: string][] = [
    [new errors.ValidationError({ label: ['Too long.', 'Too loud.'] }), 2, '--label: Too long. Too loud.'],
    [new errors.ValidationError({ keywords: ['No.'], other: ['No.'] }), 2, '--keyword: No.\n       other: No.'],
    [new errors.ValidationError({ non_field_errors: ['All wrong.'] }), 2, 'All wrong.'],
    [moved, 3, 'parks/trees is called water/oaks now. Use that name.'],
    [new errors.NotAuthenticatedError(), 4, 'Authentication credentials were not provided.'],
    [new errors.NotPermittedError(), 4, 'You do not have permission to perform this action.'],
    [new errors.ConflictError('It is broken.'), 5, 'It is broken.'],
    [new errors.UnavailableError('Try again.'), 1, 'Try again.'],
    [new errors.UnusableCatalogueError('No folder.'), 1, 'No folder.'],
    [system('ENOSPC'), 1, 'The disk is full.'],
    [system('EACCES', 'parks/\x1b[2J'), 1, 'parks/\\u001b[2J: No permission.'],
    [system('EWHATEVER'), 1, 'EWHATEVER: what the system says'],
  ];
  for (const [error, exitCode, message] of table)
    it(`are ${exitCode}: ${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim(), async () => {
      assert.deepEqual(await failing(error), { exitCode, err: `error: ${message}\n` });
    });

  it('name commands for the catalogue that was named: pasted, they change no other', async () => {
    const root = await makeRoot();
    const errorOf = async (...argv: string[]) => (await type([...argv, '--data', root], { root })).err;
    for (const [argv, command] of [
      [['dataset', 'show', 'nowhere/x'], `namespace add nowhere --data ${root} --label …`],
      [['dataset', 'show', 'water/x'], `dataset list water --data ${root}`],
      [['data', 'parks/benches'], `version add parks/benches --data ${root} FILE`],
      [['namespace', 'add', 'parks', '--label', 'Parks'], `namespace edit parks --data ${root}`],
    ] as const)
      assert.ok((await errorOf(...argv)).endsWith(`: catalogue ${command}\n`), command);
  });

  it('of the program itself say what to do, and with --verbose where they came from', async () => {
    const fault = new TypeError('x is not a function', { cause: new Error('deeper') });
    const { exitCode, err } = await failing(fault);
    assert.equal(exitCode, 1);
    assert.equal(
      err,
      'error: TypeError: x is not a function\n       This is a defect of the program; --verbose shows where.\n',
    );
    const more = await failing(fault, '--verbose');
    assert.match(more.err, /\n {4}at .*errors\.test\.[a-z]+.*\n {7}caused by Error: deeper\n {4}at /s);
  });
});
