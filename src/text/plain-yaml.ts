/**
 * A quick reader of plain YAML: block mappings and lists of scalars that stand on one line, and block scalars. Most records
 * are such texts, and reading them takes most of the time in which a catalogue is loaded. Anything else is left to the
 * library: see docs/decisions/0064-plain-yaml.md.
 */

/** Nesting above this is left to the library, which refuses it at its own limit. */
const maxDepth = 20;

/** A key of letters; or any other on one line, such as the title of a link: plain or in double quotes. */
const simpleKey = /([A-Za-z_][\w-]{0,99}(?: [\w-]{1,50}){0,9}):(?: +|(?=\n)|$)/y;
const otherKey =
  /((?:[\w(]|[^\0-\x7f])(?:[^\n:#]|:(?![ \n]|$)|(?<! )#){0,300}(?<! )|"(?:[^"\\\n]|\\["\\nt]){0,300}"):(?: +|(?=\n)|$)/y;
const blockHeader = /([|>])(-?)\n/y;
/** Characters whose meaning in YAML depends on the place, and those that are not printable. */
const unusual = /[^\n\x20-\x7e\xa1-\u1fff\u2010-\u2027\u2030-\ud7ff\ue000-\ufdcf\ufdf0-\ufefe\uff00-\ufffc]/;
/** Keys that are no texts in the core schema, or no ordinary properties in JavaScript. */
const unusualKey = /^(?:null|true|false|__proto__)$/i;
const singleQuoted = /'((?:[^'\n]|'')*)'(?=\n|$)/y;
const doubleQuoted = /"(?:[^"\\\n]|\\["\\nt])*"(?=\n|$)/y;
const plainStart = /[\w/+.($-]|[^\0-\x7f]/;
const numberOrConstant =
  /^(?:[-+]?(?:\.\d|\d)[\d.]*(?:e[-+]?\d+)?|0o[0-7]+|0x[\da-f]+|[-+]?\.inf|\.nan|null|true|false)$/i;
const decimalNumber = /^(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,14})\.\d+)$/;

const longestConstant = 'false'.length;
/** Length of the longest key of one word. */
const maxWordKey = 100;
/** A letter or an underscore. */
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
const isWordCharacter = (code: number): boolean => isLetter(code) || (code >= 48 && code <= 57) || code === 45;

/** @param isWord true for a key of one word, which is no number */
function isUnusualKey(key: string, isWord: boolean): boolean {
  if (!isWord) return unusualKey.test(key) || numberOrConstant.test(key);
  return (key.length === 4 || key.length === 5 || key.length === 9) && unusualKey.test(key);
}

/** From this length on, V8 keeps a part of a text as a reference to the whole. */
const shortestReference = 13;

/**
 * A copy of a part of a text, which doesn't keep the whole in memory: else a label that is served would keep its file.
 * `structuredClone` copies no text in Node 26.
 */
const ownText = (part: string): string =>
  part.length < shortestReference ? part : (JSON.parse(JSON.stringify(part)) as string);

/** Thrown when a text is not plain. */
const notPlain = new Error('The text is not plain YAML.');

/**
 * The value of a YAML document, as `readYaml` returns it; undefined if the text is not plain or not valid.
 * @param text without a byte order mark
 */
export function readPlainYaml(text: string): Record<string, unknown> | undefined {
  if (unusual.test(text)) return undefined;
  try {
    return new PlainYamlReader(text).read();
  } catch (error) {
    if (error === notPlain) return undefined;
    throw error;
  }
}

class PlainYamlReader {
  readonly #text: string;
  /** Spaces in front of the current line's content; -1 at the end of the text. */
  #indent = -1;
  /** Offset of the content that is read next, in the current line. */
  #offset = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Record<string, unknown> {
    this.#goToLine(0);
    if (this.#indent !== 0) throw notPlain;
    const value = this.#mapping(0);
    if (this.#indent >= 0) throw notPlain;
    return value;
  }

  /** Goes to the first line with content from an offset on, which is the start of a line. */
  #goToLine(offset: number): void {
    const text = this.#text;
    for (let start = offset; start < text.length; ) {
      let content = start;
      while (text.charCodeAt(content) === 32) content++;
      const code = text.charCodeAt(content);
      if (code !== 10 && code !== 35 && content < text.length) {
        this.#indent = content - start;
        this.#offset = content;
        return;
      }
      start = this.#endOfLine(content) + 1;
    }
    this.#indent = -1;
  }

  #endOfLine(offset: number): number {
    const end = this.#text.indexOf('\n', offset);
    return end < 0 ? this.#text.length : end;
  }

  #mapping(indent: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    if (++this.#depth > maxDepth) throw notPlain;
    do {
      const word = this.#wordKey();
      const key = word ?? this.#key();
      if (key === undefined || key in value || isUnusualKey(key, word !== undefined)) throw notPlain;
      value[key] = this.#isAtEndOfLine() ? this.#valueBelow(indent, true) : this.#scalar(indent);
    } while (this.#indent === indent);
    return this.#closed(value, indent);
  }

  #list(indent: number): unknown[] {
    const text = this.#text;
    const value: unknown[] = [];
    if (++this.#depth > maxDepth) throw notPlain;
    do {
      const lineStart = this.#offset - indent;
      if (!this.#isItem()) break;
      this.#offset++;
      while (text.charCodeAt(this.#offset) === 32) this.#offset++;
      const start = this.#offset;
      if (this.#isAtEndOfLine()) value.push(this.#valueBelow(indent, false));
      else if ((this.#wordKey() ?? this.#key()) === undefined) value.push(this.#scalar(indent));
      else {
        this.#offset = start;
        this.#indent = start - lineStart;
        value.push(this.#mapping(this.#indent));
      }
    } while (this.#indent === indent);
    return this.#closed(value, indent);
  }

  #closed<T>(value: T, indent: number): T {
    if (this.#indent > indent) throw notPlain;
    this.#depth--;
    return value;
  }

  /** True if an item of a list begins at the current offset. */
  #isItem(): boolean {
    if (this.#text.charCodeAt(this.#offset) !== 45) return false;
    const next = this.#text.charCodeAt(this.#offset + 1);
    return next === 32 || next === 10;
  }

  #isAtEndOfLine(): boolean {
    return this.#offset >= this.#text.length || this.#text.charCodeAt(this.#offset) === 10;
  }

  /** The same as `#key` for a key that is one word, as nearly all are: without a regular expression, in a third of the time. */
  #wordKey(): string | undefined {
    const text = this.#text;
    const start = this.#offset;
    if (!isLetter(text.charCodeAt(start))) return undefined;
    let end = start + 1;
    while (isWordCharacter(text.charCodeAt(end))) end++;
    if (text.charCodeAt(end) !== 58 || end - start > maxWordKey) return undefined;
    let next = end + 1;
    while (text.charCodeAt(next) === 32) next++;
    if (next === end + 1 && next < text.length && text.charCodeAt(next) !== 10) return undefined;
    this.#offset = next;
    return text.slice(start, end);
  }

  /** Reads a key and goes to its value; undefined if there is none at the current offset. */
  #key(): string | undefined {
    const text = this.#text;
    const key = this.#match(simpleKey);
    if (key !== undefined) return key;
    if (!text.slice(this.#offset, this.#endOfLine(this.#offset)).includes(':')) return undefined;
    const other = this.#match(otherKey);
    return other?.startsWith('"') ? JSON.parse(other) : other;
  }

  /** The key at the current offset, if it has this form; goes behind it. */
  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#offset;
    const found = form.exec(this.#text);
    if (found) this.#offset = form.lastIndex;
    return found?.[1];
  }

  /**
   * The value on the lines below a key or the dash of an item; null if there is none.
   * @param indent of the key or the dash
   * @param maySharePlace true if a list may stand right below a key
   */
  #valueBelow(indent: number, maySharePlace: boolean): unknown {
    this.#goToLine(this.#endOfLine(this.#offset) + 1);
    if (this.#indent > indent) return this.#isItem() ? this.#list(this.#indent) : this.#mapping(this.#indent);
    return maySharePlace && this.#indent === indent && this.#isItem() ? this.#list(indent) : null;
  }

  /** Reads a scalar of one line, or a block scalar, and goes to the line behind it. @param indent of the key or the dash */
  #scalar(indent: number): unknown {
    const text = this.#text;
    const first = text.charAt(this.#offset);
    if (first === '|' || first === '>') return this.#blockScalar(indent);
    const end = this.#endOfLine(this.#offset);
    const value = first === '"' || first === "'" ? this.#quoted(first) : plainScalar(text.slice(this.#offset, end));
    this.#goToLine(end + 1);
    if (this.#indent > indent) throw notPlain;
    return value;
  }

  #quoted(quote: string): string {
    const form = quote === '"' ? doubleQuoted : singleQuoted;
    form.lastIndex = this.#offset;
    const found = form.exec(this.#text);
    if (!found) throw notPlain;
    return quote === '"' ? JSON.parse(found[0]) : ownText((found[1] ?? '').replaceAll("''", "'"));
  }

  #blockScalar(indent: number): string {
    const text = this.#text;
    blockHeader.lastIndex = this.#offset;
    const header = blockHeader.exec(text);
    if (!header || !text.endsWith('\n')) throw notPlain;
    const isFolded = header[1] === '>';
    let start = blockHeader.lastIndex;
    let width = 0;
    while (text.charCodeAt(start + width) === 32) width++;
    const margin = text.slice(start, start + width);
    if (width <= indent) throw notPlain;
    const lines: string[] = [];
    for (; start < text.length; start = this.#endOfLine(start) + 1) {
      const end = this.#endOfLine(start);
      if (end > start && !text.startsWith(margin, start)) break;
      const line = text.slice(start + width, end);
      const isBlank = line.trim() === '';
      if ((end > start && isBlank) || (isBlank && lines.length === 0) || (isFolded && line.startsWith(' ')))
        throw notPlain;
      lines.push(isBlank ? '' : line);
    }
    this.#goToLine(start);
    if (this.#indent > indent) throw notPlain;
    while (lines.at(-1) === '') lines.pop();
    const body = isFolded ? foldLines(lines) : lines.join('\n');
    return header[2] === '-' ? body : `${body}\n`;
  }
}

/** Folds lines: one line break becomes a space, each further one stays (YAML 1.2.2, section 6.5). */
function foldLines(lines: readonly string[]): string {
  let folded = '';
  let blanks = 0;
  for (const line of lines) {
    if (line === '') blanks++;
    else {
      folded += folded === '' ? line : (blanks === 0 ? ' ' : '\n'.repeat(blanks)) + line;
      blanks = 0;
    }
  }
  return folded;
}

/** The value of a plain scalar in the core schema. @param line the text up to the end of the line */
function plainScalar(line: string): unknown {
  if (line === '[]') return [];
  if (line === '{}') return {};
  const first = line.charAt(0);
  const isWord = isLetter(line.charCodeAt(0));
  if ((!isWord && !plainStart.test(first)) || line.includes(': ') || line.includes(' #') || line.endsWith(':'))
    throw notPlain;
  if (first === '-' && !/^-[\w.]/.test(line)) throw notPlain;
  let end = line.length;
  while (line.charAt(end - 1) === ' ') end--;
  const text = line.slice(0, end);
  if ((isWord && text.length > longestConstant) || !numberOrConstant.test(text)) return ownText(text);
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  if (!decimalNumber.test(text)) throw notPlain;
  return Number(text);
}
