/** The catalogue in DCAT-US 1.1 (Project Open Data), as `/data.json`. */
import type { CatalogueFacts, DatasetFacts } from './facts.ts';
import { datasetMapping, distributionMapping, mapFacts } from './mapping.ts';
import { missingFor } from './requirements.ts';

/** The document without its datasets. */
export const dcatUsCatalogue = ({ url }: CatalogueFacts) => ({
  '@context': 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld',
  '@id': `${url}data.json`,
  '@type': 'dcat:Catalog',
  conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
  describedBy: 'https://project-open-data.cio.gov/v1.1/schema/catalog.json',
});

/** @returns undefined if facts are missing that a harvester would refuse the dataset for */
export function dcatUsDataset(facts: DatasetFacts): Readonly<Record<string, unknown>> | undefined {
  if (missingFor('dcatUs', facts).length) return undefined;
  const { keywords, namespace } = facts;
  const distributions = [
    ...facts.distributions.map((one) => mapFacts(distributionMapping, 'dcatUs', one)),
    ...facts.links.map(({ title, url, mediaType }) =>
      mediaType === undefined ? { title, accessURL: url } : { title, downloadURL: url, mediaType },
    ),
  ];
  return {
    '@type': 'dcat:Dataset',
    ...mapFacts(datasetMapping, 'dcatUs', facts),
    // At least one is demanded: the namespace tells something, too.
    keyword: keywords.length ? keywords : [namespace],
    accessLevel: facts.isPublic ? 'public' : 'non-public',
    ...(distributions.length && {
      distribution: distributions.map((one) => ({ '@type': 'dcat:Distribution', ...one })),
    }),
  };
}
