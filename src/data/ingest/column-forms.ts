/**
 * The forms of one column's texts: recognizes decimal commas and dates such as `31.12.2024` or `2024/12/31`, if all values have them, and
 * counts the values that don't fit where nearly all others do.
 */
import type { TextForm } from '../../catalogue/column-statistics.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { textForms, type Utf8Texts } from '../formats/utf8-texts.ts';
import type { ColumnSettings } from './column-settings.ts';
import { isCommonUtf8Date, numberTextKind, parseBooleanText } from './infer-types.ts';
import { MisfitCounter, type Misfits } from './misfits.ts';
import { type GroupMark, NumberGroups } from './number-groups.ts';
import { SlashedDates } from './slashed-dates.ts';
import {
  type DateForm,
  decimalComma,
  decimalPoint,
  hasCommaGroups,
  hasDecimalComma,
  hasLooseGroups,
  hasPointGroups,
  isBlank,
  looseNumberForm,
  type NumberForm,
  parseLooseTime,
  recognizedDateForm,
} from './text-forms.ts';

/** Longest text that may be a number or a date. */
const maxLength = 40;

const loosePoint = looseNumberForm(decimalPoint);
const looseComma = looseNumberForm(decimalComma);

/** Forms of texts that a look at their bytes tells: a code is an integer with leading zeros. */
const byteForms = { unknown: 0, word: 1, integer: 2, code: 3, date: 4 } as const;

export class ColumnForms {
  readonly #settings: ColumnSettings;
  readonly #numbersMisfits = new MisfitCounter();
  readonly #datesMisfits = new MisfitCounter();
  readonly #booleansMisfits = new MisfitCounter();
  /** True if every value so far can be a number with a decimal comma, and one must be. */
  #areCommas = true;
  #isComma = false;
  #areDates = true;
  #isDate = false;
  /** True if every value so far can be a number with a decimal point. */
  #arePoints = true;
  /** True if every value so far is a number in either form, or has spaces or apostrophes between thousands. */
  #areLoose = true;
  readonly #groups = new NumberGroups();
  /** True if one of the dates has a time of day. */
  #haveTimes = false;
  /** Number of texts, in a column of numbers by a type that people set, that are numbers in one of the forms only. */
  #commasOnly = 0;
  #pointsOnly = 0;
  /** Number of points that may stand between thousands; NaN if one can't. */
  #groupingPoints = 0;
  #hasNumbers = false;
  /** True if a row group had blank texts alone: they are null among numbers. */
  #hasBlanks = false;
  /** True if a value is a code such as 007, or has too many digits for a number: then no value of the column is meant as one. */
  #isCode = false;
  numbers: NumberForm;
  dates: DateForm | null;
  readonly slashedDates = new SlashedDates();
  /** The first text with a decimal comma, or the first date, if the column was recognized by its values. */
  example: string | null = null;

  constructor(settings: ColumnSettings) {
    this.#settings = settings;
    this.numbers = settings.numbers ?? decimalPoint;
    this.dates = settings.dates ?? null;
    this.example = settings.example ?? null;
  }

  /** Recognizes the forms by the first values; called before they are read. */
  recognize(values: readonly unknown[]): void {
    if (
      this.#settings.numbers === undefined &&
      this.#allFit(values, (text) => isBlank(text) || decimalComma.kindOf(text) !== 0)
    ) {
      const example = values.find((value) => typeof value === 'string' && this.#mustBeComma(value));
      if (example !== undefined) {
        this.numbers = decimalComma;
        this.example = example as string;
      }
    }
    if (this.#settings.dates === undefined && this.#allFit(values, (text) => recognizedDateForm(text) !== undefined))
      this.dates = recognizedDateForm;
  }

  /**
   * Compares the forms of numbers in a column whose type people set: the one that more texts have is that of the column. Other
   * texts, such as `n/a`, say nothing.
   * @param areFirst true if no number was read before
   */
  compareNumbers(values: readonly unknown[], areFirst: boolean): void {
    if (this.#settings.numbers !== undefined) return;
    for (const text of values) {
      if (typeof text !== 'string' || text.length > maxLength || !/[.,e]/i.test(text)) continue;
      const isComma = looseComma.kindOf(text) !== 0;
      this.#groups.add(text);
      // `1,234` has a decimal comma in a file with semicolons between the cells.
      const isPoint = loosePoint.kindOf(text) !== 0 && !(isComma && this.#mustBeComma(text));
      if (isComma === isPoint) continue;
      if (!isComma) this.#pointsOnly++;
      else {
        this.#commasOnly++;
        if (this.#mustBeComma(text) || hasPointGroups(text) || hasLooseGroups(text))
          this.#isComma = this.#setExample(text);
      }
    }
    if (areFirst) this.numbers = this.#numbersOfMost;
  }

  /** The form of most of the numbers that `compareNumbers` has seen; the present one if they have no form of their own. */
  get #numbersOfMost(): NumberForm {
    if (this.#isComma && this.#commasOnly > this.#pointsOnly) return decimalComma;
    return this.#pointsOnly > 0 ? decimalPoint : this.numbers;
  }

  #mustBeComma = (text: string) => hasDecimalComma(text, this.#settings.delimiter);

  #allFit(values: readonly unknown[], fits: (text: string) => boolean): boolean {
    let count = 0;
    for (const value of values) {
      if (value === null || value === undefined || value === '') continue;
      if (typeof value !== 'string' || value.length > maxLength || !fits(value)) return false;
      count++;
    }
    return count > 0;
  }

  /** The form of the texts that were read as a type, for statistics; none if it is the common one. */
  formOf(type: ColumnType): { readonly form?: TextForm } {
    if (type === 'float' || type === 'integer') return this.numbers === decimalComma ? { form: 'decimal comma' } : {};
    return this.dates && (type === 'date' || type === 'datetime') ? { form: 'date' } : {};
  }

  /** True if first texts became others than they would among all texts of the column: dates of one form, or blank ones null. */
  areMixed(type: ColumnType): boolean {
    if (type === 'integer' || type === 'float') return false;
    return this.#hasBlanks || (this.dates !== null && this.#settings.dates === undefined && !this.#areDates);
  }

  /** What stands between thousands of texts, all of which are numbers with it or without, or was read so; null if nothing does. */
  get groups(): GroupMark | null {
    const { type, numbers } = this.#settings;
    if (numbers !== undefined) return null;
    if (type !== undefined) return this.numbers === decimalPoint ? this.#groups.comma : null;
    const found = this.#groups.found({ comma: this.#areCommas, point: this.#arePoints, loose: this.#areLoose });
    return this.#isComma && found?.mark !== 'space' && found?.mark !== 'apostrophe' ? null : found;
  }

  /** True if the points of all numbers were taken for decimal points, and may stand between thousands. */
  get mayBeGrouped(): boolean {
    const { textual, type, numbers } = this.#settings;
    const isUnset = textual && type === undefined && numbers === undefined;
    return isUnset && this.numbers === decimalPoint && this.#groupingPoints > 0;
  }

  /**
   * Adds numbers without decimal comma.
   * @param fitCommas true if all of them are numbers with decimal commas, too
   * @param groupingPoints number of points that may stand between thousands; NaN if one can't
   */
  addNumbers(count: number, fitCommas: boolean, groupingPoints: number): void {
    this.#numbersMisfits.addFits(count);
    if (count === 0) {
      this.#hasBlanks = true;
      return;
    }
    this.slashedDates.stop();
    this.#groupingPoints += groupingPoints;
    this.#groups.addNumbers(groupingPoints !== 0);
    this.#hasNumbers = true;
    this.#areDates = false;
    if (!fitCommas && this.numbers !== decimalComma) this.#areCommas = false;
  }

  /** Adds a text, before it is converted. @param lineOf returns its line */
  addText(text: string, lineOf: () => number | undefined): void {
    const first = text.charCodeAt(0);
    const mayFit =
      text.length <= maxLength && (first <= 32 || (first >= 44 && first <= 46) || (first >= 48 && first <= 57));
    const isComma = mayFit && decimalComma.kindOf(text) !== 0;
    const isPoint = mayFit && (numberTextKind(text) !== 0 || hasCommaGroups(text));
    const isNumber = isComma || isPoint || (mayFit && hasLooseGroups(text));
    const isDate = mayFit && !isNumber && recognizedDateForm(text) !== undefined;
    this.#areCommas &&= isComma || isBlank(text);
    this.#arePoints &&= isPoint || isBlank(text);
    this.#areLoose &&= isNumber || isBlank(text);
    if (isNumber) this.#groups.add(text);
    this.#areDates &&= isDate;
    this.slashedDates.add(text);
    if (isComma && this.#mustBeComma(text)) this.#isComma = this.#setExample(text);
    if (isDate) this.#isDate = this.#setExample(text);
    this.#isCode ||= mayFit && !isNumber && /^-?\d+$/.test(text);
    if (isNumber) this.#numbersMisfits.addFits();
    else if (!isBlank(text)) this.#numbersMisfits.addMisfit(text, lineOf);
    if (parseBooleanText(text) !== undefined) this.#booleansMisfits.addFits();
    else this.#booleansMisfits.addMisfit(text, lineOf);
    const moment = mayFit && !isNumber ? parseLooseTime(text, 'datetime', this.dates) : undefined;
    if (moment === undefined) this.#datesMisfits.addMisfit(text, lineOf);
    else {
      this.#datesMisfits.addFits();
      this.#haveTimes ||= !moment.endsWith('T00:00:00');
    }
  }

  /** Adds texts as `addText` does; most of them by a look at their bytes. @param lineOf returns the line of a row */
  addUtf8(texts: Utf8Texts, lineOf: (row: number) => number | undefined): void {
    const { bytes, forms, ends } = texts;
    let start = 0;
    for (let row = 0; row < forms.length; row++) {
      const end = ends[row] as number;
      if (forms[row] !== textForms.missing) {
        const form = this.#formOfBytes(bytes, start, end);
        const isFirst =
          (form !== byteForms.integer && this.#numbersMisfits.isEmpty) ||
          (form !== byteForms.date && this.#datesMisfits.isEmpty) ||
          this.#booleansMisfits.isEmpty;
        if (form === byteForms.unknown || isFirst) this.#addTextOfRow(texts, row, lineOf);
        else {
          this.#areDates = false;
          this.slashedDates.stop();
          if (form !== byteForms.integer) this.#areCommas = this.#arePoints = this.#areLoose = false;
          if (form === byteForms.code) this.#isCode = true;
          if (form === byteForms.integer) this.#numbersMisfits.addFits();
          else this.#numbersMisfits.addFurtherMisfit();
          this.#booleansMisfits.addFurtherMisfit();
          if (form === byteForms.date) this.#datesMisfits.addFits();
          else this.#datesMisfits.addFurtherMisfit();
        }
      }
      start = end;
    }
  }

  #addTextOfRow(texts: Utf8Texts, row: number, lineOf: (row: number) => number | undefined): void {
    this.addText(texts.at(row) as string, () => lineOf(row));
  }

  #formOfBytes(bytes: Buffer, start: number, end: number): number {
    const first = bytes[start] as number;
    if (!(first <= 32 || (first >= 44 && first <= 46) || (first >= 48 && first <= 57)))
      return mayBeBoolean(bytes, start, end) ? byteForms.unknown : byteForms.word;
    if (this.dates !== null) return byteForms.unknown;
    if (isCommonUtf8Date(bytes, start, end)) return byteForms.date;
    if (end - start > 9) return byteForms.unknown;
    for (let at = start; at < end; at++)
      if ((bytes[at] as number) < 48 || (bytes[at] as number) > 57) return byteForms.unknown;
    return end - start > 1 && first === 48 ? byteForms.code : byteForms.integer;
  }

  #setExample(text: string): true {
    this.example ??= text;
    return true;
  }

  /**
   * The settings for reading the column again, once all of its values are known; null if it is read right.
   * @param isStoredTyped true if values were stored in another form than their text
   */
  settingsForNextPass(isStoredTyped: boolean): ColumnSettings | null {
    const { asText, numbers, type } = this.#settings;
    const { example } = this;
    if (type !== undefined) {
      const best = this.#numbersOfMost;
      return best === this.numbers ? null : { ...this.#settings, numbers: best, example };
    }
    if (asText) return null;
    if (this.#areCommas && this.#isComma && this.numbers !== decimalComma && numbers === undefined)
      return { ...this.#settings, numbers: decimalComma, example };
    if (this.#areDates && this.#isDate && this.dates === null)
      return { ...this.#settings, dates: recognizedDateForm, example };
    return isStoredTyped ? { ...this.#settings, asText: true } : null;
  }

  /** The values that keep a column of text from being of another type; null if there are none or too many. */
  get misfits(): (Misfits & { readonly type: 'float' | 'boolean' | 'date' | 'datetime' }) | null {
    if (!this.#settings.textual || this.#settings.type !== undefined) return null;
    const { misfits } = this.#numbersMisfits;
    if (misfits && this.#numbersMisfits.isNear && !this.#isCode) return { ...misfits, type: 'float' };
    const booleans = this.#hasNumbers ? null : this.#booleansMisfits.misfits;
    if (booleans && this.#booleansMisfits.isNear) return { ...booleans, type: 'boolean' };
    const dates = this.#datesMisfits.misfits;
    return dates && this.#datesMisfits.isNear ? { ...dates, type: this.#haveTimes ? 'datetime' : 'date' } : null;
  }
}

/** True if the first letter and the length are those of `true` or `false`. */
function mayBeBoolean(bytes: Buffer, start: number, end: number): boolean {
  const letter = (bytes[start] as number) | 0x20;
  return (letter === 0x74 && end - start === 4) || (letter === 0x66 && end - start === 5);
}
