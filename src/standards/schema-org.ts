/** A dataset as schema.org/Dataset in JSON-LD, as Google Dataset Search reads it. */
import type { DatasetFacts } from './facts.ts';
import { columnMapping, datasetMapping, distributionMapping, mapFacts } from './mapping.ts';

export function schemaOrgDataset(facts: DatasetFacts): Readonly<Record<string, unknown>> {
  const { catalogue, distributions, columns } = facts;
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    '@id': facts.url,
    ...mapFacts(datasetMapping, 'schemaOrg', facts),
    isAccessibleForFree: true,
    includedInDataCatalog: { '@type': 'DataCatalog', name: catalogue.title, url: catalogue.url },
    ...(distributions.length && {
      distribution: distributions.map((one) => ({
        '@type': 'DataDownload',
        ...mapFacts(distributionMapping, 'schemaOrg', one),
      })),
    }),
    ...(columns.length && {
      variableMeasured: columns.map((one) => ({
        '@type': 'PropertyValue',
        ...mapFacts(columnMapping, 'schemaOrg', one),
      })),
    }),
  };
}
