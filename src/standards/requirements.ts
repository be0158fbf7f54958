/** What the standards demand of a dataset, and what the tools that read them want: for refusals, and for `catalogue check --standards`. */
import { extractorOf } from './croissant-extract.ts';
import { type CatalogueFacts, type DatasetFacts, shortestDescription } from './facts.ts';
import { type Standard, standardNames } from './mapping.ts';

/** What happens without a fact: the dataset has no document, or one that is less use. */
type Effect = 'refused' | 'degraded';

interface Requirement<Facts> {
  /** Field of the record, or the part of the dataset, that is missing. */
  readonly field: string;
  readonly isMet: (facts: Facts) => boolean;
  /** Words for what the record has in its place, if it has something. */
  readonly insufficient?: (facts: Facts) => string | undefined;
  readonly effects: { readonly [S in Standard]?: Effect };
  /** What happens to the published file itself, if it is none of the documents that is affected. */
  readonly effectOnFile?: string;
  /** What the reader of the documents gets instead, and what to write: sentences. */
  readonly advice: string | ((facts: Facts) => string);
}

const publishOne = (facts: DatasetFacts) => `Publish one: catalogue publish <file> --to ${refOf(facts)}`;

const requirements: readonly Requirement<DatasetFacts>[] = [
  {
    field: 'version',
    isMet: ({ modified, distributions }) => modified !== undefined || distributions.length > 0,
    effects: { croissant: 'refused', dcatUs: 'refused', dataPackage: 'refused', stac: 'refused' },
    advice: publishOne,
  },
  {
    field: 'version',
    // DCAT-US takes a dataset without files if its record says when it was changed.
    isMet: ({ modified, distributions }) => modified === undefined || distributions.length > 0,
    effects: { croissant: 'refused', dataPackage: 'refused', stac: 'refused' },
    advice: publishOne,
  },
  {
    field: 'licence',
    isMet: ({ licence }) => licence !== undefined,
    insufficient: ({ rights }) => rights && 'licence only in words, which programs do not understand',
    effects: {
      croissant: 'refused',
      schemaOrg: 'degraded',
      dcat: 'degraded',
      dataPackage: 'degraded',
      stac: 'degraded',
    },
    advice:
      'Write an SPDX identifier or the URL of the licence, here or for all datasets in catalogue.yaml: licence: CC-BY-4.0',
  },
  {
    field: 'contact with an e-mail address',
    isMet: ({ contact }) => contact?.email !== undefined,
    insufficient: ({ hasContact }) => (hasContact ? 'contact without an e-mail address' : undefined),
    effects: { dcatUs: 'refused', dcat: 'degraded' },
    advice: 'Write it here or for all datasets in catalogue.yaml: contact: Data office <data@example.org>',
  },
  {
    field: 'file whose columns can be named',
    isMet: ({ columns, distributions: [original] }) =>
      columns.length > 0 && original?.checksum !== undefined && extractorOf(original.format) !== undefined,
    effects: { croissant: 'refused' },
    advice: (facts) =>
      `Publish CSV, GeoJSON, newline-delimited JSON or Parquet here, not only its URL: catalogue publish <file> --to ${refOf(facts)}`,
  },
  {
    field: 'description',
    isMet: ({ hasDescription, description }) => hasDescription && description.length >= shortestDescription,
    insufficient: ({ hasDescription }) =>
      hasDescription ? `description of fewer than ${shortestDescription} characters` : undefined,
    effects: { schemaOrg: 'degraded', dcat: 'degraded', dcatUs: 'degraded' },
    advice: `Google Dataset Search wants ${shortestDescription} to 5,000 characters; the documents go on with a sentence about the table.`,
  },
  {
    field: 'keywords',
    isMet: ({ keywords }) => keywords.length > 0,
    effects: { schemaOrg: 'degraded', dcat: 'degraded', dcatUs: 'degraded' },
    advice: 'Portals sort datasets by them: keywords: [trees, parks]',
  },
  {
    field: 'rings in the direction of RFC 7946',
    isMet: ({ countMisdirectedRings }) => countMisdirectedRings() === 0,
    insufficient: ({ countMisdirectedRings }) => {
      const count = countMisdirectedRings();
      return `${count} ${count === 1 ? 'ring has' : 'rings have'} another direction than RFC 7946 demands`;
    },
    effects: {},
    effectOnFile: 'the published file is not valid GeoJSON',
    advice: (facts) =>
      `Convert it and publish it again: ogr2ogr -lco RFC7946=YES converted.geojson <file> && catalogue publish converted.geojson --to ${refOf(facts)}`,
  },
];

/** Name of a dataset at the command line. */
const refOf = ({ name }: DatasetFacts): string => name.replace('.', '/');

const catalogueRequirements: readonly Requirement<CatalogueFacts>[] = [
  {
    field: 'publisher',
    isMet: ({ publisher }) => publisher !== undefined,
    effects: { dcat: 'refused' },
    advice: 'Write who publishes the catalogue: publisher: Town of Springfield',
  },
  {
    field: 'description',
    isMet: ({ description }) => description !== undefined,
    effects: { dcat: 'refused' },
    advice: 'Write what the catalogue holds: description: …',
  },
  {
    field: 'language',
    isMet: ({ language }) => language !== undefined,
    effects: { schemaOrg: 'degraded', dcat: 'degraded' },
    advice: 'Write its BCP 47 tag: language: en',
  },
];

/** Names of what a standard demands and the dataset lacks; none if the dataset has a document. */
export const missingFor = (standard: Standard, facts: DatasetFacts): readonly string[] =>
  requirements
    .filter(({ effects, isMet }) => effects[standard] === 'refused' && !isMet(facts))
    .map(({ field }) => field);

/** A sentence for each fact that is missing: which standards refuse or degrade the dataset, and what to write. */
export const datasetShortcomings = (facts: DatasetFacts): readonly string[] => shortcomings(requirements, facts);
/** The same for the catalogue as a whole. */
export const catalogueShortcomings = (facts: CatalogueFacts): readonly string[] =>
  shortcomings(catalogueRequirements, facts);

function shortcomings<Facts>(rows: readonly Requirement<Facts>[], facts: Facts): readonly string[] {
  return rows
    .filter(({ isMet }) => !isMet(facts))
    .map(({ field, insufficient, effects, effectOnFile, advice }) => {
      const listed = (effect: Effect) =>
        (Object.keys(effects) as Standard[])
          .filter((standard) => effects[standard] === effect)
          .map((standard) => standardNames[standard])
          .join(', ');
      const [refused, degraded] = [listed('refused'), listed('degraded')];
      const result = [refused && `refused by ${refused}`, degraded && `incomplete in ${degraded}`, effectOnFile].filter(
        Boolean,
      );
      const problem = insufficient?.(facts) ?? `no ${field}`;
      return `${problem}: ${result.join('; ')}. ${typeof advice === 'string' ? advice : advice(facts)}`;
    });
}

/** What becomes of a dataset in a standard. */
export type Outcome = 'complete' | 'incomplete' | 'refused';

export function outcomeIn(standard: Standard, facts: DatasetFacts): Outcome {
  const effects = requirements.filter(({ isMet }) => !isMet(facts)).map((one) => one.effects[standard]);
  if (effects.includes('refused')) return 'refused';
  return effects.includes('degraded') ? 'incomplete' : 'complete';
}
