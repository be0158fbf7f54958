/** A dataset in Croissant 1.1 (MLCommons): its files, and the fields in them. */
import { extractorOf } from './croissant-extract.ts';
import type { DatasetFacts, Distribution } from './facts.ts';
import { columnMapping, datasetMapping, distributionMapping, mapFacts } from './mapping.ts';
import { missingFor } from './requirements.ts';

/** The context that appendix 1 of the specification recommends. */
const context = {
  '@vocab': 'http://schema.org/',
  sc: 'http://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  dct: 'http://purl.org/dc/terms/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  recordSet: 'cr:recordSet',
  source: 'cr:source',
};

/** @returns undefined if facts are missing */
export function croissantDataset(facts: DatasetFacts): Readonly<Record<string, unknown>> | undefined {
  const [file] = facts.distributions;
  const extract = file && extractorOf(file.format);
  if (!extract || missingFor('croissant', facts).length) return undefined;
  const ids = uniqueIds(facts.columns.map(({ name }) => name));
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    '@id': facts.url,
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    ...mapFacts(datasetMapping, 'croissant', facts),
    distribution: [
      { '@type': 'cr:FileObject', '@id': 'file', ...mapFacts(distributionMapping, 'croissant', file as Distribution) },
    ],
    recordSet: [
      {
        '@type': 'cr:RecordSet',
        '@id': 'rows',
        name: 'rows',
        field: facts.columns.map((column, i) => ({
          '@type': 'cr:Field',
          '@id': `rows/${ids[i]}`,
          ...mapFacts(columnMapping, 'croissant', column),
          source: { fileObject: { '@id': 'file' }, extract: extract(column) },
        })),
      },
    ],
  };
}

/** Names as parts of an IRI, each once. */
function uniqueIds(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let id = encodeURIComponent(name.toWellFormed());
    for (let n = 2; seen.has(id); n++) id = `${encodeURIComponent(name.toWellFormed())}-${n}`;
    seen.add(id);
    return id;
  });
}
