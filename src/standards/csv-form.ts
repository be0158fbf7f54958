/** How the text of a file of CSV is written. */
import { statisticsInMetadata, type TextForm } from '../catalogue/column-statistics.ts';
import { decodeMetadata } from '../catalogue/metadata.ts';
import type { Version } from '../catalogue/types.ts';

export interface CsvForm {
  /** Label of the encoding (WHATWG Encoding Standard). */
  readonly encoding: string;
  readonly delimiter: string;
  /** Lines before the first row, or before the names of the columns. */
  readonly skip: number;
  /** True if the names of the columns stand above them. */
  readonly header: boolean;
  /** Forms of the columns that aren't written as JSON writes numbers and dates, by name. */
  readonly forms: ReadonlyMap<string, TextForm>;
}

/** The form of all CSV that the catalogue writes. */
export const ownCsv: CsvForm = { encoding: 'utf-8', delimiter: ',', skip: 0, header: true, forms: new Map() };

/** The form of a payload of CSV, by what was found when it was read. */
export function csvFormOf(version: Version): CsvForm {
  const { metadata, reading } = version;
  const { encoding, delimiter } = decodeMetadata(metadata) ?? {};
  return {
    encoding: typeof encoding === 'string' ? encoding : ownCsv.encoding,
    delimiter: typeof delimiter === 'string' ? delimiter : ownCsv.delimiter,
    skip: reading?.skip ?? 0,
    header: reading?.header ?? true,
    forms: formsOf(version),
  };
}

const formsOf = (version: Version): ReadonlyMap<string, TextForm> =>
  new Map([...statisticsInMetadata(version)].flatMap(([name, { form }]) => (form ? [[name, form]] : [])));
