/**
 * Lets node:test stop following each promise and socket of a process: an eighth of the processor time of tests that wait for much.
 * It follows them to know the test of an error that was thrown outside of all calls, and the `describe` of an `it`. A file fails by
 * such an error as well if its test is not known. But a `describe` that waits for something would lose what is in it.
 */
import { createHook } from 'node:async_hooks';

const { prototype } = createHook({}).constructor;
const { enable } = prototype;
/** That of node:test, from its first test on. */
let hook;

prototype.enable = function () {
  if (new Error().stack?.includes('node:internal/test_runner')) hook = this;
  return enable.call(this);
};

/** To be called when all tests of the process have been found. */
export function stopAsyncTracking() {
  prototype.enable = enable;
  hook?.disable();
}
