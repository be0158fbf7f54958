/**
 * Compares an answer with the recorded one. Pure.
 *
 *     status            equal
 *     body              JSON deep, key order ignored, the server's address written {base_url}; no body stays no body;
 *                       below 400 there may be more fields than were recorded, in an error not
 *     Allow             as a set, where it was recorded; in an error but 405 exactly, else there may be more
 *     Content-Type      media type, where it was recorded
 *     Vary              names Accept, where the recorded one does
 *     Location          path and query, where it was recorded
 *     WWW-Authenticate  scheme, where it was recorded
 *
 * each less what the exchange's own `tolerance` leaves open; and its `checks` look at the bytes.
 */
import { createHash } from 'node:crypto';
import { type Answer, type Exchange, headerOf, type Tolerance } from './exchange.ts';

/** A field that isn't there: JSON's null is a value. */
const absent = Symbol('absent');

/** Each difference in words; none when the answer matches. */
export function judge(
  exchange: Pick<Exchange, 'request' | 'response' | 'tolerance' | 'checks'>,
  answer: Answer,
  base: string,
): string[] {
  const { request, response: expected, checks } = exchange;
  const rules = exchange.tolerance ?? [];
  const exact = expected.status >= 400 && expected.status !== 405;
  const out: string[] = [];
  if (answer.status !== expected.status) out.push(`status: expected ${expected.status}, got ${answer.status}`);
  compareHeaders(expected.headers, answer, base, rules, exact, out);

  if (request.method !== 'HEAD' && !ignored('body', rules)) {
    const actual = readBody(answer, base);
    if (expected.body === null) {
      if (actual !== null) out.push(`body: expected none, got ${short(actual)}`);
    } else if (actual === null) out.push(`body: expected ${short(expected.body)}, got none`);
    else compare(expected.body, actual, 'body', { rules, exact, out });
  }

  if (checks?.sha256 && createHash('sha256').update(answer.raw).digest('hex') !== checks.sha256)
    out.push(`raw body: SHA-256 is not ${checks.sha256.slice(0, 16)}…`);
  const text = answer.raw.toString('utf8');
  for (const part of checks?.raw_contains ?? [])
    if (!text.includes(part)) out.push(`raw body: does not contain ${short(part)}`);
  return out;
}

function compareHeaders(
  expected: Exchange['response']['headers'],
  answer: Answer,
  base: string,
  rules: readonly Tolerance[],
  exact: boolean,
  out: string[],
): void {
  const check = (name: string, matches: (want: string, got: string | null) => boolean) => {
    const want = expected[name];
    const got = headerOf(answer, name);
    if (want && !ignored(name, rules) && !matches(want, got)) out.push(`${name}: expected ${want}, got ${got}`);
  };
  check('content-type', (want, got) => mediaType(want) === mediaType(got));
  check('allow', (want, got) => {
    const [wanted, gotten] = [setOf(want), setOf(got)];
    return [...wanted].every((method) => gotten.has(method)) && (!exact || gotten.size === wanted.size);
  });
  check('vary', (want, got) => !setOf(want).has('ACCEPT') || setOf(got).has('ACCEPT') || setOf(got).has('*'));
  check('location', (want, got) => pathIn(want, base) === pathIn(got, base));
  check('www-authenticate', (want, got) => scheme(want) === scheme(got));
}

const mediaType = (value: string | null) => (value ? value.split(';', 1)[0]?.trim().toLowerCase() : undefined);
const scheme = (value: string | null) => (value ?? '').split(' ', 1)[0]?.toLowerCase();
const setOf = (value: string | null) =>
  new Set(
    (value ?? '')
      .split(',')
      .map((part) => part.trim().toUpperCase())
      .filter((part) => part !== ''),
  );

function pathIn(value: string | null, base: string): string | null {
  const location = value?.replaceAll('{base_url}', '') ?? null;
  return location?.startsWith(base) ? location.slice(base.length) : location;
}

/** null for no body, else what the JSON says, else the text; the server's address written `{base_url}`. */
export function readBody(answer: Answer, base: string): unknown {
  if (answer.raw.length === 0) return null;
  const text = answer.raw.toString('utf8');
  const type = mediaType(headerOf(answer, 'content-type')) ?? '';
  if (type === 'application/json' || type.endsWith('+json')) {
    try {
      return JSON.parse(text, (_key, value) =>
        typeof value === 'string' ? value.replaceAll(base, '{base_url}') : value,
      );
    } catch {
      // Judged as the text that it is.
    }
  }
  return text.replaceAll(base, '{base_url}');
}

interface Comparison {
  readonly rules: readonly Tolerance[];
  readonly exact: boolean;
  readonly out: string[];
}

function compare(expected: unknown, actual: unknown, path: string, comparison: Comparison): void {
  const { rules, exact, out } = comparison;
  const rule = ruleFor(path, rules);
  if (rule) {
    if (!fits(rule, actual)) out.push(`${path}: expected ${rule.rule} ${rule.value ?? ''}, got ${short(actual)}`);
  } else if (kindOf(expected) !== kindOf(actual)) {
    out.push(`${path}: expected ${short(expected)}, got ${short(actual)}`);
  } else if (isObject(expected) && isObject(actual)) {
    for (const [key, value] of Object.entries(expected))
      compare(value, Object.hasOwn(actual, key) ? actual[key] : absent, `${path}.${key}`, comparison);
    if (!exact) return;
    for (const [key, value] of Object.entries(actual))
      if (!Object.hasOwn(expected, key) && !ruleFor(`${path}.${key}`, rules))
        out.push(`${path}.${key}: expected (absent), got ${short(value)}`);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    compareLists(expected, actual, path, comparison);
  } else if (expected !== actual) {
    out.push(`${path}: expected ${short(expected)}, got ${short(actual)}`);
  }
}

function compareLists(
  expected: readonly unknown[],
  actual: readonly unknown[],
  path: string,
  comparison: Comparison,
): void {
  const { exact, out } = comparison;
  // A server may render and parse more than the recorded one.
  if ((path === 'body.renders' || path === 'body.parses') && !exact) {
    for (const item of expected) if (!actual.includes(item)) out.push(`${path}: expected ${short(item)} in it`);
    return;
  }
  if (expected.length !== actual.length) out.push(`${path}: expected ${expected.length} items, got ${actual.length}`);
  for (const [n, item] of expected.slice(0, actual.length).entries())
    compare(item, actual[n], `${path}[${n}]`, comparison);
}

/** `true` is no number, and 1 no string. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

const isObject = (value: unknown): value is Record<string, unknown> => kindOf(value) === 'object';

function ruleFor(path: string, rules: readonly Tolerance[]): Tolerance | undefined {
  return rules.find((rule) => rule.path === path || (rule.path.includes('[*]') && pattern(rule.path).test(path)));
}

/** `[*]` stands for any place in a list. */
function pattern(path: string): RegExp {
  const literal = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${path.split('[*]').map(literal).join('\\[\\d+\\]')}$`);
}

const ignored = (path: string, rules: readonly Tolerance[]) => ruleFor(path, rules)?.rule === 'ignore';

function fits(rule: Tolerance, actual: unknown): boolean {
  switch (rule.rule) {
    case 'ignore':
      return true;
    case 'integer':
      return Number.isInteger(actual);
    case 'string':
      return typeof actual === 'string' && actual !== '';
    case 'prefix':
      return typeof actual === 'string' && actual.startsWith(rule.value ?? '');
    default:
      throw new Error(`Unknown tolerance rule ${String(rule.rule)}.`);
  }
}

function short(value: unknown, limit = 90): string {
  if (value === absent) return '(absent)';
  const text = JSON.stringify(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}…`;
}
