/** How the values of one column are to be read: what its format and the options of the payload say. */
import type { PayloadInfo } from '../formats/types.ts';
import {
  type DateForm,
  decimalComma,
  decimalPoint,
  type NumberForm,
  parseDateFormat,
  type ReadableType,
} from './text-forms.ts';

/** Settings of a column, known before its values are read. */
export interface ColumnSettings {
  /** True if texts may be numbers and booleans (CSV). */
  readonly textual: boolean;
  /** True if all values are stored as text. */
  readonly asText?: boolean | undefined;
  /** Type that people set; values that don't fit are null. */
  readonly type?: ReadableType | undefined;
  readonly numbers?: NumberForm | undefined;
  readonly dates?: DateForm | undefined;
  /** Text by which the form was recognized in the pass before. */
  readonly example?: string | null | undefined;
  /** Delimiter of the cells in CSV. */
  readonly delimiter?: string | undefined;
}

/** The settings of a column by the options of the payload. */
export function columnParseSettings({ textual, reading, delimiter }: PayloadInfo, name: string): ColumnSettings {
  const { types = {}, decimal, date_format } = reading;
  return {
    textual,
    delimiter,
    type: Object.hasOwn(types, name) ? types[name] : undefined,
    numbers: decimal === undefined ? undefined : decimal === ',' ? decimalComma : decimalPoint,
    dates: date_format === undefined ? undefined : parseDateFormat(date_format),
  };
}
