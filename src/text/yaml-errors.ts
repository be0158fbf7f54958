/**
 * Error messages for the person who wrote a YAML file. The parser reports the place and the rule that failed; the lines
 * around show the intention, and so what to write instead.
 */
import { excerpt } from '../catalogue/errors.ts';
import { ParseError } from './parse-error.ts';

interface Explanation {
  /** Offset of the text to be fixed, which isn't always where the parser failed. */
  readonly at: number;
  readonly message: string;
}

/** A key and the value behind it on the same line, each as written. */
const keyAndValue = /^(\s*(?:- +)*)([^\s#'"[{&*!|>%@`,:-][^#'"]*?|"[^"]*"|'[^']*')\s*:[ \t]+(\S.*?)\s*$/;

/** Characters of a line that are examined, and of a value that are shown: generated files may have very long lines. */
const maxExamined = 500;
const maxShown = 80;

/**
 * The error to show for one of the YAML parser's.
 * @param text the whole document
 * @param offset of the parser's error
 * @param reason the parser's message
 */
export function explainYamlError(text: string, offset: number, reason: string): ParseError {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(start, Math.min(lineEnd(text, start), start + maxExamined));
  const { at, message } = explainReason(text, offset, reason) ??
    explainIndentation(text, start, line) ??
    explainValue(start, line, reason) ??
    explainKey(start, line, reason) ?? { at: offset, message: `This isn't YAML: ${excerpt(reason)}.` };
  return new ParseError(text, at, message);
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

/** An explanation from the parser's message alone. */
function explainReason(text: string, at: number, reason: string): Explanation | null {
  const of = (message: string, place = at) => ({ at: place, message });
  if (/null byte|non-printable/.test(reason)) {
    const code = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return of(
      `The character U+${code} may not stand in YAML: remove it, or write it in double quotes as "\\u${code}".`,
    );
  }
  if (/maxDepth \((\d+)\)/.test(reason)) return of(`The nesting is deeper than ${/\d+/.exec(reason)?.[0]}.`);
  if (/maxAliases/.test(reason)) return of('There are more than 100 aliases: write the values out.');
  if (/complex keys/.test(reason)) return of('A key must be a text, not a list or a mapping.');
  if (/quoted scalar|deficient indentation/.test(reason)) {
    const open = openQuote(text.slice(0, at));
    const mark = open === null ? '' : text.charAt(open);
    if (open !== null) return of(`This ${mark} opens a text that is never closed: add the closing ${mark}.`, open);
  }
  if (/end of the stream within a flow collection/.test(reason))
    return of('A list [ or mapping { is never closed: add the closing ] or }.');
  if (/deficient indentation/.test(reason) && !/^ *\t/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1)))
    return of(
      'A list [ or mapping { above is not closed: add the closing ] or }, or indent this line if it belongs to it.',
    );
  if (/missed comma between flow/.test(reason))
    return of('A comma is missing between two items, or an item needs quotes.');
  if (/escape sequence|hexadecimal/.test(reason))
    return of('Within double quotes a backslash begins an escape: write \\\\, or use single quotes.');
  return null;
}

/** Offset of the last quote that opens a value and isn't closed on its own line. */
function openQuote(text: string): number | null {
  let found: number | null = null;
  for (const { index, 0: before } of text.matchAll(/(?:^|[:[{,-])[ \t]+(?=["'])|^(?=["'])/gm)) {
    const at = index + before.length;
    if (!/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.test(text.slice(at, lineEnd(text, at)))) found = at;
  }
  return found;
}

function explainIndentation(text: string, start: number, line: string): Explanation | null {
  const tab = /^[ ]*(?:- +)*\t/.exec(line);
  if (tab) return { at: start + tab[0].length - 1, message: 'A tab indents this line, and YAML wants spaces.' };
  const before = text
    .slice(0, Math.max(0, start - 1))
    .split('\n')
    .findLast((other) => /^\s*[^\s#]/.test(other));
  const above = before === undefined ? null : keyAndValue.exec(before.slice(0, maxExamined));
  const indent = line.search(/\S/);
  if (!above || !/^\s*[^\s#]+.*:(?:\s|$)/.test(line) || indent <= (above[1] ?? '').length) return null;
  if (/^[|>[{&]/.test(above[3] ?? '')) return null;
  return {
    at: start + indent,
    message: `This line is indented more than "${excerpt(above[2])}" above, which has a value already: indent keys of one mapping alike.`,
  };
}

/** A value that should have been quoted. */
function explainValue(start: number, line: string, reason: string): Explanation | null {
  const found = keyAndValue.exec(line) ?? /^(\s*(?:- +)+)()(\S.*?)\s*$/.exec(line);
  if (!found) return null;
  const [, , key = '', value = ''] = found;
  const at = start + line.lastIndexOf(value);
  const example = `${key ? `${excerpt(key)}: ` : '- '}${JSON.stringify(value.length > maxShown ? `${value.slice(0, maxShown)}…` : value)}`;
  const first = value.charAt(0);
  const quoteIt = (why: string) => ({ at, message: `${why}: quote it, as in ${example}` });
  if ('@`%'.includes(first)) return quoteIt(`A value can't begin with ${first}`);
  if (first === '*') return quoteIt(`A value that begins with * repeats an anchor, and there is none of this name`);
  if (first === '!') return quoteIt(`A value that begins with ! is a tag, and this one is unknown`);
  if (first === '&') return quoteIt('A value that begins with & is an anchor');
  if ('[{'.includes(first))
    return quoteIt(`A value that begins with ${first} is a ${first === '[' ? 'list' : 'mapping'}`);
  if (first === '"' || first === "'")
    return { at, message: `Something follows the closing quote: put all of the value in quotes.` };
  if ('|>'.includes(first)) return quoteIt(`A value that begins with ${first} is a block of text on the lines below`);
  if (/^[-?] /.test(value)) return quoteIt(`A value can't begin with "${value.slice(0, 2)}" behind a key`);
  if (/:(?: |$)/.test(value) && /mapping entry|implicit key/.test(reason)) return quoteIt('The value holds ": "');
  return null;
}

/** A line that should have been "key: value". */
function explainKey(start: number, line: string, reason: string): Explanation | null {
  const at = start + Math.max(0, line.search(/\S/));
  const missing = /^\s*([^\s:#]+):(?=[^\s/])/.exec(line);
  if (missing) return { at, message: `A space is missing behind "${excerpt(missing[1])}:".` };
  if (/implicit key|expected ':'|document separator/.test(reason) && !/:(?:\s|$)/.test(line))
    return { at, message: 'This line is no "key: value"; text of several lines needs "key: |" and indentation.' };
  if (/bad indentation|deficient/.test(reason)) return { at, message: 'The indentation fits no line above.' };
  return null;
}
