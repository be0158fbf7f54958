/**
 * Texts that are dates whose day or month comes first, such as 12/31/2024, or whose years have two digits, such as 31.12.99: they are read
 * if people name their format.
 */

/** With points, four digits are recognized without a word; fewer than six in all are as often the number of a chapter. */
const pattern = /^(?:(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d{2})|(\d{2})(\.)(\d{2})\.(\d{2}))( \d{1,2}:\d{2}(:\d{2})?)?$/;

export class SlashedDates {
  /** Separator, format of the year and of what is behind it; null if a value has another one, undefined before the first. */
  #rest: string | null | undefined;
  #time = '';
  #separator = '';
  #first = 0;
  #second = 0;
  #last = 0;
  #example = '';

  add(text: string): void {
    if (this.#rest === null) return;
    const parts = pattern.exec(text.trim());
    const [first, separator = '', second, last = ''] = parts?.slice(parts[1] === undefined ? 5 : 1) ?? [];
    const time = `${parts?.[9] ? ' HH:MM' : ''}${parts?.[10] ? ':SS' : ''}`;
    const rest = `${separator}${last.length === 2 ? 'YY' : 'YYYY'}${time}`;
    if (first === undefined || (this.#rest !== undefined && this.#rest !== rest)) {
      this.stop();
      return;
    }
    if (this.#rest === undefined) this.#example = text.trim();
    this.#rest = rest;
    this.#time = time;
    this.#separator = separator;
    this.#first = Math.max(this.#first, Number(first));
    this.#second = Math.max(this.#second, Number(second));
    this.#last = Math.max(this.#last, Number(last));
  }

  /** Called for values of other forms. */
  stop(): void {
    this.#rest = null;
  }

  /** The formats in which all values are dates, with the first value; null if there are none. */
  get found(): { readonly formats: readonly string[]; readonly example: string; readonly isShort: boolean } | null {
    const separator = this.#separator;
    const isShort = !this.#rest?.includes('YYYY');
    const formats = [
      ...(this.#second <= 12 && this.#first <= 31 ? [`DD${separator}MM${this.#rest}`] : []),
      ...(this.#first <= 12 && this.#second <= 31 && separator !== '.' ? [`MM${separator}DD${this.#rest}`] : []),
      ...(isShort && separator === '-' && this.#second <= 12 && this.#last <= 31 ? [`YY-MM-DD${this.#time}`] : []),
    ];
    return this.#rest && formats.length > 0 ? { formats, example: this.#example, isShort } : null;
  }
}
