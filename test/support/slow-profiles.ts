/** A catalogue whose statistics take long, as those of a large table do, for tests: served until the test ends. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { createApp } from '../../src/server/app.ts';

/** @returns the server's base URL, and a function after which the statistics are ready */
export async function serveWithSlowProfiles(
  catalogue: Catalogue,
  test: TestContext,
): Promise<{ base: string; measure: () => void }> {
  let measure = () => {};
  const measured = new Promise<void>((resolve) => {
    measure = resolve;
  });
  const slow = new Proxy(catalogue, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (name === 'profile') await measured;
        return value.apply(target, args);
      };
    },
  });
  const server = createServer(createApp(() => slow));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, measure };
}
