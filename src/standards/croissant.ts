/** A dataset in Croissant 1.1 (MLCommons): its files, and the fields in them. */
import type { Column } from '../catalogue/types.ts';
import type { DatasetFacts, Distribution } from './facts.ts';
import { columnMapping, datasetMapping, distributionMapping, mapFacts } from './mapping.ts';

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

/** Facts that Croissant demands and that a dataset lacks, as names of fields; none if there can be a document. */
export function missingForCroissant({ licence, issued, columns, distributions }: DatasetFacts): readonly string[] {
  const [original] = distributions;
  return [
    ...(licence ? [] : ['licence']),
    ...(issued && original?.checksum && extractorOf(original.format) ? [] : ['a version with a file of columns']),
    ...(columns.length ? [] : ['columns']),
  ];
}

/** @returns undefined if facts are missing */
export function croissantDataset(facts: DatasetFacts): Readonly<Record<string, unknown>> | undefined {
  const [file] = facts.distributions;
  const extract = file && extractorOf(file.format);
  if (!extract || missingForCroissant(facts).length) return undefined;
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

type Extractor = (column: Column) => Readonly<Record<string, string>>;

const byColumn: Extractor = ({ name }) => ({ column: name });
/** Where the values of a column are in a file; undefined for formats that Croissant can't look into. */
function extractorOf(format: string): Extractor | undefined {
  if (['csv', 'tsv', 'parquet', 'geoparquet'].includes(format)) return byColumn;
  if (format === 'geojson')
    return ({ name, type }) => ({
      jsonPath: type === 'geometry' ? '$.features[*].geometry' : `$.features[*].properties[${JSON.stringify(name)}]`,
    });
  if (['ndjson', 'jsonl'].includes(format)) return ({ name }) => ({ jsonPath: `$[${JSON.stringify(name)}]` });
  return undefined;
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
