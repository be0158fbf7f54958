/** Functions of Node's own modules that a test replaces, for modules that import them by name, too. */

import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/**
 * Replaces a function of a module until the test ends.
 * @param module the default export, such as that of `node:fs`
 * @returns puts the function back before that
 */
export function replaceBuiltin<Module extends object, Name extends keyof Module & string>(
  t: TestContext,
  module: Module,
  name: Name,
  // biome-ignore lint/suspicious/noExplicitAny: a stand-in takes what the test calls it with
  standIn: (...args: any[]) => unknown,
): () => void {
  const original = module[name];
  const put = (value: unknown) => {
    module[name] = value as Module[Name];
    syncBuiltinESMExports();
  };
  put(standIn);
  const restore = () => put(original);
  t.after(restore);
  return restore;
}
