/** A scanner for small languages (WKT, CQL2): reads from left to right, with errors that give the position, from 1. */
import { ParameterError } from './errors.ts';

/** Vertices and nesting levels that a text may still have; counted down while it is parsed. */
export interface ParseBudget {
  vertices: number;
  depth: number;
}

export class Scanner {
  readonly text: string;
  /** Index of the next character. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * @param hint a sentence that follows, with a leading blank
   * @throws ParameterError, always
   */
  fail(message: string, at = this.at, hint = ''): never {
    throw new ParameterError(`${message} at character ${at + 1}.${hint}`);
  }

  /** Skips blanks. */
  skipBlanks(): void {
    while (/\s/.test(this.text[this.at] ?? 'x')) this.at++;
  }

  /** The next character that is not blank; it isn't consumed. '' at the end. */
  peek(): string {
    this.skipBlanks();
    return this.text[this.at] ?? '';
  }

  /** Consumes a symbol if it comes next. */
  accept(symbol: string): boolean {
    this.skipBlanks();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  /** Consumes a symbol that must come next. */
  expect(symbol: string): void {
    if (!this.accept(symbol)) this.fail(`Expected "${symbol}" but found ${this.describeNext()}`);
  }

  /** Consumes and returns the text that a sticky pattern matches; undefined if it doesn't match. */
  match(pattern: RegExp): string | undefined {
    this.skipBlanks();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Consumes a word of ASCII letters, digits and underscores; '' if none comes next. */
  word(): string {
    return this.match(/[A-Za-z_]\w*/y) ?? '';
  }

  /** Consumes a finite decimal number. */
  number(): number {
    this.skipBlanks();
    const start = this.at;
    const text = this.match(/[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y);
    if (text === undefined) this.fail(`Expected a number but found ${this.describeNext()}`);
    const value = Number(text);
    if (!Number.isFinite(value)) this.fail('The number is too large', start);
    return value;
  }

  /** Fails if anything but blanks is left. */
  expectEnd(): void {
    if (this.peek() !== '') this.fail(`Unexpected ${this.describeNext()}`);
  }

  /** The next word or character in quotes, or `the end`: for messages. */
  describeNext(): string {
    const rest = /^(?:\w+|.)/s.exec(this.text.slice(this.at, this.at + 20));
    return rest ? `"${rest[0]}"` : 'the end';
  }
}
