/** The differences between the rows of two versions, over HTTP. */

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { closestWord, didYouMean } from '../catalogue/closest.ts';
import type { Difference } from '../catalogue/difference.ts';
import { excerpt, MovedError, NotFoundError, UnavailableError, ValidationError } from '../catalogue/errors.ts';
import { outputFormats } from '../catalogue/output-formats.ts';
import { parseVersionRef } from '../catalogue/parse-ref.ts';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { datasetRefOf, refOf, type VersionRef } from '../catalogue/ref.ts';
import { representDifferenceWithoutRows, resourceUrl, serializeDifference } from '../catalogue/represent.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { ParameterError } from '../data/errors.ts';
import { passWithoutBlocking } from '../data/event-loop.ts';
import { splitList } from '../data/query/parameter-values.ts';
import { layoutVersion } from '../data/table/columnar-copy.ts';
import type { Pair } from './difference-figures.ts';
import { addressOfPairForm, differencePage, differencePageParameters } from './difference-page.ts';
import { etagOfHash } from './etags.ts';
import { lastParameterValue } from './query-string.ts';
import { seeOther } from './redirects.ts';
import { type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { workBudgetOf } from './rows-page.ts';
import { type DocumentInfo, streamDocument, trySendNotModified } from './stream.ts';

const json = 'application/json';
const html = 'text/html';

/** Media types that differences can be asked for in. */
export const differenceTypes: readonly string[] = [json, ...outputFormats.ndjson.accept, html];

/** Rows of the API in a browser, at most. */
const rowsOnPage = 100;
/** Milliseconds that may pass before the first byte. */
const timeout = 10_000;

/** The differences of a version: from the version before it, or from the one that `_from` names. */
export async function differenceHandler(request: RequestContext): Promise<Representation | undefined> {
  const { ctx, catalogue, query, links, type, params } = request;
  const format = knownFormat(query) ?? (type === html ? 'html' : type === json ? 'json' : 'ndjson');
  const isPage = format === 'html';
  const to = await catalogue.get<'version'>(refFromRouteParams('version', params));
  const address = isPage ? addressOfPairForm(query, to) : null;
  if (address !== null) {
    seeOther(request, address);
    return undefined;
  }
  const asked = parametersFrom(query, isPage ? differencePageParameters : []);
  const dataset = await catalogue.get<'dataset'>(datasetRefOf(to));
  const from = await baseVersion(request, dataset, asked.from, to);
  const pair = { from, to, dataset };
  if (format === 'api') return compare(request, pair, asked.key, (difference) => apiInBrowser(request, difference));
  if (isPage)
    return compare(request, pair, asked.key, (difference, signal) => differencePage(request, difference, signal));

  const ends = [from, to].map((version) => [resourceUrl(links, refOf(version)), version.checksum, version.reading]);
  const hash = createHash('sha256').update(
    JSON.stringify([layoutVersion, ends, dataset.former_names, asked.key, format]),
  );
  const info: DocumentInfo = { tag: etagOfHash(hash), compressible: true };
  // Before comparing: a client that has the document needn't wait. Versions that aren't ready can't be compared.
  if (from.ready && to.ready && trySendNotModified(ctx, info)) return undefined;
  const found = await compare(request, pair, asked.key, async (difference) => difference);
  const text = () => passWithoutBlocking(bytesOf(serializeDifference(found, links, format)));
  await streamDocument(ctx, {
    ...info,
    contentType: format === 'json' ? json : outputFormats.ndjson.contentType,
    fileName: `${to.dataset}-${from.slug}-${to.slug}.${format}`,
    stream: () => Readable.from(text(), { objectMode: false, highWaterMark: 256 * 1024 }),
  });
  return undefined;
}

const differenceFormats = ['json', 'ndjson', 'html', 'api'] as const;
const parameterNames = ['_from', '_key', '_format'];

interface DifferenceParameters {
  /** Slug of a version of the dataset, or `<namespace>/<dataset>@<version>`. */
  readonly from: string | undefined;
  readonly key: readonly string[] | undefined;
}

const formatNameIn = (query: URLSearchParams) => (query.has('_format') ? '_format' : 'format');

/** The format that the query string names; undefined without one, and for an unknown one. */
const knownFormat = (query: URLSearchParams) =>
  differenceFormats.find((each) => each === lastParameterValue(query, formatNameIn(query)));

/**
 * Reads the query string; of a repeated parameter the last value counts.
 * @param others names of parameters that are read later
 * @throws ValidationError with all errors, by parameter
 */
function parametersFrom(query: URLSearchParams, others: readonly string[]): DifferenceParameters {
  const errors = new Map<string, string[]>();
  for (const name of query.keys()) {
    if (parameterNames.includes(name) || others.includes(name) || name === 'format') continue;
    const near = closestWord(name, parameterNames);
    const hint = near ? `Did you mean "${near}"?` : `There are ${parameterNames.join(', ')}.`;
    errors.set(name, [`Unknown parameter "${excerpt(name)}". ${hint}`]);
  }
  const formatName = formatNameIn(query);
  const format = lastParameterValue(query, formatName);
  if (format !== undefined && !knownFormat(query))
    errors.set(formatName, [
      `Unknown format "${excerpt(format)}". There are ${differenceFormats.slice(0, -1).join(', ')}.`,
    ]);
  const key = keyFrom(lastParameterValue(query, '_key'), errors);
  if (errors.size > 0) throw new ValidationError(Object.fromEntries(errors));
  return { from: lastParameterValue(query, '_from'), key };
}

function keyFrom(text: string | undefined, errors: Map<string, string[]>): readonly string[] | undefined {
  if (text === undefined) return undefined;
  try {
    return splitList(text);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    errors.set('_key', [error.message]);
    return undefined;
  }
}

/** The version to compare with. @param dataset of the version that is compared */
async function baseVersion(
  { catalogue }: RequestContext,
  dataset: Dataset,
  from: string | undefined,
  to: Version,
): Promise<Version> {
  if (from === undefined) {
    const before = readyVersionBefore(dataset, to.slug);
    if (before) return before;
    throw new NotFoundError('There is no version before this one to compare it with. Name another with _from.');
  }
  if (from.includes('/')) return versionOfOtherDataset(from, (ref) => catalogue.get<'version'>(ref));
  if (from === 'latest') return catalogue.get<'version'>({ ...refOf(to), slug: from } as VersionRef);
  const named = dataset.versions.find(({ slug }) => slug === from);
  if (named) return named;
  const slugs = dataset.versions.map(({ slug }) => slug);
  throw new ValidationError({
    _from: [`This dataset has no version "${excerpt(from)}".${didYouMean(from, slugs)}`],
  });
}

/** A version of another dataset: if it is missing or has moved, the address of the request is right all the same. */
async function versionOfOtherDataset(text: string, get: (ref: VersionRef) => Promise<Version>): Promise<Version> {
  try {
    return await get(parseVersionRef(text));
  } catch (error) {
    if (error instanceof MovedError && error.to.kind === 'version') return get(error.to);
    if (error instanceof ValidationError) throw new ValidationError({ _from: Object.values(error.fields).flat() });
    if (error instanceof NotFoundError)
      throw new ValidationError({ _from: [`There is no version "${excerpt(text)}".`] });
    throw error;
  }
}

/**
 * Compares two versions, as long as the client is connected.
 * @param use makes the result of the difference, in the same time
 * @throws UnavailableError if it takes too long
 */
async function compare<Result>(
  request: RequestContext,
  pair: Pair,
  key: readonly string[] | undefined,
  use: (difference: Difference, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { ctx, catalogue } = request;
  const { signal, done } = abortWhenLate(ctx);
  try {
    const [before, after] = [refOf(pair.from), refOf(pair.to)] as [VersionRef, VersionRef];
    const found = await catalogue.difference(before, after, { key, signal, budget: workBudgetOf(request) });
    if (key === undefined) request.app.differenceFigures.keep(pair, found);
    return await use(found, signal);
  } finally {
    done();
  }
}

function abortWhenLate(ctx: ParameterizedContext): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const stop = (reason: string) => controller.abort(new UnavailableError(reason));
  const late = setTimeout(
    () => stop('Comparing these versions takes too long here. Download them, and compare them yourself.'),
    timeout,
  );
  const left = () => stop('The client has closed the connection.');
  ctx.res.once('close', left);
  const done = () => {
    clearTimeout(late);
    ctx.res.off('close', left);
  };
  return { signal: controller.signal, done };
}

async function* bytesOf(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of text) yield Buffer.from(chunk);
}

/** The API in a browser: the summary, and the first rows. */
async function apiInBrowser({ links }: RequestContext, found: Difference): Promise<Representation> {
  const rows: unknown[] = [];
  for await (const row of found.rows()) {
    rows.push(row);
    if (rows.length === rowsOnPage) break;
  }
  const value = { ...representDifferenceWithoutRows(found, links), rows };
  const title = `${found.to.dataset}: differences`;
  return {
    title,
    dependsOn: [],
    type: html,
    json: () => JSON.stringify(value),
  };
}
