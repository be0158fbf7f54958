/**
 * Functions of values in filters: the standard ones and operators of CQL2, and further ones of this program. A null
 * argument gives null; so does a number that isn't finite.
 */
import { dateOfInstant } from '../date-time.ts';
import type { ExpressionType } from './expression.ts';
import { foldAccents, foldCase } from './value-test.ts';

export interface ValueFunction {
  readonly description?: string;
  /** Types of the arguments; the last one repeated if `isVariadic`. */
  readonly parameters: readonly ExpressionType[];
  readonly returns: ExpressionType;
  readonly isVariadic?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the binder checks the types by `parameters`
  evaluate(...args: readonly any[]): string | number | boolean | null;
}

const ofNumbers = (evaluate: (a: number, b: number) => number): ValueFunction => ({
  parameters: ['number', 'number'],
  returns: 'number',
  evaluate,
});
const ofNumber = (description: string, evaluate: (a: number) => number): ValueFunction => ({
  description,
  parameters: ['number'],
  returns: 'number',
  evaluate,
});
const ofText = (description: string, evaluate: (a: string) => string): ValueFunction => ({
  description,
  parameters: ['text'],
  returns: 'text',
  evaluate,
});
const ofInstant = (description: string, evaluate: (date: Date) => number): ValueFunction => ({
  description,
  parameters: ['instant'],
  returns: 'number',
  evaluate: (instant: number) => evaluate(dateOfInstant(instant)),
});

/** Longest text that a function makes, in UTF-16 code units: a text of one cell can be joined to itself many times. */
const longestText = 2 ** 24;

/** Number of code points: an iterator over them would take ten times as long. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++)
    if (isSurrogate(text, at - 1, 0xd800) && isSurrogate(text, at, 0xdc00)) count--;
  return count;
}

/** @param first code unit of the high or the low surrogates */
const isSurrogate = (text: string, at: number, first: number) => (text.charCodeAt(at) & 0xfc00) === first;

/** Functions and operators of the standard. */
export const standardFunctions: Readonly<Record<string, ValueFunction>> = {
  casei: ofText('Text with its case folded', foldCase),
  accenti: ofText('Text without accents', foldAccents),
  '+': ofNumbers((a, b) => a + b),
  '-': ofNumbers((a, b) => a - b),
  '*': ofNumbers((a, b) => a * b),
  '/': ofNumbers((a, b) => a / b),
  '%': ofNumbers((a, b) => a % b),
  div: ofNumbers((a, b) => Math.trunc(a / b)),
  '^': ofNumbers((a, b) => a ** b),
};

/** Further functions, by their names in lower case. */
export const customFunctions: Readonly<Record<string, ValueFunction>> = {
  lower: ofText('Text in lower case', (text) => text.toLowerCase()),
  upper: ofText('Text in upper case', (text) => text.toUpperCase()),
  trim: ofText('Text without blanks at its ends', (text) => text.trim()),
  length: {
    description: 'Number of characters of a text',
    parameters: ['text'],
    returns: 'number',
    evaluate: countCharacters,
  },
  concat: {
    description: 'Texts joined to one; null if it is longer than 16,777,216 characters',
    parameters: ['text'],
    returns: 'text',
    isVariadic: true,
    evaluate: (...texts: readonly string[]) =>
      texts.reduce((sum, text) => sum + text.length, 0) > longestText ? null : texts.join(''),
  },
  abs: ofNumber('Absolute value of a number', Math.abs),
  floor: ofNumber('Greatest integer that is not above a number', Math.floor),
  ceil: ofNumber('Least integer that is not below a number', Math.ceil),
  round: ofNumber('Nearest integer; halves are rounded away from zero', (a) => Math.sign(a) * Math.round(Math.abs(a))),
  sqrt: ofNumber('Square root of a number', Math.sqrt),
  year: ofInstant('Year of a date or datetime, in UTC', (date) => date.getUTCFullYear()),
  month: ofInstant('Month of a date or datetime, from 1, in UTC', (date) => date.getUTCMonth() + 1),
  day: ofInstant('Day of the month of a date or datetime, in UTC', (date) => date.getUTCDate()),
};
