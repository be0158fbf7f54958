/** Marks between the thousands of a column's numbers: points as in `1.234.567`, commas as in `1,234,567.5`, spaces or apostrophes. */
import { decimalComma, hasCommaGroups, hasLooseGroups, hasPointGroups } from './text-forms.ts';

/** A mark that was found, with the first text that has it. */
export interface GroupMark {
  readonly mark: 'point' | 'comma' | 'space' | 'apostrophe';
  readonly example: string;
  /**
   * False for a comma in each text that may also be a decimal one: `1,234`; for a space that may stand
   * between two numbers, or between the parts of a code, as in those of companies in France: `12 345`, `732 829 320`.
   */
  readonly isSure: boolean;
  /** The type that reads the texts as numbers, if they weren't read so. */
  readonly type?: 'integer' | 'float';
}

export class NumberGroups {
  #point: GroupMark | null = null;
  #comma: GroupMark | null = null;
  #loose: GroupMark | null = null;
  #haveFractions = false;
  #haveCommas = false;

  /** Adds a text that may be a number. */
  add(text: string): void {
    const hasPoint = text.includes('.');
    this.#haveFractions ||= hasPoint;
    if (hasPoint && !this.#point && hasPointGroups(text))
      this.#point = { mark: 'point', example: text.trim(), isSure: true };
    if (!this.#loose?.isSure && hasLooseGroups(text)) {
      const mark = /['\u2019]/.test(text) ? 'apostrophe' : 'space';
      const isSure = mark === 'apostrophe' || /[.,]|^[+-]?\d{1,2}\s\d{3}\s/.test(text.trim());
      if (isSure || !this.#loose) this.#loose = { mark, example: text.trim(), isSure };
    }
    if (!text.includes(',')) return;
    this.#haveCommas = true;
    if (this.#comma?.isSure || !hasCommaGroups(text)) return;
    const isSure = decimalComma.kindOf(text) === 0;
    if (isSure || !this.#comma) this.#comma = { mark: 'comma', example: text.trim(), isSure };
  }

  /** Adds numbers that were read without marks. */
  addNumbers(haveFractions: boolean): void {
    this.#haveFractions ||= haveFractions;
  }

  /** Commas between thousands; null if there were none. */
  get comma(): GroupMark | null {
    return this.#comma;
  }

  /**
   * The mark with which all values are numbers, and the type that reads them; null if no mark fits.
   * @param fits the decimal separators with which all of them are numbers; `loose` if they are with either, or with spaces or
   *   apostrophes between thousands
   */
  found(fits: Readonly<Record<'comma' | 'point' | 'loose', boolean>>): GroupMark | null {
    // With both, one of them stands between thousands, too.
    if (fits.loose && this.#loose && !(this.#haveFractions && this.#haveCommas))
      return { ...this.#loose, type: this.#haveFractions || this.#haveCommas ? 'float' : 'integer' };
    if (fits.comma && this.#point) return { ...this.#point, type: 'integer' };
    return fits.point && this.#comma ? { ...this.#comma, type: this.#haveFractions ? 'float' : 'integer' } : null;
  }
}
