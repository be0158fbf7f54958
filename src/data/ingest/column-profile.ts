/**
 * The profile of one column during ingestion: converts its values for the columnar copy, row group by row group, and
 * collects its type and statistics.
 */
import type { ColumnStatistics } from '../../catalogue/column-statistics.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { type Cells, cellsToArray } from '../formats/cells.ts';
import { textForms, type Utf8Texts } from '../formats/utf8-texts.ts';
import type { ColumnValues } from '../table/column-chunk.ts';
import { encodeDictionary, encodeUtf8Dictionary } from '../table/dictionary.ts';
import { ColumnForms } from './column-forms.ts';
import type { ColumnSettings } from './column-settings.ts';
import { parseBooleanText, textValueKind, typeForValueKinds, valueKinds } from './infer-types.ts';
import { convertValues, MisfitCounter, type Misfits } from './misfits.ts';
import type { SlashedDates } from './slashed-dates.ts';
import { decimalComma, decimalPoint, isBlank, makeTextConverter, type ReadableType } from './text-forms.ts';
import {
  booleanCodes,
  firstText,
  firstValue,
  fitsCommas,
  groupingPointsOf,
  kindOfNumber,
  kindOfValue,
  kindsOfNumbers,
  numericKinds,
  padCodes,
  padNumbers,
  type ScannedNumbers,
  scanBooleans,
  scanNumbers,
  stringKinds,
  utf8ValueKind,
} from './typed-values.ts';
import { ValueSummary } from './value-summary.ts';

export class ColumnProfile {
  readonly #settings: ColumnSettings;
  readonly #textual: boolean;
  readonly #asText: boolean;
  readonly #forms: ColumnForms;
  /** Values that don't fit the type that people set. */
  readonly #misfits = new MisfitCounter();
  #lineOf: (row: number) => number | undefined = () => undefined;
  #kinds = 0;
  #isStoredTyped = false;
  /** True if a value has become another one of the type that people set. */
  #isConverted = false;
  #hasOthersThanStrings = false;
  #present = 0;
  readonly #summary = new ValueSummary();

  constructor(settings: ColumnSettings) {
    this.#settings = settings;
    this.#textual = settings.textual || settings.type !== undefined;
    this.#asText = settings.asText === true || settings.type === 'string';
    this.#forms = new ColumnForms(settings);
    if (this.#asText) this.#kinds = valueKinds.text;
  }

  get type(): Exclude<ColumnType, 'geometry'> {
    return this.#settings.type ?? typeForValueKinds(this.#kinds);
  }

  /** The settings for reading the column again, since its values are of another form than the first ones; else null. */
  get settingsForNextPass(): ColumnSettings | null {
    if (this.#settings.type === undefined && this.type !== 'string' && !this.#forms.areMixed(this.type)) return null;
    if (this.#textual) return this.#forms.settingsForNextPass(this.#isStoredTyped);
    return this.#isStoredTyped ? { textual: false, asText: true } : null;
  }

  /** True if values of JSON are stored as others: of the type that people set, or as text in a column of several types. */
  get isConverted(): boolean {
    return this.#isConverted || (this.#hasOthersThanStrings && this.type === 'string');
  }

  /** Form that was recognized by the values, with an example; null if there is none. */
  get recognized(): { readonly form: 'decimal comma' | 'date'; readonly example: string } | null {
    const { example, numbers, dates } = this.#forms;
    if (example === null || this.#asText) return null;
    if (this.type === 'float' && numbers === decimalComma) return { form: 'decimal comma', example };
    return dates && this.#settings.type === undefined && /^date/.test(this.type) ? { form: 'date', example } : null;
  }

  /** Formats of dates whose day or month comes first, if all values are texts of such a form; null if not. */
  get dateFormats(): SlashedDates['found'] {
    const isText = this.type === 'string' && this.#settings.type === undefined && this.#settings.dates === undefined;
    return isText && this.#textual ? this.#forms.slashedDates.found : null;
  }

  /** What stands between thousands of the texts, or of numbers that were read by the type that people set; null if nothing does. */
  get groups(): ColumnForms['groups'] {
    return this.#settings.type === undefined && this.type !== 'string' ? null : this.#forms.groups;
  }

  /** True for numbers read with decimal points, all of which may be points between thousands. */
  get mayBeGrouped(): boolean {
    return this.type === 'float' && this.#forms.mayBeGrouped;
  }

  /** Values that don't fit the type that people set, or nearly all other values; null if there are none. */
  get misfits(): (Misfits & { readonly type: string }) | null {
    const { type } = this.#settings;
    if (type === undefined) return this.type === 'string' && this.#present > 0 ? this.#forms.misfits : null;
    const { misfits } = this.#misfits;
    return misfits && { ...misfits, type };
  }

  /** @param rows number of rows of the table; rows from before the column appeared count as null */
  statistics(name: string, rows: number): ColumnStatistics {
    const { type } = this;
    const countable = type !== 'object' && type !== 'array';
    const { distinct, min, max } = this.#summary;
    return {
      name,
      type,
      nulls: rows - this.#present,
      distinct: countable ? distinct : null,
      ...(countable && type !== 'boolean' && min !== undefined && { min, max }),
      ...(this.#textual && this.#forms.formOf(type)),
    } as ColumnStatistics;
  }

  /**
   * Adds the values of the next row group.
   * @param lineOf returns the line of a row, from 0 in the row group
   */
  add(cells: Cells, rows: number, lineOf = this.#lineOf): ColumnValues {
    this.#lineOf = lineOf;
    const { type } = this.#settings;
    // The forms of texts are recognized by their first values.
    const isRecognized = !this.#textual || this.#asText || this.#kinds !== 0;
    if (!Array.isArray(cells) && type === undefined && isRecognized) {
      const stored = this.#addTyped(cells as Exclude<Cells, readonly unknown[]>, rows);
      if (stored) return stored;
    }
    const values = cellsToArray(cells);
    const mayAdopt = this.#textual && !this.#asText && this.#kinds === 0;
    if (mayAdopt) this.#forms.recognize(values);
    if (type !== undefined && type !== 'string') return this.#toType(type, values, rows);
    const first = firstValue(values, this.#textual);
    const mayBeNumbers = !this.#asText && (this.#kinds & ~numericKinds) === 0;
    const isText = this.#textual && typeof first === 'string';
    if (mayBeNumbers && (typeof first === 'number' || (isText && this.#mayBeNumber(first)))) {
      const numbers = this.#toNumbers(values, rows);
      if (numbers) return numbers;
    }
    const mayBeBooleans = !this.#asText && (this.#kinds & ~valueKinds.boolean) === 0;
    if (mayBeBooleans && (typeof first === 'boolean' || (isText && parseBooleanText(first) !== undefined))) {
      const codes = booleanCodes(values, rows, this.#textual);
      if (codes) return this.#addCodes(codes);
    }
    return this.#toTexts(values, rows);
  }

  /** True if the values may be numbers. @param first the first one that isn't blank; '' if all are */
  #mayBeNumber = (first: string): boolean => first === '' || this.#forms.numbers.kindOf(first) !== 0;

  /** Adds values in a compact form, in bulk. @returns null if they have to be added one by one; nothing has changed then */
  #addTyped(cells: Float64Array | Uint8Array | Utf8Texts, rows: number): ColumnValues | null {
    if (cells instanceof Float64Array) {
      if (this.#asText || (this.#kinds & ~numericKinds) !== 0) return null;
      const kinds = kindsOfNumbers(cells);
      if (kinds === 0) return { kind: 'nulls' };
      return this.#addNumbers({ numbers: padNumbers(cells, rows), kinds });
    }
    if (cells instanceof Uint8Array) {
      if (this.#asText || (this.#kinds & ~valueKinds.boolean) !== 0) return null;
      return this.#addCodes(padCodes(cells, rows));
    }
    const texts = cells.padTo(rows);
    const text = firstText(texts);
    if (text === undefined) return { kind: 'nulls' };
    if (!this.#textual) return this.#addTexts(texts);
    const { numbers: form, dates } = this.#forms;
    if (dates !== null && !this.#asText) return null;
    if (!this.#asText && (this.#kinds & ~numericKinds) === 0 && this.#mayBeNumber(text)) {
      if (form !== decimalPoint) return null;
      const scanned = scanNumbers(texts);
      if (scanned) return this.#addNumbers(scanned);
    }
    if (!this.#asText && (this.#kinds & ~valueKinds.boolean) === 0 && parseBooleanText(text) !== undefined) {
      const codes = scanBooleans(texts);
      if (codes) return this.#addCodes(codes);
    }
    return this.#addTexts(texts);
  }

  /** @param codes of which one is a boolean at least */
  #addCodes(codes: Uint8Array): ColumnValues {
    for (const code of codes) {
      if (code === 0) continue;
      this.#present++;
      this.#summary.countDistinct(code === 2);
    }
    this.#kinds |= valueKinds.boolean;
    this.#isStoredTyped = true;
    return { kind: 'booleans', codes };
  }

  #addTexts(texts: Utf8Texts): ColumnValues {
    for (const form of texts.forms) if (form !== textForms.missing) this.#present++;
    if (this.#settings.textual) this.#forms.addUtf8(texts, this.#lineOf);
    if (!this.#textual && (this.#kinds & ~stringKinds) !== 0) this.#kinds |= valueKinds.text;
    const { entries, codes } = encodeUtf8Dictionary(texts);
    for (let entry = 0; entry < entries.length; entry++) {
      if (entries.forms[entry] === textForms.missing) continue;
      if ((this.#kinds & valueKinds.text) === 0) this.#kinds |= utf8ValueKind(entries, entry, this.#textual);
      this.#summary.addUtf8(entries, entry, this.#kinds === valueKinds.datetime);
    }
    return { kind: 'texts', entries, codes };
  }

  /** Values of the type that people set; null where they don't fit. */
  #toType(type: Exclude<ReadableType, 'string'>, values: readonly unknown[], rows: number): ColumnValues {
    if (type === 'integer' || type === 'float') this.#forms.compareNumbers(values, this.#kinds === 0);
    const convert = makeTextConverter(type, this.#forms.numbers, this.#forms.dates);
    const { values: converted, isChanged } = convertValues(values, convert, this.#misfits, this.#lineOf);
    this.#isConverted ||= isChanged;
    if (type === 'boolean') return this.#addCodes(booleanCodes(converted, rows, true) as Uint8Array);
    if (type !== 'integer' && type !== 'float') return this.#toTexts(converted, rows);
    return this.#toNumbers(converted, rows) as ColumnValues;
  }

  /** Null if a value isn't a number; the profile stays unchanged then. */
  #toNumbers(values: readonly unknown[], rows: number): ColumnValues | null {
    const numbers = new Float64Array(rows).fill(Number.NaN);
    let kinds = 0;
    let groupingPoints = 0;
    let fitCommas = true;
    const form = this.#forms.numbers;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (typeof value === 'number') {
        kinds |= kindOfNumber(value);
        numbers[row] = value;
      } else if (this.#textual && typeof value === 'string') {
        const kind = form.kindOf(value);
        if (kind !== 0) numbers[row] = form.parse(value);
        else if (!isBlank(value)) return null;
        kinds |= kind;
        groupingPoints += kind === 0 ? 0 : groupingPointsOf(value);
        fitCommas &&= fitsCommas(value);
      } else if (value !== null && value !== undefined) return null;
    }
    return this.#addNumbers({ numbers, kinds, groupingPoints, fitCommas });
  }

  #addNumbers(scanned: Pick<ScannedNumbers, 'numbers' | 'kinds'> & Partial<ScannedNumbers>): ColumnValues {
    const { numbers, kinds, groupingPoints = Number.NaN, fitCommas = false } = scanned;
    this.#kinds |= kinds;
    this.#isStoredTyped = true;
    const present = this.#summary.addNumbers(numbers);
    this.#present += present;
    this.#forms.addNumbers(present, fitCommas, groupingPoints);
    // Blank texts alone: the column may turn out to be one of dates, whose chunks are texts.
    return kinds === 0 ? { kind: 'nulls' } : { kind: 'numbers', numbers };
  }

  #toTexts(values: readonly unknown[], rows: number): ColumnValues {
    const texts = new Array<string | null>(rows).fill(null);
    let present = 0;
    let strings = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (value === null || value === undefined || (this.#textual && value === '')) continue;
      if (typeof value === 'string') strings++;
      texts[row] = this.#toText(value, row);
      present++;
    }
    if (present === 0) return { kind: 'nulls' };
    this.#present += present;
    if (strings > 0 && !this.#textual && (this.#kinds & ~stringKinds) !== 0) this.#kinds |= valueKinds.text;
    const coded = encodeDictionary(texts);
    for (const entry of coded.entries) if (entry !== null) this.#addText(entry, strings > 0);
    return { kind: 'texts', ...coded };
  }

  #toText(value: unknown, row: number): string {
    if (typeof value === 'string') {
      if (!this.#settings.textual || this.#settings.type !== undefined) return value;
      this.#forms.addText(value, () => this.#lineOf(row));
      const date = this.#asText ? undefined : this.#forms.dates?.(value);
      if (date === undefined) return value;
      this.#isStoredTyped = true;
      return date;
    }
    this.#kinds |= kindOfValue(value);
    this.#hasOthersThanStrings = true;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }

  #addText(text: string, classify: boolean): void {
    if (classify && (this.#kinds & valueKinds.text) === 0) this.#kinds |= textValueKind(text, this.#textual);
    this.#summary.addText(text, this.#kinds === valueKinds.datetime);
  }
}
