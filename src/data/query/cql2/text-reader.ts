/** Tokens of CQL2 text: keywords, names, texts, numbers and geometries (OGC 21-065r2, annex B). */
import type { Geometry } from '../../geometry/geometry.ts';
import { assertGeometryWellFormed } from '../../geometry/parse-geometry.ts';
import { readWkt, wktTypes } from '../../geometry/wkt.ts';
import type { QueryLimits } from '../../limits.ts';
import { Scanner } from '../../scanner.ts';
import { Cql2Budget } from './tree.ts';

/** Letters of any script, _ and :, then digits and full stops as well. */
const identifierPattern = /[\p{L}_:][\p{L}\p{M}\p{N}_:.]*/uy;
/** A quote inside is doubled, or escaped by a backslash. */
const stringPattern = /'(?:[^'\\]|''|\\.)*'/sy;
const quotedNamePattern = /"(?:[^"]|"")*"/y;
/** A column may be called like a type of geometry: what follows decides. */
const geometryPattern = new RegExp(
  `(?:${wktTypes.join('|')})(?:ZM|Z|M)?(?=\\s*(?:(?:ZM|Z|M)\\b\\s*)?(?:\\(|EMPTY\\b))`,
  'iy',
);
/** Requirement /req/cql2-text/escaping. */
const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  "'": "'",
  '\\': '\\',
};

export class Cql2TextReader extends Scanner {
  readonly budget: Cql2Budget;

  constructor(filter: string, limits: QueryLimits) {
    super(filter);
    this.budget = new Cql2Budget(limits);
  }

  /** Consumes a keyword if it comes next, in upper or lower case. */
  acceptKeyword(word: string): boolean {
    return this.match(new RegExp(`${word}(?![\\p{L}\\p{M}\\p{N}_:.])`, 'iuy')) !== undefined;
  }

  /** Consumes a name if it comes next, in upper or lower case, with a parenthesis behind it, which isn't consumed. */
  acceptFunction(word: string): boolean {
    return this.match(new RegExp(`${word}(?=\\s*\\()`, 'iy')) !== undefined;
  }

  /** Reads one nesting level: the content of parentheses or of NOT. Fails beyond the limit. */
  nested<T>(read: () => T): T {
    return this.budget.nested(read, this.at);
  }

  /** Position of the next token. */
  position(): number {
    this.skipBlanks();
    return this.at;
  }

  /** Consumes an identifier; '' if none comes next. */
  identifier(): string {
    return this.match(identifierPattern) ?? '';
  }

  /** Consumes a name in double quotes; undefined if none comes next. */
  quotedName(): string | undefined {
    return this.match(quotedNamePattern)?.slice(1, -1).replaceAll('""', '"');
  }

  /** Consumes a text in single quotes. In LIKE, a backslash before another character stays. */
  string(): string {
    const at = this.position();
    const found = this.match(stringPattern);
    if (found === undefined) this.fail(this.peek() === "'" ? 'A text is not closed' : "Expected a text in '…'", at);
    return found.slice(1, -1).replace(/''|\\(.)/gs, (all, escaped?: string) => {
      if (escaped === undefined) return "'";
      return Object.hasOwn(escapes, escaped) ? (escapes[escaped] ?? all) : all;
    });
  }

  /** Consumes a list in parentheses. */
  list<T>(read: () => T, mayBeEmpty = false): T[] {
    this.expect('(');
    const items: T[] = [];
    if (mayBeEmpty && this.accept(')')) return items;
    do items.push(read());
    while (this.accept(','));
    this.expect(')');
    return items;
  }

  /** Consumes a WKT literal; undefined if none comes next. */
  geometry(): Geometry | undefined {
    const at = this.position();
    if (!this.match(geometryPattern)) return undefined;
    this.at = at;
    const geometry = readWkt(this, this.budget.geometry);
    assertGeometryWellFormed(geometry);
    return geometry;
  }
}
