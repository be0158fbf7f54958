/** How the text of a file of CSV is written. */
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
}

/** The form of all CSV that the catalogue writes. */
export const ownCsv: CsvForm = { encoding: 'utf-8', delimiter: ',', skip: 0, header: true };

/** The form of a payload of CSV, by what was found when it was read. */
export function csvFormOf({ metadata, reading }: Version): CsvForm {
  const { encoding, delimiter } = decodeMetadata(metadata) ?? {};
  return {
    encoding: typeof encoding === 'string' ? encoding : ownCsv.encoding,
    delimiter: typeof delimiter === 'string' ? delimiter : ownCsv.delimiter,
    skip: reading?.skip ?? 0,
    header: reading?.header ?? true,
  };
}
