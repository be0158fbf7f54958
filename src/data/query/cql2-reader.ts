/** Tokens and operands of CQL2 text: keywords, columns, values and geometries, within the limits of a query. */

import { didYouMean } from '../../catalogue/closest.ts';
import { excerpt } from '../../catalogue/errors.ts';
import { ParameterError } from '../errors.ts';
import { bboxToGeometry } from '../geometry/bounding-box.ts';
import type { Geometry } from '../geometry/geometry.ts';
import { assertGeometryWellFormed, bboxFromNumbers } from '../geometry/parse-geometry.ts';
import { readWkt, wktTypes } from '../geometry/wkt.ts';
import type { QueryLimits } from '../limits.ts';
import { columnNames, findColumn, type TableColumn, type TableSchema } from '../row.ts';
import { type ParseBudget, Scanner } from '../scanner.ts';
import { parseValueOfColumnType } from './parameter-values.ts';
import type { Scalar } from './predicate.ts';

interface OperandBase {
  /** Position of its first character. */
  readonly at: number;
  /** True if it is wrapped in CASEI. */
  readonly foldCase: boolean;
}
export interface ColumnOperand extends OperandBase {
  readonly kind: 'column';
  readonly name: string;
  readonly type: TableColumn['type'] | 'geometry';
}
export interface ValueOperand extends OperandBase {
  readonly kind: 'value';
  /** Type of the literal. */
  readonly literal: 'text' | 'number' | 'boolean' | 'date' | 'datetime';
  /** As it was written, without quotes. */
  readonly text: string;
}
export type Operand = ColumnOperand | ValueOperand;

/** cql2.bnf, identifier: letters of any script, _ and :, then digits and full stops as well. */
const identifierPattern = /[\p{L}_:][\p{L}\p{M}\p{N}_:.]*/uy;
/** A quote inside is doubled, or escaped by a backslash. */
const stringPattern = /'(?:[^'\\]|''|\\'|\\)*'/y;
const quotedNamePattern = /"(?:[^"]|"")*"/y;
const geometryPattern = new RegExp(`(?:${wktTypes.join('|')})(?:ZM|Z|M)?(?=\\s|\\()`, 'iy');

export class Cql2Reader extends Scanner {
  readonly schema: TableSchema;
  private readonly budget: ParseBudget;
  private conditions: number;
  private values: number;

  constructor(filter: string, schema: TableSchema, limits: QueryLimits) {
    super(filter);
    this.schema = schema;
    this.budget = { vertices: limits.vertices, depth: limits.depth };
    this.conditions = limits.predicates;
    this.values = limits.values;
  }

  /** Consumes a keyword if it comes next, in upper or lower case. */
  acceptKeyword(word: string): boolean {
    return this.match(new RegExp(`${word}(?![\\p{L}\\p{M}\\p{N}_:.])`, 'iuy')) !== undefined;
  }

  /** Counts conditions towards the limit. */
  countCondition(count = 1): void {
    this.conditions -= count;
    if (this.conditions < 0) this.fail('The filter has too many conditions');
  }

  /** Reads one nesting level: the content of parentheses or of NOT. Fails beyond the limit. */
  nested<T>(read: () => T): T {
    if (--this.budget.depth < 0) this.fail('The filter is nested too deeply');
    const inner = read();
    this.budget.depth++;
    return inner;
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

  /** Consumes a column or a value, also in CASEI(…). */
  operand(): Operand {
    const at = this.position();
    if (this.match(/CASEI(?=\s*\()/iy)) {
      this.expect('(');
      const inner = this.nested(() => this.operand());
      this.expect(')');
      const text = inner.kind === 'column' ? inner.type === 'string' : inner.literal === 'text';
      if (!text) this.fail('CASEI takes a text, or a column of texts', at);
      return { ...inner, foldCase: true, at };
    }
    const value = this.literalAt(at);
    if (value) {
      if (--this.values < 0) this.fail('The filter has too many values', at);
      return value;
    }
    return this.column();
  }

  private literalAt(at: number): ValueOperand | undefined {
    const value = (literal: ValueOperand['literal'], text: string): ValueOperand => ({
      kind: 'value',
      literal,
      text,
      at,
      foldCase: false,
    });
    const next = this.peek();
    if (next === "'") return value('text', this.string());
    if (/[-+.\d]/.test(next)) {
      this.number();
      return value('number', this.text.slice(at, this.at));
    }
    const temporal = this.match(/(?:DATE|TIMESTAMP)(?=\s*\()/iy)?.toUpperCase();
    if (temporal) {
      this.expect('(');
      const found = this.string();
      this.expect(')');
      return value(temporal === 'DATE' ? 'date' : 'datetime', found);
    }
    for (const word of ['TRUE', 'FALSE']) if (this.acceptKeyword(word)) return value('boolean', word);
    return undefined;
  }

  /** Consumes a text in single quotes. */
  private string(): string {
    const at = this.position();
    const found = this.match(stringPattern);
    if (found === undefined) this.fail(this.peek() === "'" ? 'A text is not closed' : "Expected a text in '…'", at);
    return found.slice(1, -1).replace(/''|\\'/g, "'");
  }

  /** Consumes the name of an existing column, in double quotes or not. */
  column(): ColumnOperand {
    const at = this.position();
    const quoted = this.match(quotedNamePattern);
    const name = quoted ? quoted.slice(1, -1).replaceAll('""', '"') : this.identifier();
    if (name === '') this.fail(`Expected a column or a value but found ${this.describeNext()}`, at);
    if (!quoted && this.peek() === '(') this.fail(`There is no function "${excerpt(name)}"`, at);
    const column = this.columnNamed(name, at);
    if (!column) this.fail(`Unknown column "${excerpt(name)}"`, at, didYouMean(name, columnNames(this.schema)));
    return { kind: 'column', ...column, at, foldCase: false };
  }

  private columnNamed(name: string, at: number) {
    try {
      return findColumn(name, this.schema);
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      return this.fail(error.message.replace(/\.$/, ''), at);
    }
  }

  /**
   * Converts an operand to a value of the column's type. Dates and times may be plain texts, as many clients send them.
   * @param integersOnly true if a fraction is an error for an integer column
   */
  toColumnType(column: ColumnOperand, operand: Operand, integersOnly: boolean): Scalar {
    if (operand.kind === 'column') this.fail('A column is compared with a value, not with a column', operand.at);
    const { type } = column;
    const acceptedLiterals: Readonly<Record<string, readonly string[]>> = {
      integer: ['number'],
      float: ['number'],
      string: ['text'],
      boolean: ['boolean'],
      date: ['date', 'text'],
      datetime: ['datetime', 'date', 'text'],
      time: ['text'],
    };
    if (!acceptedLiterals[type]?.includes(operand.literal)) {
      this.fail(`Column "${excerpt(column.name)}" of type ${type} can't be compared with ${operand.text}`, operand.at);
    }
    try {
      return parseValueOfColumnType(type as TableColumn['type'], operand.text, integersOnly);
    } catch (error) {
      if (!(error instanceof ParameterError)) throw error;
      return this.fail(error.message.replace(/\.$/, ''), operand.at);
    }
  }

  /** Consumes a WKT literal or BBOX(…); undefined if none comes next. */
  geometry(): Geometry | undefined {
    const at = this.position();
    if (this.match(/BBOX(?=\s*\()/iy)) {
      this.expect('(');
      const numbers = [this.number()];
      while (this.accept(',')) numbers.push(this.number());
      this.expect(')');
      return bboxToGeometry(bboxFromNumbers(numbers));
    }
    if (!this.match(geometryPattern)) return undefined;
    this.at = at;
    const geometry = readWkt(this, this.budget);
    assertGeometryWellFormed(geometry);
    return geometry;
  }
}
