import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { processContext } from '../../src/cli/context.ts';

describe('Ctrl-C', () => {
  it('is listened for once, however much of a command can be interrupted', (t) => {
    const before = process.listeners('SIGINT');
    const added = () => process.listeners('SIGINT').filter((one) => !before.includes(one));
    t.after(() => {
      for (const one of added()) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, one);
    });
    const context = processContext();
    for (let i = 0; i < 20; i++) void context.interrupted();
    assert.equal(added().length, 1);
  });
});
