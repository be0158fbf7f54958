/** A dataset as a Data Package 2 (Frictionless) with Table Schema: the rows as CSV, and the file as it was published. */
import type { TextForm } from '../catalogue/column-statistics.ts';
import type { Column, ColumnType } from '../catalogue/types.ts';
import type { CsvForm } from './csv-form.ts';
import type { DatasetFacts, Distribution } from './facts.ts';
import { columnMapping, datasetMapping, distributionMapping, mapFacts } from './mapping.ts';
import { missingFor } from './requirements.ts';

/** @returns undefined for a dataset without data: a package has at least one resource */
export function dataPackage(facts: DatasetFacts): Readonly<Record<string, unknown>> | undefined {
  const { distributions, columns } = facts;
  if (missingFor('dataPackage', facts).length) return undefined;
  const profile = 'https://datapackage.org/profiles/2.0/datapackage.json';
  return {
    $schema: profile,
    ...mapFacts(datasetMapping, 'dataPackage', facts),
    resources: distributions.map((one) => ({
      name: one.isOriginal ? 'data' : one.format,
      ...mapFacts(distributionMapping, 'dataPackage', one),
      ...(one.format === 'csv' && columns.length && tabular(one)),
    })),
  };
}

function tabular({ csv, columns }: Distribution) {
  const fields = columns().map(({ name, column }) => ({
    ...mapFacts(columnMapping, 'dataPackage', { ...column, name }),
    ...inForm(column, csv.forms.get(column.name)),
  }));
  return {
    type: 'table',
    encoding: csv.encoding,
    ...dialect(csv),
    ...(fields.length && {
      schema: {
        $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
        fields,
        // A header may have names that are repeated or empty, which no field has. Without a header, only the order counts.
        ...(csv.header && { fieldsMatch: ['partial'] }),
      },
    }),
  };
}

/** What texts are that no type of Table Schema describes. */
const rdfTypes: Readonly<Partial<Record<ColumnType, string>>> = {
  date: 'http://www.w3.org/2001/XMLSchema#date',
  datetime: 'http://www.w3.org/2001/XMLSchema#dateTime',
  geometry: 'http://www.opengis.net/ont/geosparql#Geometry',
};

/**
 * What a field says of its texts. Dates of other forms are texts to Table Schema: it has one format for a column, which isn't known.
 * Times may be written as `10:00`, and datetimes with a blank for the T, or no offset: its default formats have neither.
 */
function inForm({ type }: Column, form: TextForm | undefined) {
  if (form === 'date') return { type: 'string', rdfType: rdfTypes[type] };
  if (type === 'geometry') return { rdfType: rdfTypes.geometry };
  if (type === 'time' || type === 'datetime') return { format: 'any' };
  if (form === undefined) return {};
  return { ...(type === 'float' && { decimalChar: ',' }), groupChar: '.' };
}

/** Most lines that are listed as those to leave out. */
const maxCommentRows = 1000;

/** A Table Dialect, if it isn't the default one. */
function dialect({ delimiter, skip, header }: CsvForm) {
  if (delimiter === ',' && skip === 0 && header) return {};
  return {
    dialect: {
      $schema: 'https://datapackage.org/profiles/2.0/tabledialect.json',
      ...(delimiter !== ',' && { delimiter }),
      ...(header ? skip > 0 && { headerRows: [skip + 1] } : { header }),
      ...(!header &&
        skip > 0 &&
        skip <= maxCommentRows && { commentRows: Array.from({ length: skip }, (_, i) => i + 1) }),
    },
  };
}
