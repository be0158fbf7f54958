/** Packages that are loaded when they are first needed: most commands read nothing but short, plain YAML. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let yaml: typeof import('js-yaml') | undefined;

/** js-yaml, for texts that `readPlainYaml` leaves to it. */
export function jsYaml(): typeof import('js-yaml') {
  yaml ??= require('js-yaml') as typeof import('js-yaml');
  return yaml;
}

/** The class of lru-cache, for texts that are remembered. */
export const lruCache = (): typeof import('lru-cache').LRUCache =>
  (require('lru-cache') as typeof import('lru-cache')).LRUCache;
