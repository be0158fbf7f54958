/** Names of columns through their history: columns of data are found by any name that they have had. */
import type { Rename } from './difference.ts';
import { composeLetters, isAscii } from './normalize.ts';
import { namesParameters, replaceColumnNamesInAggregates } from './row-parameters.ts';
import type { Dataset } from './types.ts';

/** Present names of columns, by former name; several if former columns of one name have been renamed differently. */
export type FormerNames = Dataset['former_names'];

/** Present names of columns, by former name with composed letters. */
const presentByComposed = new WeakMap<FormerNames, ReadonlyMap<string, readonly string[]>>();

function presentNamesByComposed(former: FormerNames): ReadonlyMap<string, readonly string[]> {
  const kept = presentByComposed.get(former);
  if (kept) return kept;
  const found = new Map<string, string[]>();
  for (const [name, presents] of Object.entries(former)) {
    const composed = composeLetters(name);
    found.set(composed, [...new Set([...(found.get(composed) ?? []), ...presents])]);
  }
  presentByComposed.set(former, found);
  return found;
}

/**
 * The present name of a column that has been renamed, however the letters of its former name are composed; undefined if it hasn't been
 * renamed, or if several columns may be meant.
 */
export function nameAfterRename(former: FormerNames, name: string): string | undefined {
  const own = Object.hasOwn(former, name) ? former[name] : undefined;
  const [present, ...more] =
    own ?? (isAscii(name) ? [] : (presentNamesByComposed(former).get(composeLetters(name)) ?? []));
  return more.length ? undefined : present;
}

/**
 * The columns that a name means which no column of the data has, by the name with composed letters: one, or several if the name is
 * ambiguous.
 */
export type OtherNames = ReadonlyMap<string, readonly string[]>;

/** The columns that a name means, however its letters are composed. */
export const columnsCalled = (name: string, others: OtherNames): readonly string[] =>
  others.get(composeLetters(name)) ?? [];

/**
 * The other names of columns of data: earlier ones, and also later ones if the data are those of an older version.
 * @param columns names of the columns of the data
 */
export function columnsByOtherName(former: FormerNames, columns: readonly string[]): OtherNames {
  if (Object.keys(former).length === 0) return new Map();
  const own = new Set(columns);
  const groups = new Map<string, Set<string>>();
  for (const [name, presents] of Object.entries(former))
    for (const present of presents) groups.set(present, (groups.get(present) ?? new Set([present])).add(name));
  const found = new Map<string, Set<string>>();
  for (const group of groups.values()) {
    const meant = [...group].filter((name) => own.has(name));
    if (meant.length === 0) continue;
    for (const name of group) {
      if (own.has(name)) continue;
      const composed = composeLetters(name);
      const all = found.get(composed) ?? new Set();
      for (const column of meant) all.add(column);
      found.set(composed, all);
    }
  }
  return new Map([...found].map(([name, all]) => [name, [...all]]));
}

/** Columns of one version that have another name in another one. A name that several columns may have had is left out. */
export function renamesBetween(
  former: FormerNames,
  before: readonly string[],
  after: readonly string[],
): readonly Rename[] {
  const others = columnsByOtherName(former, after);
  const known = new Set(before);
  const pairs = before.flatMap((from) => {
    const [to, ...more] = columnsCalled(from, others).filter((name) => !known.has(name));
    return to !== undefined && more.length === 0 ? [{ from, to }] : [];
  });
  const times = new Map<string, number>();
  for (const { to } of pairs) times.set(to, (times.get(to) ?? 0) + 1);
  return pairs.filter(({ to }) => times.get(to) === 1);
}

/** Parameters with calls of functions of columns. */
const callParameters = ['_aggregate', '_ordering'];
const filterParameters = ['_filter', 'filter'];

/**
 * Texts, names in quotes, numbers, and other words of CQL2 text. With a parenthesis behind it, a word is a function or a
 * geometry, and EMPTY is behind geometries only. A text that isn't closed takes the rest: looking for the end of each is slow.
 */
const cql2Token =
  /'(?:[^'\\]|''|\\.)*(?:'|\\?$)|"(?:[^"]|"")*"|[\d.][\p{L}\p{M}\p{N}_:.]*|([\p{L}_:][\p{L}\p{M}\p{N}_:.]*)(\s*(?:(?:zm?|m)\s*)?(?:\(|empty\b))?/gisu;
/** Names of columns that are one of these words must be quoted in some places; in the other places they stay as they are. */
const cql2Keyword = /^(?:and|or|not|is|null|between|in|like|div|true|false)$/i;
/** Strings of JSON, and the names of properties in CQL2 JSON. */
const jsonProperty =
  /("property"\s*:\s*)("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|"(?:[^"\\]|\\.)*(?:"|\\?$)/gsu;

/** Replaces the names of columns in a filter: CQL2 text, or CQL2 JSON, which begins with a brace. */
function replaceColumnNamesInFilter(filter: string, rename: (name: string) => string): string {
  if (/^\s*\{/.test(filter))
    return filter.replace(jsonProperty, (token, key?: string, property = '') => {
      if (key === undefined) return token;
      const name: string = JSON.parse(property);
      const to = rename(name);
      return to === name ? token : key + JSON.stringify(to);
    });
  return filter.replace(cql2Token, (token, word?: string, behind?: string) => {
    const isQuoted = token.startsWith('"');
    if (!isQuoted && (word === undefined || behind !== undefined || cql2Keyword.test(word))) return token;
    const name = isQuoted ? token.slice(1, -1).replaceAll('""', '"') : token;
    const to = rename(name);
    return to === name ? token : `"${to.replaceAll('"', '""')}"`;
  });
}

/**
 * The parameters of a query with the present names of columns: in filters, lists of columns, aggregates and the names in
 * CQL2. A name that is ambiguous stays. Filters of one column under two names become a list: all of them apply.
 */
export function replaceColumnNamesInParameters(
  parameters: Readonly<Record<string, unknown>>,
  columns: readonly string[],
  others: OtherNames,
): { readonly parameters: Readonly<Record<string, unknown>>; readonly renamed: readonly Rename[] } {
  const renamed = new Map<string, string>();
  const present = (name: string): string => {
    const [to, ...more] = columns.includes(name) ? [] : columnsCalled(name, others);
    if (to === undefined || more.length) return name;
    renamed.set(name, to);
    return to;
  };
  const inList = (text: string) =>
    text.replace(/"(?:[^"]|"")*"|[^",]+/g, (item) => {
      const [, minus = '', name = ''] = /^(-?)"?(.*?)"?$/.exec(item.trim()) ?? [];
      const to = present(name.replaceAll('""', '"'));
      return to === name ? item : `${minus}${/^[-\w]+$/.test(to) ? to : `"${to.replaceAll('"', '""')}"`}`;
    });
  const inItem = (text: string) => {
    if (/^-?"/.test(text)) return inList(text);
    const [, minus = '', name = ''] = columns.includes(text) ? [] : (/^(-?)(.*)$/s.exec(text) ?? []);
    return name === '' ? text : minus + present(name);
  };
  const inFilter = (text: string) => replaceColumnNamesInFilter(text, present);
  const inCalls = (text: string) => replaceColumnNamesInAggregates(text, present);
  const each = (value: unknown, rename: (text: string) => string): unknown =>
    Array.isArray(value) ? value.map((one) => each(one, rename)) : typeof value === 'string' ? rename(value) : value;
  const pairs = Object.entries(parameters).map(([name, value]): [string, unknown] => {
    if (namesParameters.includes(name) || callParameters.includes(name)) {
      const rename = Array.isArray(value) ? inItem : inList;
      const listed = namesParameters.includes(name) ? each(value, rename) : value;
      return [name, callParameters.includes(name) ? each(listed, inCalls) : listed];
    }
    if (filterParameters.includes(name) && !columns.includes(name)) return [name, each(value, inFilter)];
    return name.startsWith('_') ? [name, value] : [inParameter(name, columns, present), value];
  });
  const merged = new Map<string, unknown>();
  for (const [name, value] of pairs) merged.set(name, merged.has(name) ? [merged.get(name), value].flat() : value);
  return {
    parameters: Object.fromEntries(merged),
    renamed: [...renamed].map(([from, to]) => ({ from, to })),
  };
}

/** The name of a filter, `column` or `column__lookup`, with the present name of its column. */
function inParameter(parameter: string, columns: readonly string[], present: (name: string) => string): string {
  const ends: number[] = [];
  for (let end = parameter.length; end > 0; end = parameter.lastIndexOf('__', end - 1)) ends.push(end);
  if (ends.some((end) => columns.includes(parameter.slice(0, end)))) return parameter;
  for (const end of ends) {
    const name = parameter.slice(0, end);
    const to = present(name);
    if (to !== name) return to + parameter.slice(end);
  }
  return parameter;
}
