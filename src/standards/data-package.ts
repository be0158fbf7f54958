/** A dataset as a Data Package 2 (Frictionless) with Table Schema: the rows as CSV, and the file as it was published. */
import type { Column } from '../catalogue/types.ts';
import type { CsvForm } from './csv-form.ts';
import type { DatasetFacts } from './facts.ts';
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
      ...(one.format === 'csv' && columns.length && tabular(columns, one.csv)),
    })),
  };
}

const tabular = (columns: readonly Column[], form: CsvForm) => ({
  type: 'table',
  encoding: form.encoding,
  ...dialect(form),
  schema: {
    $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
    fields: columns.map((column) => mapFacts(columnMapping, 'dataPackage', column)),
    // Points have a column each for longitude and latitude in CSV, and names may come in another order.
    fieldsMatch: ['partial'],
  },
});

/** A Table Dialect, if it isn't the default one. */
function dialect({ delimiter, skip, header }: CsvForm) {
  if (delimiter === ',' && skip === 0 && header) return {};
  return {
    dialect: {
      $schema: 'https://datapackage.org/profiles/2.0/tabledialect.json',
      ...(delimiter !== ',' && { delimiter }),
      ...(header ? skip > 0 && { headerRows: [skip + 1] } : { header }),
    },
  };
}
