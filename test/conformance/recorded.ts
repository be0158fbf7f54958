/** The recorded answers, as if a server had just given them; and ways to alter them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Exchange, fill, fixture, loadExchanges } from './replay.ts';

/** Where they come from, unless said otherwise. */
export const base = 'http://catalogue.example:8000';
export const exchanges = loadExchanges();

/** Payloads by their SHA-256: a recorded answer holds what the bytes say, and not the bytes. */
const payloads = new Map<string, Buffer>();
for (const path of readdirSync(fixture, { recursive: true }).map(String)) {
  if (!path.endsWith('.geojson')) continue;
  const bytes = readFileSync(join(fixture, path));
  payloads.set(createHash('sha256').update(bytes).digest('hex'), bytes);
}

/** The answer as it was recorded, given by the server at `from`. */
export function recorded({ request, response, checks }: Exchange, from = base): Answer {
  const { body } = response;
  const text = typeof body === 'string' ? body : escaped(JSON.stringify(body));
  const raw = payloads.get(checks?.sha256 ?? '') ?? Buffer.from(body === null ? '' : fill(text, from));
  return {
    status: response.status,
    headers: Object.entries(response.headers).map(([name, value]) => [name, fill(value, from)] as const),
    raw: request.method === 'HEAD' ? Buffer.alloc(0) : raw,
  };
}

const escaped = (json: string) => json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

export function named(name: string): Exchange {
  const found = exchanges.find((exchange) => exchange.name === name);
  assert.ok(found, `There is no exchange ${name}.`);
  return found;
}

/** The recorded answer with a header replaced, or taken away where the value is null. */
export function withHeader(answer: Answer, name: string, value: string | null): Answer {
  const headers = answer.headers.filter(([key]) => key !== name);
  return { ...answer, headers: value === null ? headers : [...headers, [name, value]] };
}

/** The recorded answer with another body. */
export function withBody(answer: Answer, change: (body: never) => unknown): Answer {
  return { ...answer, raw: Buffer.from(JSON.stringify(change(JSON.parse(answer.raw.toString()) as never))) };
}
