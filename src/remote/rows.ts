/** Rows elsewhere: the question is asked by the address, and answered by the document. */
import { Readable } from 'node:stream';
import type { Rows, RowsPart, RowsRequest } from '../catalogue/catalogue.ts';
import type { Version } from '../catalogue/types.ts';
import { pathOf } from '../catalogue/urls.ts';
import type { Http } from './http.ts';
import { refOfEntity } from './read.ts';

/** The rows of a version that is known. Whether the question can be answered is asked first: the rows come when they are read. */
export async function rowsOf(http: Http, version: Version, question: RowsRequest): Promise<Rows> {
  const { parameters } = question;
  const spelled = parameters.findLast(([name]) => name === '_format' || name === 'format')?.[1];
  const format = question.format ?? spelled ?? question.preferred ?? 'geojson';
  const base = pathOf(refOfEntity<'version'>(version));
  const path = spelled !== undefined && question.format === undefined ? `${base}data/` : `${base}data.${format}`;
  const asked = { path, query: parameters };
  const { headers, body } = await http.ask({ ...asked, method: 'HEAD' });
  body.destroy();
  const tag = (headers.etag ?? '').replaceAll('"', '');
  async function* document(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* (await http.ask(asked)).body;
  }
  return {
    version,
    format,
    contentType: headers['content-type'] ?? 'application/octet-stream',
    extension: /\.(\w+)"?$/.exec(headers['content-disposition'] ?? '')?.[1] ?? format,
    part: partOf(headers['x-total-count'], parameters),
    tag,
    isPayload: tag === version.checksum,
    stream: () => Readable.from(document(), { objectMode: false }),
  };
}

/** Which part of the rows it is: the answer says how many there are, the question which of them were wanted. */
function partOf(total: string | undefined, parameters: RowsRequest['parameters']): RowsPart | null {
  if (total === undefined) return null;
  const value = (name: string): number | undefined => {
    const found = parameters.findLast(([given]) => given === name || given === `_${name}`)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const matched = Number(total);
  const [page, size] = [value('page'), value('page_size')];
  const limit = size ?? value('limit') ?? matched;
  const paged = page !== undefined || size !== undefined;
  return { matched, offset: paged ? ((page ?? 1) - 1) * limit : (value('offset') ?? 0), limit, paged };
}
