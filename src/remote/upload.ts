/** Bytes on their way to a catalogue elsewhere. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Published, Upload } from '../catalogue/catalogue.ts';
import { changesBetween } from '../catalogue/columns.ts';
import type { Dataset } from '../catalogue/types.ts';
import { pathOf } from '../catalogue/urls.ts';
import { counted } from './bytes.ts';
import type { Http } from './http.ts';
import { part, read, refOfEntity } from './read.ts';

/**
 * Sends an upload as raw bytes, as fast as they are taken; what else is said of them stands in the address. It is sent
 * once: whether a second time would make a second version, nobody could tell.
 * @param before the dataset as it is, to say afterwards how its columns have changed
 * @param after asks for the dataset again
 */
export async function publishTo(
  http: Http,
  before: Dataset,
  upload: Upload,
  after: () => Promise<Dataset>,
): Promise<Published> {
  const { source, mediaType, checksum, label, notes, metadata, onProgress, signal } = upload;
  const bytes = typeof source === 'string' ? createReadStream(source) : source;
  const name = upload.fileName ?? (typeof source === 'string' ? basename(source) : undefined);
  const said = Object.entries({ name, checksum, label, notes, metadata });
  const answer = await http.json({
    method: 'POST',
    path: `${pathOf(refOfEntity<'dataset'>(before))}version/`,
    query: said.filter((field): field is [string, string] => field[1] !== undefined),
    headers: { 'content-type': mediaType ?? 'application/octet-stream' },
    body: Readable.from(counted(bytes, onProgress), { objectMode: false }),
    signal,
  });
  const version = read.version(part(answer.value));
  const created = answer.status === 201;
  const changes = created ? changesBetween(before.columns, (await after()).columns) : none;
  return { version, created, changes };
}

const none = { added: [], dropped: [], retyped: [] };
