/** The fields of what stands within records: of columns, and of the file of a version. */

import { choiceField, integerField, listField, requiredField, textField } from './field-types.ts';
import { columnTypes } from './types.ts';
import { httpUrlPattern } from './urls.ts';

/** A column as it is described. */
export const column = {
  type: requiredField(choiceField(columnTypes, 'Type of the values.', { fallback: 'object' })),
  name: requiredField(textField('Machine name.', { minLength: 1, maxLength: 255 })),
  label: textField('Human readable label.'),
  description: textField('What the values mean.'),
  unit: textField('Unit of the values, as in UCUM or as people write it: m, °C, EUR.'),
};

/** A column in a version's record. */
export const dataColumn = { name: column.name, type: column.type };
/** A column in a dataset's record. */
export const columnInRecord = {
  ...column,
  former_names: listField('Names that the column had in older versions.', { maxLength: 255 }),
  missing_since: textField('Slug of the first version without the column, whose texts are kept.'),
};
/** A column that the newest version lacks. */
export const missingColumn = { ...column, missing_since: columnInRecord.missing_since };

/** The payload in a version's record. */
export const file = {
  name: textField('Name of the file in the data folder.', { pattern: '^[^/\\\\\\u0000-\\u001f]+$', maxLength: 255 }),
  url: textField('URL of the payload.', { title: 'URL', pattern: httpUrlPattern }),
  format: textField('geojson, geojsonl, ndjson, json, csv, tsv, parquet or another short name.'),
  media_type: textField('Media type of the payload (RFC 9110, section 8.3.1).'),
  size: integerField('Size in bytes.', { minimum: 0 }),
};
