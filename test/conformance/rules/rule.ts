/** A rule: one question, and what its answer must be. The judge of the recorded exchanges judges it. */
import type { Answer, Exchange } from '../exchange.ts';
import { headerOf } from '../exchange.ts';
import { judge, readBody } from '../judge.ts';

export interface Rule {
  /** Method and path: `GET /api/v1/datasets/?page=2`. */
  readonly ask: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly send?: unknown;
  /** Where more than one is right, all of them. */
  readonly status: number | readonly number[];
  /** Media type; left out, application/json; null where it doesn't matter. */
  readonly type?: string | null;
  /** Below 400 the fields that must be there, in an error all of them. */
  readonly body?: unknown;
  /** What the page's `results` hold, in order. */
  readonly slugs?: readonly string[];
  readonly count?: number;
  /** How many `results` the page has. */
  readonly length?: number;
  /** Query string of the link to the next page, or null. */
  readonly next?: string | null;
  readonly previous?: string | null;
  /** The whole body of an error, or the start of `detail` where it ends in …. */
  readonly detail?: string;
  /** What the bytes must contain. */
  readonly contains?: readonly string[];
  /** As a set; more may be allowed than is named here, but in errors. */
  readonly allow?: string;
  /** Other headers: the exact value, a pattern (an absent header is ''), or null for none. */
  readonly header?: Readonly<Record<string, string | RegExp | null>>;
  readonly why: string;
}

/** The rule as an exchange that can be sent and judged; `status` is the one of the answer, where it is right. */
export function exchangeOf(
  rule: Rule,
  status?: number,
): Pick<Exchange, 'request' | 'response' | 'tolerance' | 'checks'> {
  const [method = '', path = ''] = rule.ask.split(/ (.*)/s);
  const statuses = [rule.status].flat();
  const body = bodyOf(rule, path.replace(/\?.*/s, ''));
  const type = rule.type === undefined ? 'application/json' : rule.type;
  return {
    request: {
      method,
      path,
      headers: { ...(rule.send !== undefined && { 'Content-Type': 'application/json' }), ...rule.headers },
      body: rule.send,
    },
    response: {
      status: statuses.find((right) => right === status) ?? statuses[0] ?? 0,
      headers: {
        ...(type !== null && { 'content-type': type }),
        ...(rule.allow !== undefined && { allow: rule.allow }),
      },
      body,
    },
    tolerance: [
      ...(body === undefined ? [{ path: 'body', rule: 'ignore' } as const] : []),
      ...(rule.detail?.endsWith('…')
        ? [{ path: 'body.detail', rule: 'prefix', value: rule.detail.slice(0, -1) } as const]
        : []),
    ],
    checks: { raw_contains: rule.contains ?? [] },
  };
}

/** What the rule says of the body; undefined for nothing. */
function bodyOf(rule: Rule, path: string): unknown {
  const { body, detail, slugs, count, next, previous } = rule;
  if (detail !== undefined) return { detail };
  const link = (query: string | null) => (query === null ? null : `{base_url}${path}${query}`);
  const page = {
    ...(count !== undefined && { count }),
    ...(next !== undefined && { next: link(next) }),
    ...(previous !== undefined && { previous: link(previous) }),
    ...(slugs && { results: slugs.map((slug) => ({ slug })) }),
  };
  return Object.keys(page).length ? { ...(body as object | undefined), ...page } : body;
}

/** The differences between what the rule says and the answer. */
export function differences(rule: Rule, answer: Answer, base: string): string[] {
  const out = judge(exchangeOf(rule, answer.status), answer, base);
  const expected = Object.entries(rule.header ?? {});
  // On every answer there is.
  for (const [name, want] of [...expected, ['x-content-type-options', 'nosniff'] as const]) {
    const got = headerOf(answer, name)?.replaceAll(base, '{base_url}') ?? null;
    if (want instanceof RegExp ? !want.test(got ?? '') : want !== got)
      out.push(`${name}: expected ${want ?? 'none'}, got ${got}`);
  }
  const body = readBody(answer, base) as { results?: unknown; detail?: unknown } | null;
  if (rule.length !== undefined && (!Array.isArray(body?.results) || body.results.length !== rule.length))
    out.push(`body.results: expected ${rule.length}, got ${JSON.stringify(body)?.slice(0, 200)}`);
  // One error shape: a client finds a sentence, or messages by field.
  if (answer.status >= 400 && rule.type === undefined && !rule.ask.startsWith('HEAD') && typeof body !== 'object')
    out.push(`body: expected an object, got ${String(body).slice(0, 80)}`);
  return out;
}

/** Many questions that have the same kind of answer. */
export function each<T extends unknown[]>(
  rows: readonly (readonly [...T])[],
  rule: (...row: T) => Rule,
): readonly Rule[] {
  return rows.map((row) => rule(...(row as T)));
}
