/** A dataset in Croissant 1.1 (MLCommons): its files, and the fields in them. */
import { extractorOf } from './croissant-extract.ts';
import type { DatasetFacts, Distribution } from './facts.ts';
import type { FileColumn } from './file-columns.ts';
import { columnMapping, croissantTypes, datasetMapping, distributionMapping, mapFacts } from './mapping.ts';
import { missingFor } from './requirements.ts';

/** The context of the official examples. Appendix 1 of the specification has schema.org with http, which the reference implementation doesn't know. */
const context = {
  '@vocab': 'https://schema.org/',
  sc: 'https://schema.org/',
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

/**
 * A column of CSV is text if its numbers or dates have a form that programs don't read by themselves: `01.02.2024` would be the
 * 2nd of January to them. Croissant has a format for dates, but which one it is isn't known.
 * @returns undefined if facts are missing
 */
export function croissantDataset(facts: DatasetFacts): Readonly<Record<string, unknown>> | undefined {
  const [file] = facts.distributions;
  const extract = file && extractorOf(file.format);
  if (!extract || missingFor('croissant', facts).length) return undefined;
  const columns = columnsByName(file);
  const ids = uniqueIds(columns.map(({ column }) => column.name));
  const description = linesAboveHeader(file);
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    '@id': facts.url,
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    ...mapFacts(datasetMapping, 'croissant', facts),
    distribution: [
      {
        ...{ '@type': 'cr:FileObject', '@id': 'file' },
        ...mapFacts(distributionMapping, 'croissant', file),
        ...(description && { description }),
      },
    ],
    ...(columns.length && {
      recordSet: [
        {
          '@type': 'cr:RecordSet',
          '@id': 'rows',
          name: 'rows',
          field: columns.map((one, i) => ({
            '@type': 'cr:Field',
            '@id': `rows/${ids[i]}`,
            ...mapFacts(columnMapping, 'croissant', one.column),
            ...(file.csv.forms.has(one.column.name) && { dataType: croissantTypes.string }),
            source: { fileObject: { '@id': 'file' }, extract: extract(one) },
          })),
        },
      ],
    }),
  };
}

/** The columns that a program finds by their names: it looks for them in the first line of a CSV. */
const columnsByName = ({ format, csv, columns }: Distribution): readonly FileColumn[] =>
  isCsv(format) && (!csv.header || csv.skip > 0) ? [] : columns();

/** A sentence about a CSV whose first line has no names: Croissant has no property for it. */
function linesAboveHeader({ format, csv: { header, skip } }: Distribution): string | undefined {
  if (!isCsv(format) || (header && skip === 0)) return undefined;
  const lines = `${skip} ${skip === 1 ? 'line stands' : 'lines stand'} above`;
  if (header) return `${lines} the names of the columns.`;
  return `The columns have no names in it${skip > 0 ? `, and ${lines} the first row` : ''}.`;
}

const isCsv = (format: string): boolean => format === 'csv' || format === 'tsv';

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
