/** The rows of a dataset: filtered, written in a format, streamed. */

import type { Rows, RowsPart } from '../catalogue/catalogue.ts';
import { closestWord } from '../catalogue/closest.ts';
import { excerpt, NotFoundError } from '../catalogue/errors.ts';
import {
  aggregateFormats,
  isFileFormat,
  type OutputFormat,
  type OutputFormatName,
  outputFormats,
} from '../catalogue/output-formats.ts';
import { datasetRefOf, type VersionRef } from '../catalogue/ref.ts';
import { haveAggregates } from '../catalogue/row-parameters.ts';
import type { Query } from '../catalogue/types.ts';
import { KeptTexts } from '../pages/kept-texts.ts';
import { datasetUrl } from './documents.ts';
import { NotAcceptableError } from './errors.ts';
import { toJsonInTurns, turnsOf } from './in-turns.ts';
import {
  type Alternate,
  datasetLicenceUrl,
  formatLinkHeader,
  type PageLinks,
  type Relations,
  urlWithParameters,
} from './link-header.ts';
import { preferredType } from './negotiate.ts';
import { namesVersion, sendPayload } from './payloads.ts';
import { type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { sendRowsFile } from './row-files.ts';
import { rowsPage, workBudgetOf } from './rows-page.ts';
import { withSavedQuery } from './saved-query.ts';
import { type Document, streamDocument } from './stream.ts';

const json = 'application/json';
const html = 'text/html';

/** Media types that rows can be asked for in; JSON in general means GeoJSON. */
export const dataTypes: readonly string[] = [
  json,
  ...new Set(Object.values(outputFormats).flatMap(({ accept }) => accept.filter((type) => type !== json))),
  html,
];

/** Media types of groups of rows. */
const aggregateTypes: readonly string[] = dataTypes.filter(
  (type) => type === json || type === html || Object.hasOwn(aggregateFormats, formatOf(type) ?? ''),
);

function formatOf(type: string): OutputFormatName | undefined {
  return (Object.keys(outputFormats) as OutputFormatName[]).find((name) =>
    (outputFormats[name].accept as readonly string[]).includes(type),
  );
}

/** A version and parameters of its rows. */
interface Source {
  readonly ref: VersionRef;
  readonly parameters: readonly (readonly [string, string])[];
  /** The saved query that they come from. */
  readonly query?: Query;
}

/** The rows of a dataset or of a version. */
export function versionRowsHandler(request: RequestContext): Promise<Representation | undefined> {
  return rowsOf(request, { ref: refFromRouteParams('version', request.params), parameters: [] });
}

/** Statistics of the columns of a dataset or of a version, as JSON. Parameters select the rows in its `matched`. */
export async function profileHandler(request: RequestContext): Promise<Representation> {
  const { catalogue, ctx, params, query } = request;
  const parameters = [...query].filter(([name]) => !/^_?format$/.test(name));
  const selection = { parameters, length: Buffer.byteLength(ctx.querystring), budget: workBudgetOf(request) };
  const profile = await catalogue.profile(refFromRouteParams('version', params), selection);
  return {
    title: 'Profile',
    dependsOn: parameters.length ? [] : [profile],
    async json() {
      const known = profileTexts.get(ctx.path, [profile]);
      const text = known ?? (await toJsonInTurns(profile, turnsOf(request)));
      if (known === undefined && parameters.length === 0) profileTexts.set(ctx.path, [profile], text);
      return text;
    },
  };
}

/** Profiles in JSON. Those of ten thousand columns are 5 MB each, of which a page shows the start. */
const profileTexts = new KeptTexts();

/** The rows of a saved query. */
export async function savedQueryRowsHandler(request: RequestContext): Promise<Representation | undefined> {
  return withSavedQuery(request, (saved) => rowsOf(request, saved));
}

async function rowsOf(request: RequestContext, { ref, ...source }: Source): Promise<Representation | undefined> {
  const { ctx, catalogue, params, query } = request;
  const { extension } = params;
  if (extension !== undefined && !Object.hasOwn(outputFormats, extension)) throw unknownFormat(extension);
  // As they were written: errors are reported under these names.
  const parameters = [...source.parameters, ...new URLSearchParams(ctx.querystring)];
  const named = ['_format', 'format'].find((name) => query.has(name));
  const isAggregated = haveAggregates(parameters);
  const type = isAggregated ? preferredType(ctx.req.headers.accept, aggregateTypes) : request.type;
  if (type === null && !named && extension === undefined) throw new NotAcceptableError(aggregatesNotAcceptable);
  const asPage =
    extension === undefined && (named ? /^(html|api)$/.test(query.getAll(named).at(-1) ?? '') : type === html);
  if (asPage) return rowsPage(request, { ref, parameters, query: source.query ?? null });
  const rows = await catalogue.rows(ref, {
    parameters,
    format: extension,
    // JSON in general is GeoJSON of rows, and an array of objects of groups.
    preferred: type === null || type === json ? undefined : formatOf(type),
    length: Buffer.byteLength(ctx.querystring),
    budget: workBudgetOf(request),
    links: (part) => partLinks(request, part),
  });
  if (rows.isPayload) {
    await sendPayload(request, ref);
    return undefined;
  }
  // GeoJSON in a response to a request for JSON in general is labelled as JSON; the document is the same.
  const asJson = rows.format === 'geojson' && extension === undefined && !named && type === json;
  const { dataset, slug } = rows.version;
  const format: OutputFormat = outputFormats[rows.format as OutputFormatName];
  const document: Document = {
    tag: rows.tag,
    compressible: !format.isBinary,
    headers: await rowsHeaders(request, rows, isAggregated),
    contentType: asJson ? json : rows.contentType,
    fileName: `${dataset}-${slug}.${rows.extension}`,
    stream: () => rows.stream(),
  };
  if (rows.file && (extension !== undefined || isFileFormat(rows.format as OutputFormatName)))
    await sendRowsFile(request, document, rows.file, namesVersion(params));
  else await streamDocument(ctx, document);
  return undefined;
}

const aggregatesNotAcceptable = `Groups of rows have no geometry. Accept one of ${aggregateTypes.join(', ')}.`;

function unknownFormat(extension: string): NotFoundError {
  const names = Object.keys(outputFormats);
  const near = closestWord(extension, names);
  const hint = near ? `Did you mean "${near}"?` : `There are ${names.join(', ')}.`;
  return new NotFoundError(`Unknown format "${excerpt(extension)}". ${hint}`);
}

/** Addresses of the rows before and after a part of them. */
function partLinks({ ctx, links, query }: RequestContext, { matched, offset, limit, paged }: RowsPart): PageLinks {
  const address = (change: Readonly<Record<string, number>>) =>
    urlWithParameters(`${links.base}${ctx.path}`, query, change);
  if (limit === 0) return { next: null, previous: null };
  const page = Math.floor(offset / limit) + 1;
  const spelled = (name: string) => (query.has(name) ? name : `_${name}`);
  const to = (first: number) => (paged ? { [spelled('page')]: first / limit + 1 } : { [spelled('offset')]: first });
  return {
    next: offset + limit < matched ? address(to(offset + limit)) : null,
    previous: offset > 0 ? address(paged ? { [spelled('page')]: page - 1 } : to(Math.max(0, offset - limit))) : null,
  };
}

/** Headers with the count of a part of the rows, for which only GeoJSON has a place in its text; and with links. */
async function rowsHeaders(
  request: RequestContext,
  { part, version, format }: Rows,
  isAggregated: boolean,
): Promise<Record<string, string>> {
  const { catalogue, ctx, links, query } = request;
  const address = `${links.base}${ctx.path}`;
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(version));
  const { next, previous } = part ? partLinks(request, part) : { next: null, previous: null };
  const relations: Relations = {
    ...{ next, prev: previous, ...(part && endLinks(request, part)), self: urlWithParameters(address, query) },
    license: datasetLicenceUrl(dataset, catalogue.settings),
    collection: datasetUrl(dataset, links),
    describedby: `${datasetUrl(dataset, links)}dcat.jsonld`,
  };
  const alternates = alternateFormats
    .filter((name) => name !== format && (!isAggregated || Object.hasOwn(aggregateFormats, name)))
    .map((name): Alternate => {
      const url = urlWithParameters(address.replace(/\/data\.\w+$/, '/data/'), query, { _format: name, format: null });
      return { url, type: outputFormats[name].contentType.split(';')[0] ?? '' };
    });
  return { ...(part && { 'X-Total-Count': String(part.matched) }), Link: formatLinkHeader(relations, alternates) };
}

const alternateFormats = ['geojson', 'csv', 'parquet'] as const satisfies readonly OutputFormatName[];

/** Addresses of the first and the last part of the rows. */
function endLinks({ ctx, links, query }: RequestContext, { matched, limit, paged }: RowsPart): Relations {
  if (limit === 0) return {};
  const name = ['page', 'offset'].find((one) => query.has(one)) ?? (paged ? '_page' : '_offset');
  const parts = Math.max(1, Math.ceil(matched / limit));
  const to = (value: number | null) => urlWithParameters(`${links.base}${ctx.path}`, query, { [name]: value });
  return { first: to(null), last: to(parts === 1 ? null : paged ? parts : (parts - 1) * limit) };
}
