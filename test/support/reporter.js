/**
 * What the reporter `spec` of node:test writes, with places in bundled modules (bundle.ts) as places in the sources. Only what is
 * reported is mapped: with --enable-source-maps, each process would read the maps of all modules, and map every stack that is looked at.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const place = /(file:\/\/)?([^\s()'"`]*[\\/]\.cache[\\/]tests[\\/][^\s()'"`:]+\.mjs):(\d+):(\d+)/g;
/** Maps by the paths of their modules; null for a module without one. */
const maps = new Map();

export default async function* report(events) {
  for await (const text of Readable.from(events).pipe(new spec())) yield String(text).replaceAll(place, placeInSource);
}

function placeInSource(found, scheme, address, line, column) {
  const path = scheme ? fileURLToPath(`${scheme}${address}`) : resolve(address);
  if (!maps.has(path))
    maps.set(path, existsSync(`${path}.map`) ? new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))) : null);
  const { originalSource, originalLine, originalColumn } = maps.get(path)?.findEntry(line - 1, column - 1) ?? {};
  if (originalSource === undefined) return found;
  return `${resolve(dirname(path), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
}
