/** Reading a small language from left to right, with errors that say where: the place is counted from 1. */
import { TextError } from './errors.ts';

/** Counts down what a text may still contain. */
export interface Budget {
  vertices: number;
  depth: number;
}

export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * @param hint a sentence after it, with a blank before
   * @throws TextError, always
   */
  fail(message: string, at = this.at, hint = ''): never {
    throw new TextError(`${message} at character ${at + 1}.${hint}`);
  }

  /** Moves over blanks. */
  blanks(): void {
    while (/\s/.test(this.text[this.at] ?? 'x')) this.at++;
  }

  /** The next character that is not blank, without moving over it; '' at the end. */
  peek(): string {
    this.blanks();
    return this.text[this.at] ?? '';
  }

  /** Moves over a character or symbol if it comes next. */
  take(symbol: string): boolean {
    this.blanks();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  /** Moves over a symbol that has to come next. */
  expect(symbol: string): void {
    if (!this.take(symbol)) this.fail(`Expected "${symbol}" but found ${this.found()}`);
  }

  /** What a sticky pattern matches here; undefined, and not moved, where it doesn't. */
  match(pattern: RegExp): string | undefined {
    this.blanks();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** A word of ASCII letters, digits and underscores; '' where none comes next. */
  word(): string {
    return this.match(/[A-Za-z_]\w*/y) ?? '';
  }

  /** A finite decimal number. */
  number(): number {
    this.blanks();
    const start = this.at;
    const text = this.match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y);
    if (text === undefined) this.fail(`Expected a number but found ${this.found()}`);
    const value = Number(text);
    if (!Number.isFinite(value)) this.fail('The number is too large', start);
    return value;
  }

  /** Makes sure that nothing but blanks is left. */
  end(): void {
    if (this.peek() !== '') this.fail(`Unexpected ${this.found()}`);
  }

  /** What comes next, for a message. */
  found(): string {
    const rest = /^(?:\w+|.)/s.exec(this.text.slice(this.at, this.at + 20));
    return rest ? `"${rest[0]}"` : 'the end';
  }
}
