/** The reader's language: texts of the interface with their values filled in, numbers, sizes, dates and places. */
import type { ComponentChildren } from 'preact';
import { millisecondsOfTime } from '../catalogue/iso-time.ts';
import { english, type TextKey, type Texts } from './texts/english.ts';
import { french } from './texts/french.ts';
import { german } from './texts/german.ts';

export type Language = 'en' | 'de' | 'fr';
/**
 * Languages of the interface, the first if none fits. A new language is an entry here and a file of texts. Numbers are
 * those of `numbers`: `de` sets thousands apart by points (`50.000`), which next to cells that are written as in the file
 * (`4.567`) could be read as decimals; `de-AT` by spaces, as DIN 5008 allows.
 */
export const languages: Readonly<Record<Language, LanguageParts>> = {
  en: { texts: english, tag: 'en-GB', numbers: 'en-GB' },
  de: { texts: german, tag: 'de', numbers: 'de-AT' },
  fr: { texts: french, tag: 'fr', numbers: 'fr' },
};

interface LanguageParts {
  readonly texts: Texts;
  /** BCP 47 tags for dates and lists, and for numbers. */
  readonly tag: string;
  readonly numbers: string;
}

/** The language of the interface for a BCP 47 tag; undefined if there is none. */
export function languageForTag(tag: string): Language | undefined {
  const primary = tag.toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(languages, primary) ? (primary as Language) : undefined;
}

type Value = string | number;

/** True for a number that all languages of the interface write alike: a few digits without groups. */
const isShort = (value: number): boolean => Number.isInteger(value) && value >= 0 && value < 1000;

/** Significant digits that any number has at most. */
const mostDigits = 17;

type NumberFormats = Readonly<Record<'standard' | 'scientific', () => Intl.NumberFormat>>;

/** Letters that are written from right to left, and marks of direction. */
const fromRightToLeft =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A text that people wrote, as a part of a sentence: one in Arabic or Hebrew is isolated (UAX #9), else it would take the
 * digits and commas behind it into its direction. What `<bdi>` does, for texts and attributes.
 */
export const isolated = (text: string): string => (fromRightToLeft.test(text) ? `\u2068${text}\u2069` : text);

/** A sentence that is to be copied, without the marks that isolate its parts on a page. */
export const withoutIsolates = (text: string): string => text.replace(/[\u2068\u2069]/g, '');

/** Digits of an exponent. */
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A number with all digits in groups, as people read it; with more than twelve or a tiny one, with a power of ten: `1.05 × 10¹⁴`. */
function writeNumber(formats: NumberFormats, value: number): string {
  const hasPower = Math.abs(value) >= 1e12 || (value !== 0 && Math.abs(value) < 1e-4);
  const text = formats[hasPower ? 'scientific' : 'standard']().format(value).replace(/^-/, '−');
  return text.replace(/E(-?)(\d+)$/, (_, sign: string, exponent: string) => {
    const raised = exponent.replace(/\d/g, (digit) => superscripts[Number(digit)] ?? '');
    return `\u00a0×\u00a010${sign && '⁻'}${raised}`;
  });
}

/** The value that a function makes, at the first call. */
function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Writes the texts, numbers and dates of a language. Each format is made when it is first needed: all of them take 20 ms,
 * in which no other request is answered.
 */
export class Locale {
  readonly language: Language;
  /** Between a whole number and its decimals. */
  readonly decimalSign: '.' | ',';
  readonly #texts: Texts;
  readonly #numbers: () => Intl.NumberFormat;
  readonly #plurals: () => Intl.PluralRules;
  /** By number of significant digits. */
  readonly #rounded = new Map<number, NumberFormats>();
  readonly #exact: NumberFormats;
  readonly #percent: () => Intl.NumberFormat;
  readonly #lists: () => Intl.ListFormat;
  readonly #dates: Readonly<Record<'long' | 'short', () => Intl.DateTimeFormat>>;
  readonly #sizes: readonly (() => Intl.NumberFormat)[];

  constructor(language: Language) {
    const { texts, tag, numbers } = languages[language];
    const numberFormat = (options: Intl.NumberFormatOptions) => onDemand(() => new Intl.NumberFormat(numbers, options));
    const dateFormat = (month: 'long' | 'short') =>
      onDemand(() => new Intl.DateTimeFormat(tag, { timeZone: 'UTC', day: 'numeric', month, year: 'numeric' }));
    this.language = language;
    this.#texts = texts;
    this.#numbers = numberFormat({ maximumFractionDigits: 3 });
    this.decimalSign = this.#numbers().format(0.5) === '0,5' ? ',' : '.';
    const formats = (maximumSignificantDigits: number): NumberFormats => ({
      standard: numberFormat({ maximumSignificantDigits }),
      scientific: numberFormat({ maximumSignificantDigits, notation: 'scientific' }),
    });
    for (let digits = 1; digits <= mostDigits; digits++) this.#rounded.set(digits, formats(digits));
    this.#exact = formats(mostDigits);
    this.#percent = numberFormat({ style: 'percent' });
    this.#lists = onDemand(() => new Intl.ListFormat(tag, { type: 'conjunction' }));
    this.#plurals = onDemand(() => new Intl.PluralRules(tag));
    this.#dates = { long: dateFormat('long'), short: dateFormat('short') };
    this.#sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map((unit, power) =>
      numberFormat({
        style: 'unit',
        unit,
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: power < 2 ? 0 : 1,
      }),
    );
  }

  /** A text with its values; numbers are written in the language's form. */
  text(key: TextKey, values: Readonly<Record<string, Value>> = {}): string {
    return this.#template(key, values).replace(/\{(\w+)\}/g, (_, name: string) =>
      this.#write(values[name] ?? (name === 'number' ? values.count : undefined)),
    );
  }

  /** A text whose values may be elements, such as links within a sentence. */
  fill(key: TextKey, values: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] {
    return this.#template(key, values)
      .split(/\{(\w+)\}/)
      .map((part, i) => {
        if (i % 2 === 0) return part;
        const value = values[part] ?? (part === 'number' ? values.count : undefined);
        return typeof value === 'number' || typeof value === 'string' ? this.#write(value) : value;
      });
  }

  /** The `lang` of a text of this language, or of a message of the API, which is in English; undefined if it is that of the page. */
  langOf(message: string): 'en' | undefined {
    return this.language === 'en' || Object.values(this.#texts).includes(message) ? undefined : 'en';
  }

  #template(key: TextKey, { count }: { readonly count?: unknown }): string {
    const text = this.#texts[key];
    if (typeof text === 'string') return text;
    return this.#plurals().select(Number(count)) === 'one' ? text.one : text.other;
  }

  #write(value: Value | undefined): string {
    return typeof value === 'number' ? this.number(value) : isolated(value ?? '');
  }

  number(value: number): string {
    if (isShort(value)) return String(value);
    return this.#numbers().format(value).replace(/^-/, '−');
  }

  /** A number with all of its digits. */
  exact(value: number): string {
    if (isShort(value)) return String(value);
    return writeNumber(this.#exact, value);
  }

  /** A number with few significant digits: of measured values, such as a mean. @param digits 1 to 17 */
  rounded(value: number, digits = 4): string {
    if (isShort(value)) return String(value);
    return writeNumber(this.#rounded.get(digits) ?? this.#exact, value);
  }

  /** A share, 0 to 1, in per cent. Only nothing is 0 %, only all is 100 %. */
  percent(share: number): string {
    const whole = Math.round(share * 100);
    const shown = share > 0 && whole === 0 ? 1 : share < 1 && whole === 100 ? 99 : whole;
    return this.#percent().format(shown / 100);
  }

  /** @param bytes number of bytes; a kilobyte has 1000 */
  size(bytes: number): string {
    // 999.7 kB would be written as 1,000 kB.
    const power = bytes < 1000 ? 0 : Math.min(4, Math.floor((Math.log10(bytes) + Math.log10(1000 / 999.5)) / 3));
    return (this.#sizes[power] as () => Intl.NumberFormat)().format(bytes / 1000 ** power);
  }

  /** The day of a time in ISO 8601, UTC; a time without an offset is in UTC. */
  date(time: string, form: 'long' | 'short' = 'short'): string {
    const date = new Date(millisecondsOfTime(time));
    return Number.isNaN(date.getTime()) ? time : this.#dates[form]().format(date);
  }

  /** Degrees with their direction, on one line: `12.5° E`. */
  degrees(value: number, axis: 'longitude' | 'latitude'): string {
    const [positive, negative] = axis === 'longitude' ? (['east', 'west'] as const) : (['north', 'south'] as const);
    const places = Math.abs(value) < 1 ? 3 : 1;
    const rounded = Math.round(Math.abs(value) * 10 ** places) / 10 ** places;
    if (rounded === 0) return '0°';
    return `${this.number(rounded)}°\u00a0${this.text(value > 0 ? positive : negative)}`;
  }

  /** A list in a sentence: `a, b and c`. */
  list(items: readonly string[]): string {
    return this.#lists().format(items.map(isolated));
  }
}

const locales = new Map<Language, Locale>();

/** The locale of a language; the same object each time. */
export function localeFor(language: Language): Locale {
  const locale = locales.get(language) ?? new Locale(language);
  locales.set(language, locale);
  return locale;
}
