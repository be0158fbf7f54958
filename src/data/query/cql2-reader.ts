/** The words of CQL2 text: keywords, columns, values and geometries, within the limits of a question. */
import { TextError } from '../errors.ts';
import { bboxGeometry } from '../geometry/bounding-box.ts';
import type { Geometry } from '../geometry/geometry.ts';
import { checkShape, toBbox } from '../geometry/parse-geometry.ts';
import { readWkt, wktTypes } from '../geometry/wkt.ts';
import type { QueryLimits } from '../limits.ts';
import type { TableColumn, TableShape } from '../row.ts';
import { type Budget, Scanner } from '../scanner.ts';
import { columnNames, columnType, didYouMean } from './column-names.ts';
import { parseLiteral } from './parameter-values.ts';
import type { Scalar } from './predicate.ts';

interface Place {
  /** Where it began. */
  readonly at: number;
  /** Whether CASEI was around it. */
  readonly fold: boolean;
}
export interface ColumnOperand extends Place {
  readonly kind: 'column';
  readonly name: string;
  readonly type: TableColumn['type'] | 'geometry';
}
export interface ValueOperand extends Place {
  readonly kind: 'value';
  readonly as: 'text' | 'number' | 'boolean' | 'date' | 'datetime';
  /** As it was written, without its quotes. */
  readonly text: string;
}
export type Operand = ColumnOperand | ValueOperand;

/** cql2.bnf, identifier: letters of any script, _ and :, then digits and full stops as well. */
const identifier = /[\p{L}_:][\p{L}\p{M}\p{N}_:.]*/uy;
/** A quote within is written twice, or behind a backslash. */
const text = /'(?:[^'\\]|''|\\'|\\)*'/y;
const quotedName = /"(?:[^"]|"")*"/y;
const geometryStart = new RegExp(`(?:${wktTypes.join('|')})(?:ZM|Z|M)?(?=\\s|\\()`, 'iy');

export class Cql2Reader extends Scanner {
  readonly shape: TableShape;
  private readonly budget: Budget;
  private conditions: number;
  private values: number;

  constructor(filter: string, shape: TableShape, limits: QueryLimits) {
    super(filter);
    this.shape = shape;
    this.budget = { vertices: limits.vertices, depth: limits.depth };
    this.conditions = limits.predicates;
    this.values = limits.values;
  }

  /** Moves over a keyword if it comes next, in capitals or not. */
  keyword(word: string): boolean {
    return this.match(new RegExp(`${word}(?![\\p{L}\\p{M}\\p{N}_:.])`, 'iuy')) !== undefined;
  }

  /** Counts conditions against the limit. */
  condition(count = 1): void {
    this.conditions -= count;
    if (this.conditions < 0) this.fail('The filter has too many conditions');
  }

  /** Reads what lies in parentheses or behind NOT, no deeper than the limit. */
  deeper<T>(read: () => T): T {
    if (--this.budget.depth < 0) this.fail('The filter is nested too deeply');
    const inner = read();
    this.budget.depth++;
    return inner;
  }

  /** Where the next word begins. */
  place(): number {
    this.blanks();
    return this.at;
  }

  /** The next name, for a message; '' where none comes next. */
  name(): string {
    return this.match(identifier) ?? '';
  }

  /** A column or a value, perhaps in CASEI(…). */
  operand(): Operand {
    const at = this.place();
    if (this.match(/CASEI(?=\s*\()/iy)) {
      this.expect('(');
      const inner = this.deeper(() => this.operand());
      this.expect(')');
      const text = inner.kind === 'column' ? inner.type === 'string' : inner.as === 'text';
      if (!text) this.fail('CASEI takes a text, or a column of texts', at);
      return { ...inner, fold: true, at };
    }
    const value = this.valueAt(at);
    if (value) {
      if (--this.values < 0) this.fail('The filter has too many values', at);
      return value;
    }
    return this.column();
  }

  private valueAt(at: number): ValueOperand | undefined {
    const value = (as: ValueOperand['as'], found: string): ValueOperand => ({
      kind: 'value',
      as,
      text: found,
      at,
      fold: false,
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
    for (const word of ['TRUE', 'FALSE']) if (this.keyword(word)) return value('boolean', word);
    return undefined;
  }

  /** A text in single quotes. */
  private string(): string {
    const at = this.place();
    const found = this.match(text);
    if (found === undefined) this.fail(this.peek() === "'" ? 'A text is not closed' : "Expected a text in '…'", at);
    return found.slice(1, -1).replace(/''|\\'/g, "'");
  }

  /** The name of a column that there is, in double quotes or not. */
  column(): ColumnOperand {
    const at = this.place();
    const quoted = this.match(quotedName);
    const name = quoted ? quoted.slice(1, -1).replaceAll('""', '"') : this.name();
    if (name === '') this.fail(`Expected a column or a value but found ${this.found()}`, at);
    if (!quoted && this.peek() === '(') this.fail(`There is no function "${name}"`, at);
    const type = columnType(name, this.shape);
    if (!type) this.fail(`Unknown column "${name}"`, at, didYouMean(name, columnNames(this.shape)));
    return { kind: 'column', name, type, at, fold: false };
  }

  /** A value as the column's type has it. Texts stand for dates and times as well, as many clients send them. */
  typed(column: ColumnOperand, operand: Operand, whole: boolean): Scalar {
    if (operand.kind === 'column') this.fail('A column is compared with a value, not with a column', operand.at);
    const { type } = column;
    const takes: Readonly<Record<string, readonly string[]>> = {
      integer: ['number'],
      float: ['number'],
      string: ['text'],
      boolean: ['boolean'],
      date: ['date', 'text'],
      datetime: ['datetime', 'date', 'text'],
      time: ['text'],
    };
    if (!takes[type]?.includes(operand.as)) {
      this.fail(`Column "${column.name}" of type ${type} can't be compared with ${operand.text}`, operand.at);
    }
    try {
      return parseLiteral(type as TableColumn['type'], operand.text, whole);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      return this.fail(error.message.replace(/\.$/, ''), operand.at);
    }
  }

  /** A WKT literal or BBOX(…); undefined where none comes next. */
  geometry(): Geometry | undefined {
    const at = this.place();
    if (this.match(/BBOX(?=\s*\()/iy)) {
      this.expect('(');
      const numbers = [this.number()];
      while (this.take(',')) numbers.push(this.number());
      this.expect(')');
      return bboxGeometry(toBbox(numbers));
    }
    if (!this.match(geometryStart)) return undefined;
    this.at = at;
    const geometry = readWkt(this, this.budget);
    checkShape(geometry);
    return geometry;
  }
}
