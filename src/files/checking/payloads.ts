/** Whether the payloads are what their versions say. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { payloadFolder, payloadPath } from '../../catalogue/layout.ts';
import { allOf } from '../../catalogue/listing.ts';
import type { Version } from '../../catalogue/types.ts';
import type { CheckOptions } from './check.ts';
import { misfits } from './columns.ts';
import { type Doubt, type Facts, isThere, pathOfRecord } from './rules.ts';

/** Payloads that no version names, and versions without a checksum. */
export function* checkPayloads(facts: Facts): Generator<Doubt> {
  yield* orphans(facts);
  yield* unsummed(facts);
}

function* orphans({ snapshot, folder }: Facts): Generator<Doubt> {
  for (const dataset of allOf(snapshot, 'dataset')) {
    const home = payloadFolder(dataset.namespace, dataset.slug);
    const named = new Set(dataset.versions.map(({ file }) => file));
    for (const { name } of folder.names(home))
      if (!name.startsWith('.') && !named.has(name))
        yield { path: `${home}/${name}`, message: 'No version names this payload.', severity: 'warning' };
  }
}

function* unsummed(facts: Facts): Generator<Doubt> {
  for (const version of allOf(facts.snapshot, 'version'))
    if ((version.file || version.href) && !version.checksum)
      yield {
        path: pathOfRecord(facts, version),
        message: 'There is no checksum: nobody can tell whether the payload is the right one.',
        severity: 'warning',
      };
}

/** The SHA-256 of a file's bytes; null where it is none, or can't be read. */
async function checksumOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    if (!(await stat(path)).isFile()) return null;
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
    return hash.digest('hex');
  } catch {
    return null;
  }
}

/**
 * Reads payloads: those that don't match their checksums, and those that don't fit the columns of their datasets.
 * @param root the folder that they lie in
 * @param matters whether a version is looked at
 */
export async function mismatches(
  root: string,
  facts: Facts,
  { onProgress }: CheckOptions,
  matters: (version: Version) => boolean,
): Promise<Doubt[]> {
  const doubts: Doubt[] = [];
  const versions = [...allOf(facts.snapshot, 'version')].filter(
    (version) => version.file && version.checksum && matters(version),
  );
  for (const [i, version] of versions.entries()) {
    onProgress?.(i, versions.length);
    const payload = payloadPath(version.namespace, version.dataset, version.file);
    if (!isThere(facts.folder, payload)) continue; // said already
    const sum = await checksumOf(join(root, payload));
    if (sum === null)
      doubts.push({
        path: pathOfRecord(facts, version),
        pointer: '/file',
        message: `The payload data/${version.file} can't be read.`,
      });
    else if (sum !== version.checksum)
      doubts.push({
        path: pathOfRecord(facts, version),
        pointer: '/checksum',
        message: `The payload data/${version.file} has the checksum ${sum}: it isn't the one that was taken in.`,
      });
    else doubts.push(...(await misfits(facts, version, join(root, payload))));
  }
  onProgress?.(versions.length, versions.length);
  return doubts;
}
