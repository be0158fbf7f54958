/** Texts that are dates whose day or month comes first, such as 12/31/2024: they are read if people say which of them does. */

const pattern = /^(\d{1,2})([/-])(\d{1,2})\2\d{4}( \d{1,2}:\d{2}(:\d{2})?)?$/;

export class SlashedDates {
  /** Text behind the formats of day and month; null if a value has another one, undefined before the first. */
  #rest: string | null | undefined;
  #separator = '';
  #first = 0;
  #second = 0;
  #example = '';

  add(text: string): void {
    if (this.#rest === null) return;
    const [, first, separator = '', second, time, seconds] = pattern.exec(text.trim()) ?? [];
    const rest = `${separator}YYYY${time ? ' HH:MM' : ''}${seconds ? ':SS' : ''}`;
    if (first === undefined || (this.#rest !== undefined && this.#rest !== rest)) {
      this.stop();
      return;
    }
    if (this.#rest === undefined) this.#example = text.trim();
    this.#rest = rest;
    this.#separator = separator;
    this.#first = Math.max(this.#first, Number(first));
    this.#second = Math.max(this.#second, Number(second));
  }

  /** Called for values of other forms. */
  stop(): void {
    this.#rest = null;
  }

  /** The formats in which all values are dates, with the first value; null if there are none. */
  get found(): { readonly formats: readonly string[]; readonly example: string } | null {
    const formats = [
      ...(this.#second <= 12 && this.#first <= 31 ? [`DD${this.#separator}MM${this.#rest}`] : []),
      ...(this.#first <= 12 && this.#second <= 31 ? [`MM${this.#separator}DD${this.#rest}`] : []),
    ];
    return this.#rest && formats.length > 0 ? { formats, example: this.#example } : null;
  }
}
