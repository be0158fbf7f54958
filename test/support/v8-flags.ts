/** The flags that the program sets in V8 while it runs. */

import type { TestContext } from 'node:test';
import v8 from 'node:v8';
import { replaceBuiltin } from './builtin.ts';

/**
 * Records the flags that are set during a test, instead of setting them.
 * @returns the flags in the order in which they were set; each call empties the list
 */
export function recordV8Flags(t: TestContext): () => readonly string[] {
  let flags: string[] = [];
  replaceBuiltin(t, v8, 'setFlagsFromString', (flag: string) => void flags.push(flag));
  return () => {
    const since = flags;
    flags = [];
    return since;
  };
}
