/** Tests of single values, compiled for the type of their column: datetimes compare as instants. */

import { normalizeText } from '../../catalogue/normalize.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { parseDateTime, parseTimeOfDay } from '../date-time.ts';
import type { Value } from '../row.ts';
import type { ComparisonOperator, Scalar, TextOperator, ValuePredicate } from './predicate.ts';

export type ValueTest = (value: Value) => boolean;

/**
 * Compiles a comparison, list, range or text test for values of a column of this type.
 * @param negated true for a test of the opposite; null passes neither
 * @param fold a folder that tests of the same column share
 */
export function compileValueTest(
  predicate: ValuePredicate,
  type: ColumnType,
  negated = false,
  fold = foldCase,
): ValueTest {
  if (predicate.op === 'text') {
    const matches = compileTextTest(predicate.test, predicate.text, fold);
    return (value) => typeof value === 'string' && matches(value) !== negated;
  }
  switch (type) {
    case 'integer':
    case 'float':
      return scalarTest(predicate, negated, 'number', Number);
    case 'boolean':
      return scalarTest(predicate, negated, 'boolean', Boolean);
    case 'datetime':
      return convertedScalarTest(predicate, negated, parseDateTime);
    case 'time':
      return convertedScalarTest(predicate, negated, parseTimeOfDay);
    default:
      // Dates too: YYYY-MM-DD sorts as text.
      return scalarTest(predicate, negated, 'string', String);
  }
}

/** A test of texts that are compared as numbers. */
function convertedScalarTest(
  predicate: Exclude<ValuePredicate, { op: 'text' }>,
  negated: boolean,
  convert: (text: string) => number,
): ValueTest {
  const test = scalarTest(predicate, negated, 'number', (value) => convert(String(value)));
  return (value) => {
    if (typeof value !== 'string') return false;
    const number = convert(value);
    return !Number.isNaN(number) && test(number);
  };
}

function scalarTest<T extends Scalar>(
  predicate: Exclude<ValuePredicate, { op: 'text' }>,
  negated: boolean,
  type: 'number' | 'string' | 'boolean',
  read: (value: Scalar) => T,
): ValueTest {
  switch (predicate.op) {
    case 'compare':
      return comparisonTest(negated ? negatedOperators[predicate.test] : predicate.test, type, read(predicate.value));
    case 'in': {
      const wanted = new Set<Value>(predicate.values.map(read));
      return (value) => typeof value === type && wanted.has(value) !== negated;
    }
    case 'between': {
      const above = comparisonTest('gte', type, read(predicate.low));
      const below = comparisonTest('lte', type, read(predicate.high));
      if (!negated) return (value) => above(value) && below(value);
      return (value) => typeof value === type && !(above(value) && below(value));
    }
  }
}

const negatedOperators: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'gte',
  gte: 'lt',
  gt: 'lte',
  lte: 'gt',
};

/** One closure per operator and type: a million rows are compared in some milliseconds. */
function comparisonTest(test: ComparisonOperator, type: 'number' | 'string' | 'boolean', wanted: Scalar): ValueTest {
  switch (test) {
    case 'eq':
      return (value) => value === wanted;
    case 'ne':
      return (value) => typeof value === type && value !== wanted;
  }
  if (typeof wanted === 'number') {
    switch (test) {
      case 'lt':
        return (value) => typeof value === 'number' && value < wanted;
      case 'lte':
        return (value) => typeof value === 'number' && value <= wanted;
      case 'gt':
        return (value) => typeof value === 'number' && value > wanted;
      case 'gte':
        return (value) => typeof value === 'number' && value >= wanted;
    }
  }
  const text = String(wanted);
  switch (test) {
    case 'lt':
      return (value) => typeof value === 'string' && value < text;
    case 'lte':
      return (value) => typeof value === 'string' && value <= text;
    case 'gt':
      return (value) => typeof value === 'string' && value > text;
    case 'gte':
      return (value) => typeof value === 'string' && value >= text;
  }
}

/**
 * `foldCase` with a memory of one text: tests of a column fold each of its texts once, however many they are. Texts that
 * are equal are mostly the same object, and compared at once.
 */
export function makeCaseFolder(): (text: string) => string {
  let last = '';
  let folded = '';
  return (text) => {
    if (text !== last) [last, folded] = [text, foldCase(text)];
    return folded;
  };
}

/**
 * Folds case in every script, fully (Unicode 15, section 5.18); accents stay. `STRASSE` and `straße` become the same, final
 * sigma becomes sigma.
 */
export function foldCase(text: string): string {
  // Fast path for Latin-1, but for ß and µ.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of it is meant
  if (/^[\x00-\xb4\xb6-\xde\xe0-\xff]*$/.test(text)) return text.toLowerCase();
  // Lower case comes first, too: ẞ becomes ß, which then becomes SS. The dotless ı would become I.
  const lower = normalizeText(text, 'NFC').toLowerCase();
  const fold = (part: string) => part.toUpperCase().toLowerCase();
  const folded = lower.includes('ı') ? lower.replace(/[^ı]+/gu, fold) : fold(lower);
  return normalizeText(folded.replaceAll('ς', 'σ'), 'NFC');
}

/** Letters with a stroke or slash, which Unicode doesn't decompose, by their base letters. */
const baseLetters: Readonly<Record<string, string>> = Object.fromEntries(
  ['ØO', 'øo', 'ŁL', 'łl', 'ĐD', 'đd', 'ĦH', 'ħh', 'ŦT', 'ŧt', 'ƀb', 'ɃB', 'ƗI', 'ɨi', 'ĿL', 'ŀl', 'ƵZ', 'ƶz'].map(
    ([letter = '', base = '']) => [letter, base],
  ),
);

/**
 * Strips accents and other diacritics; case stays. The Japanese voicing marks stay, too, as
 * /rec/accent-insensitive-comparison/japanese-non-spacing-marks recommends.
 */
export function foldAccents(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const bare = normalizeText(text, 'NFD')
    .replace(/(?![\u3099\u309a])\p{Mn}/gu, '')
    .replace(/\P{ASCII}/gu, (letter) => baseLetters[letter] ?? letter);
  return normalizeText(bare, 'NFC');
}

/** Compiles a text test. @param fold a folder that tests of the same column share */
export function compileTextTest(test: TextOperator, wanted: string, fold = foldCase): (text: string) => boolean {
  const folded = foldCase(wanted);
  switch (test) {
    case 'iexact':
      return (text) => fold(text) === folded;
    case 'contains':
      return (text) => text.includes(wanted);
    case 'icontains':
      return (text) => fold(text).includes(folded);
    case 'startswith':
      return (text) => text.startsWith(wanted);
    case 'istartswith':
      return (text) => fold(text).startsWith(folded);
    case 'endswith':
      return (text) => text.endsWith(wanted);
    case 'iendswith':
      return (text) => fold(text).endsWith(folded);
    case 'like':
      return compileLikeTest(wanted);
    case 'ilike': {
      const matches = compileLikeTest(folded);
      return (text) => matches(fold(text));
    }
  }
}

/**
 * Compiles a LIKE pattern of CQL2 (OGC 21-065r2, section 7.3.1): % matches any text, _ one character; a backslash escapes
 * either, or another backslash. What stands between two % is found as early as possible, by a regular expression without
 * repetition: at worst pattern × text in time, where one expression of the whole pattern would be exponential. `%_` is read as `_%`,
 * which says the same: a search that begins with many `_` would take that time in any text.
 */
function compileLikeTest(pattern: string): (text: string) => boolean {
  const segments = [''];
  const append = (part: string, at = segments.length - 1) => {
    segments[at] += part;
  };
  const isBehindPercent = () => segments.length > 1 && segments.at(-1) === '';
  let literal = false;
  for (const character of pattern) {
    if (literal || !['\\', '%', '_'].includes(character)) append(character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'));
    else if (character === '_') append('.', segments.length - (isBehindPercent() ? 2 : 1));
    else if (character === '%' && !isBehindPercent()) segments.push('');
    literal = !literal && character === '\\';
  }
  if (literal) append('\\\\');
  const [first = '', ...others] = segments;
  const last = others.pop();
  if (last === undefined) {
    const whole = new RegExp(`^${first}$`, 'su');
    return (text) => whole.test(text);
  }
  const between = others.map((segment) => new RegExp(segment, 'gsu'));
  const steps = [new RegExp(first, 'suy'), ...between, new RegExp(`${last}$`, 'gsu')];
  return (text) => {
    let at = 0;
    for (const step of steps) {
      step.lastIndex = at;
      if (!step.test(text)) return false;
      at = step.lastIndex;
    }
    return true;
  };
}
