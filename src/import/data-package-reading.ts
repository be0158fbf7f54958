/**
 * Options for reading the file of a resource of a Data Package, by its Table Dialect and Table Schema (versions 1 and 2), and
 * remarks about what no option does. What files are read as anyway, such as UTF-8 with commas, is no option.
 */
import { excerpt } from '../catalogue/errors.ts';
import { isEncoding } from '../catalogue/reading.ts';
import type { ReadingOptions } from '../catalogue/types.ts';
import { listOf, membersOf, textOf } from './imported.ts';
import { readingOfSchema } from './table-schema-reading.ts';

type Members = Readonly<Record<string, unknown>>;

/** Options and remarks; `reading` is absent if there are none. */
interface ResourceReading {
  readonly reading?: ReadingOptions;
  readonly remarks: readonly string[];
}

/** @param format of the file: of others than tables of texts and workbooks nothing is taken */
export function readingOfResource(resource: Members, format: string): ResourceReading {
  const isText = /^(?:csv|tsv|tab|txt|text\/(?:csv|tab-separated-values))$/.test(format);
  const isWorkbook = /^xls[xm]$/.test(format);
  if (!isText && !isWorkbook) return { remarks: [] };
  const remarks = [...referenceRemarks(resource)];
  const given = membersOf(resource.dialect);
  const dialect = { ...membersOf(given.csv), ...given };
  const head = readHead(dialect);
  const reading = {
    ...head.reading,
    ...(isText ? readText(resource, dialect, remarks) : readSheet(dialect, remarks)),
  };
  remarks.push(...head.remarks);
  const schema = readingOfSchema(membersOf(resource.schema), reading.header ?? true);
  remarks.push(...schema.remarks);
  const all: ReadingOptions = { ...schema.reading, ...reading };
  return { ...(Object.keys(all).length > 0 && { reading: all }), remarks };
}

/** A dialect or a schema may be the address of one. */
const referenceRemarks = (resource: Members): readonly string[] =>
  ['dialect', 'schema'].flatMap((name) =>
    typeof resource[name] === 'string' ? [`Its ${name} is at ${excerpt(resource[name])}, and was not read.`] : [],
  );

/** The encoding and the delimiter. */
function readText({ encoding }: Members, dialect: Members, remarks: string[]): ReadingOptions {
  const delimiter = textOf(dialect.delimiter);
  const isDelimiter = [...delimiter].length === 1;
  if (delimiter && !isDelimiter) remarks.push(`The delimiter ${quoted(delimiter)} has more than one character.`);
  remarks.push(...characterRemarks(dialect));
  // Unicode is recognized, and named by habit also where it isn't.
  const label = textOf(encoding).trim().replace(/_/g, '-');
  const isNamed = label !== '' && !/^(?:utf-?8(?:-sig)?|utf-?16|(?:us-)?ascii)$/i.test(label);
  const isKnown = isNamed && isEncoding(label);
  if (isNamed && !isKnown) remarks.push(`The encoding ${quoted(label)} is not known.`);
  return { ...(isKnown && { encoding: label }), ...(isDelimiter && delimiter !== ',' && { delimiter }) };
}

/** Remarks about characters with a meaning that they don't have here. */
function characterRemarks(dialect: Members): readonly string[] {
  const { quoteChar = '"', doubleQuote, escapeChar, commentChar, nullSequence, skipInitialSpace } = dialect;
  const isSet = (value: unknown) => textOf(value) !== '';
  return [
    ...(quoteChar === '"' ? [] : [`Its quotes are ${quoted(quoteChar ?? '')}; only " are read as such.`]),
    ...(doubleQuote === false || isSet(escapeChar) ? ['Characters that escape quotes are read as they are.'] : []),
    ...(isSet(commentChar) ? [`Lines that begin with ${quoted(commentChar)} are comments, and are read as rows.`] : []),
    ...(isSet(nullSequence) ? [`${quoted(nullSequence)} stands for a missing value, and is read as text.`] : []),
    ...(skipInitialSpace === true ? ['Spaces behind the delimiters are kept.'] : []),
  ];
}

function readSheet({ sheetName, sheetNumber }: Members, remarks: string[]): ReadingOptions {
  const layer = textOf(sheetName);
  if (!layer && Number(sheetNumber) > 1) remarks.push(`It names the sheet by its number, ${Number(sheetNumber)}.`);
  return layer ? { layer } : {};
}

/** Where the names of the columns are: `header`, `headerRows` and `commentRows`, which number lines from 1. */
function readHead({ header, headerRows, commentRows }: Members): ResourceReading & { reading: ReadingOptions } {
  const numbers = (value: unknown) => listOf(value).map(Number).filter(Number.isInteger);
  const names = numbers(headerRows);
  const comments = numbers(commentRows).sort((a, b) => a - b);
  const isHeadless = header === false || (Array.isArray(headerRows) && names.length === 0);
  const leading = comments.findIndex((number, i) => number !== i + 1);
  const skip = isHeadless || !names.length ? (leading < 0 ? comments.length : leading) : Math.min(...names) - 1;
  return {
    reading: { ...(isHeadless && { header: false }), ...(skip > 0 && { skip }) },
    remarks: [
      ...(!isHeadless && names.length > 1
        ? ['The names of its columns are in several rows, of which the first is read as names.']
        : []),
      ...(comments.some((number) => number > Math.max(skip, 0))
        ? ['It has comments among its rows, which are read as rows.']
        : []),
    ],
  };
}

const quoted = (value: unknown): string => `"${excerpt(textOf(value))}"`;
