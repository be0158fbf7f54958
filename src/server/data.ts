/** The rows of a dataset: filtered, written in a format, streamed. */
import type { RowsPart } from '../catalogue/catalogue.ts';
import { closest } from '../catalogue/closest.ts';
import { MovedError, NotFoundError } from '../catalogue/errors.ts';
import { parseDatasetRef, type VersionRef } from '../catalogue/ref.ts';
import { type OutputFormatName, outputFormats } from '../data/formats/output-formats.ts';
import { rowsPage } from '../pages/rows.ts';
import { withParameters } from './links.ts';
import { sendPayload, versionRef } from './payloads.ts';
import type { Ask, Shown } from './route.ts';
import { sendDocument } from './stream.ts';

const json = 'application/json';
const html = 'text/html';

/** Media types that rows can be asked for in; whatever JSON type it is means GeoJSON. */
export const dataTypes: readonly string[] = [
  json,
  ...new Set(Object.values(outputFormats).flatMap(({ accept }) => accept.filter((type) => type !== json))),
  html,
];

function formatOf(type: string): OutputFormatName | undefined {
  return (Object.keys(outputFormats) as OutputFormatName[]).find((name) =>
    (outputFormats[name].accept as readonly string[]).includes(type),
  );
}

/** Rows shown to people who don't say how many, and at most: a page is made as a whole. */
const rowsOnPage = 100;
const mostOnPage = 1000;
const isLimit = /^_?(limit|page_size)$/;

/** What rows are asked for: which version, and by which parameters besides those of the request. */
interface Asked {
  readonly ref: VersionRef;
  readonly parameters: readonly (readonly [string, string])[];
}

/** Answers a data address of a dataset or of a version. */
export function data(ask: Ask): Promise<Shown | undefined> {
  return answer(ask, { ref: versionRef(ask.params), parameters: [] });
}

/** Answers the data address of a saved query: its parameters, and those of the request after them. */
export async function queryData(ask: Ask): Promise<Shown | undefined> {
  const query = await ask.catalogue.get<'query'>({ kind: 'query', slug: ask.params.query ?? '' });
  const { namespace, slug } = parseDatasetRef(query.dataset);
  const ref: VersionRef = { kind: 'version', namespace, dataset: slug, slug: query.version ?? 'latest' };
  const parameters = Object.entries(query.parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, typeof one === 'string' ? one : JSON.stringify(one)] as const),
  );
  try {
    return await answer(ask, { ref, parameters });
  } catch (error) {
    // The query has kept its address, and the dataset may have another by now.
    if (error instanceof MovedError && error.to.kind === 'version') return answer(ask, { ref: error.to, parameters });
    throw error;
  }
}

function unknownFormat(extension: string): NotFoundError {
  const names = Object.keys(outputFormats);
  const near = closest(extension, names);
  const hint = near ? `Did you mean "${near}"?` : `There are ${names.join(', ')}.`;
  return new NotFoundError(`Unknown format "${extension}". ${hint}`);
}

async function answer(ask: Ask, asked: Asked): Promise<Shown | undefined> {
  const { ctx, catalogue, params, query, type } = ask;
  const { extension } = params;
  if (extension !== undefined && !Object.hasOwn(outputFormats, extension)) throw unknownFormat(extension);
  const parameters = [...asked.parameters, ...query];
  const named = ['_format', 'format'].find((name) => query.has(name));
  const asPage = extension === undefined && (named ? query.getAll(named).at(-1) === 'html' : type === html);
  if (asPage) return page(ask, asked.ref, parameters);
  const rows = await catalogue.rows(asked.ref, {
    parameters,
    format: extension,
    preferred: formatOf(type),
    length: Buffer.byteLength(ctx.querystring),
    links: (part) => partLinks(ask, part),
  });
  if (rows.isPayload) {
    await sendPayload(ask, asked.ref);
    return undefined;
  }
  // One who asked for JSON in general is told that it is JSON; the document is the same.
  const plain = rows.format === 'geojson' && extension === undefined && !named && type === json;
  const { dataset, slug } = rows.version;
  await sendDocument(ctx, {
    tag: rows.tag,
    packable: rows.format !== 'parquet',
    headers: linkHeader(ask, rows.part),
    contentType: plain ? json : rows.contentType,
    fileName: `${dataset}-${slug}.${rows.extension}`,
    stream: () => rows.stream(),
  });
  return undefined;
}

/** The addresses of the rows before and after a part. */
function partLinks({ ctx, links, query }: Ask, { matched, offset, limit, paged }: RowsPart) {
  const address = (change: Readonly<Record<string, number>>) =>
    `${links.base}${ctx.path}?${withParameters(query, change)}`;
  if (limit === 0) return { next: null, previous: null };
  const page = Math.floor(offset / limit) + 1;
  const spelled = (name: string) => (query.has(name) ? name : `_${name}`);
  const to = (first: number) => (paged ? { [spelled('page')]: first / limit + 1 } : { [spelled('offset')]: first });
  return {
    next: offset + limit < matched ? address(to(offset + limit)) : null,
    previous: offset > 0 ? address(paged ? { [spelled('page')]: page - 1 } : to(Math.max(0, offset - limit))) : null,
  };
}

function linkHeader(ask: Ask, part: RowsPart | null): Record<string, string> {
  if (!part) return {};
  const { next, previous } = partLinks(ask, part);
  const parts = [...(next ? [`<${next}>; rel="next"`] : []), ...(previous ? [`<${previous}>; rel="prev"`] : [])];
  // Formats other than GeoJSON have no place of their own for how many there are.
  return { 'X-Total-Count': String(part.matched), ...(parts.length && { Link: parts.join(', ') }) };
}

/** The rows for people: a table of the first of them, or of those that were asked for. */
async function page(ask: Ask, ref: VersionRef, parameters: Asked['parameters']): Promise<Shown> {
  const { ctx, catalogue, query } = ask;
  const own = parameters
    .filter(([name]) => name !== '_format' && name !== 'format')
    .map(
      ([name, value]) => [name, isLimit.test(name) && Number(value) > mostOnPage ? String(mostOnPage) : value] as const,
    );
  const limited = ['limit', 'page', 'page_size'].some((name) => query.has(name) || query.has(`_${name}`));
  const rows = await catalogue.rows(ref, {
    parameters: limited ? own : [...own, ['_limit', String(rowsOnPage)]],
    format: 'objects',
    length: Buffer.byteLength(ctx.querystring),
  });
  const chunks: Buffer[] = [];
  for await (const chunk of rows.stream()) chunks.push(chunk as Buffer);
  const items = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>[];
  const title = `${rows.version.dataset}: rows`;
  return {
    title,
    parts: [],
    json: () => JSON.stringify(items),
    html: (settings, base) => rowsPage({ title, settings, base, items, matched: rows.part?.matched ?? items.length }),
  };
}
