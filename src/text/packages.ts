/** Packages that are loaded when they are first needed: most commands read nothing but short, plain YAML. */

/** Loads a package. Node's loader of CommonJS is asked for when there is something to load. */
const require = (name: string): unknown => process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);

let yaml: typeof import('js-yaml') | undefined;

/** js-yaml, for texts that `readPlainYaml` leaves to it. */
export function jsYaml(): typeof import('js-yaml') {
  yaml ??= require('js-yaml') as typeof import('js-yaml');
  return yaml;
}

/** Loads what writing a record needs: later, that takes the time of some request, and of all others. */
export function loadPackagesForWriting(): void {
  jsYaml();
  lruCache();
}

/** The class of lru-cache, for texts that are remembered. */
export const lruCache = (): typeof import('lru-cache').LRUCache =>
  (require('lru-cache') as typeof import('lru-cache')).LRUCache;
