/** How the rows of a version differ from those of another, over HTTP. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import type { Difference } from '../catalogue/difference.ts';
import { differenceText, representDifference } from '../catalogue/difference-text.ts';
import { MovedError, NotFoundError, UnavailableError, ValidationError } from '../catalogue/errors.ts';
import { versionBefore } from '../catalogue/lookup.ts';
import { datasetOf, parseVersionRef, refOf, type VersionRef } from '../catalogue/ref.ts';
import { urlOf } from '../catalogue/represent.ts';
import type { Version } from '../catalogue/types.ts';
import { didYouMean } from '../data/errors.ts';
import { yieldToEventLoop } from '../data/event-loop.ts';
import { outputFormats } from '../data/formats/output-formats.ts';
import { plainPage } from '../pages/plain.ts';
import { type DifferenceParameters, differenceParameters } from './difference-parameters.ts';
import { versionRef } from './payloads.ts';
import type { Ask, Shown } from './route.ts';
import { answeredUnmodified, type Form, sendDocument } from './stream.ts';

const json = 'application/json';
const html = 'text/html';

/** Media types that differences can be asked for in. */
export const differenceTypes: readonly string[] = [json, ...outputFormats.ndjson.accept, html];

/** Rows shown to people, at most. */
const rowsOnPage = 100;
/** Milliseconds that may pass before the first byte. */
const patience = 10_000;

/** Answers an address of a version's differences: from the version before, or from the one that `_from` names. */
export async function difference(ask: Ask): Promise<Shown | undefined> {
  const { ctx, catalogue, query, links, type, params } = ask;
  const asked = differenceParameters(query);
  const to = await catalogue.get<'version'>(versionRef(params));
  const from = await startOf(ask, asked, to);
  const format = asked.format ?? (type === html ? 'html' : type === json ? 'json' : 'ndjson');
  if (format === 'html') return page(ask, await compared(ask, from, to, asked.key));

  const ends = [from, to].map((version) => [urlOf(links, refOf(version)), version.checksum]);
  const hash = createHash('sha256').update(JSON.stringify([ends, asked.key, format]));
  const form: Form = { tag: hash.digest('base64url').slice(0, 27), packable: true };
  // Who has it already needn't wait for it to be made again; what is not ready isn't there to be had.
  if (from.ready && to.ready && answeredUnmodified(ctx, form)) return undefined;
  const found = await compared(ask, from, to, asked.key);
  const text = () => yieldToEventLoop(bytesOf(differenceText(found, links, format)));
  await sendDocument(ctx, {
    ...form,
    contentType: format === 'json' ? json : outputFormats.ndjson.contentType,
    fileName: `${to.dataset}-${from.slug}-${to.slug}.${format}`,
    stream: () => Readable.from(text(), { objectMode: false, highWaterMark: 256 * 1024 }),
  });
  return undefined;
}

/** The version to compare with. */
async function startOf({ catalogue }: Ask, { from }: DifferenceParameters, to: Version): Promise<Version> {
  const dataset = await catalogue.get<'dataset'>(datasetOf(to));
  if (from === undefined) {
    const before = versionBefore(dataset, to.slug);
    if (before) return before;
    throw new NotFoundError('There is no version before this one to compare it with. Name another with _from.');
  }
  if (from.includes('/')) return elsewhere(from, (ref) => catalogue.get<'version'>(ref));
  if (from === 'latest') return catalogue.get<'version'>({ ...refOf(to), slug: from } as VersionRef);
  const named = dataset.versions.find(({ slug }) => slug === from);
  if (named) return named;
  const slugs = dataset.versions.map(({ slug }) => slug);
  throw new ValidationError({ _from: [`This dataset has no version "${from}".${didYouMean(from, slugs)}`] });
}

/** A version of another dataset: that it isn't there, or has moved, says nothing of the address that was asked. */
async function elsewhere(text: string, get: (ref: VersionRef) => Promise<Version>): Promise<Version> {
  try {
    return await get(parseVersionRef(text));
  } catch (error) {
    if (error instanceof MovedError && error.to.kind === 'version') return get(error.to);
    if (error instanceof ValidationError) throw new ValidationError({ _from: Object.values(error.fields).flat() });
    if (error instanceof NotFoundError) throw new ValidationError({ _from: [`There is no version "${text}".`] });
    throw error;
  }
}

/**
 * Compares, for as long as somebody waits for it.
 * @throws UnavailableError where it takes too long
 */
async function compared(
  { ctx, catalogue }: Ask,
  from: Version,
  to: Version,
  key: readonly string[] | undefined,
): Promise<Difference> {
  const { signal, done } = waiting(ctx);
  try {
    const [before, after] = [refOf(from), refOf(to)] as [VersionRef, VersionRef];
    return await catalogue.difference(before, after, { key, signal });
  } finally {
    done();
  }
}

function waiting(ctx: ParameterizedContext): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const stop = (why: string) => controller.abort(new UnavailableError(why));
  const late = setTimeout(
    () => stop('Comparing these versions takes too long here. Download them, and compare them yourself.'),
    patience,
  );
  const left = () => stop('Nobody waits for it any more.');
  ctx.res.once('close', left);
  const done = () => {
    clearTimeout(late);
    ctx.res.off('close', left);
  };
  return { signal: controller.signal, done };
}

async function* bytesOf(text: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of text) yield Buffer.from(piece);
}

/** The difference for people: what is known of it, and the first rows. */
async function page({ links }: Ask, found: Difference): Promise<Shown> {
  const rows: unknown[] = [];
  for await (const row of found.rows()) {
    rows.push(row);
    if (rows.length === rowsOnPage) break;
  }
  const value = { ...representDifference(found, links), rows };
  const title = `${found.to.dataset}: differences`;
  return {
    title,
    parts: [],
    json: () => JSON.stringify(value),
    html: (settings, base) => plainPage(title, settings, value, base),
  };
}
