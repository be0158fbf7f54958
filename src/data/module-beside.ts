/** Modules that are started as programs of threads and processes, found beside the module that starts them. */
import { extname } from 'node:path';

/**
 * URL of a module, with the extension of the one beside it: `.ts` in the sources, `.js` in the package.
 * @param url of the module that starts it: `import.meta.url`
 * @param name relative to that, without extension
 */
export const moduleBeside = (url: string, name: string): string =>
  new URL(name + extname(new URL(url).pathname), url).href;
