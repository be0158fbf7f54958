/** Documents in the standards of the field: of one dataset, and of the whole catalogue. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Dataset, Namespace } from '../catalogue/types.ts';
import { croissantDataset } from '../standards/croissant.ts';
import { dataPackage } from '../standards/data-package.ts';
import { datasetProperty, dcatCatalogue, dcatDataset, jsonLdDocument } from '../standards/dcat.ts';
import { dcatUsCatalogue, dcatUsDataset } from '../standards/dcat-us.ts';
import {
  type CatalogueFacts,
  catalogueFacts,
  type DatasetFacts,
  datasetFacts,
  datasetUrl,
} from '../standards/facts.ts';
import { type Standard, standardNames } from '../standards/mapping.ts';
import { iri } from '../standards/rdf-values.ts';
import { missingFor } from '../standards/requirements.ts';
import { schemaOrgDataset } from '../standards/schema-org.ts';
import { stacCollection } from '../standards/stac.ts';
import { streamParts } from './document-in-parts.ts';
import { MissingDocumentError } from './errors.ts';
import { listInTurns } from './in-turns.ts';
import { type Handler, type RequestContext, refFromRouteParams } from './route.ts';

/** A document of one dataset. */
interface DatasetDocument {
  readonly type: string;
  /** @throws NotFoundError that says which facts are missing */
  readonly text: (facts: DatasetFacts) => string | Promise<string>;
}

/** Loads what writes Turtle. n3 brings forty modules: a server doesn't wait for them at its start. */
export const loadTurtle = (): Promise<typeof import('../standards/turtle.ts')> => import('../standards/turtle.ts');

const jsonLd = 'application/ld+json';

/** The documents of a dataset, by the name at the end of their address. */
export const datasetDocuments = {
  'schema.jsonld': { type: jsonLd, text: (facts) => toJson(schemaOrgDataset(facts)) },
  'dcat.jsonld': { type: jsonLd, text: (facts) => toJson(jsonLdDocument([dcatDataset(facts)])) },
  'dcat.ttl': {
    type: 'text/turtle',
    text: async (facts) => (await loadTurtle()).turtleDocument([dcatDataset(facts)]),
  },
  'datapackage.json': {
    type: 'application/json',
    text: (facts) => toJson(dataPackage(facts) ?? refuse('dataPackage', facts)),
  },
  'croissant.json': {
    type: jsonLd,
    text: (facts) => toJson(croissantDataset(facts) ?? refuse('croissant', facts)),
  },
  'stac.json': {
    type: 'application/json',
    text: (facts) => toJson(stacCollection(facts) ?? refuse('stac', facts)),
  },
} as const satisfies Readonly<Record<string, DatasetDocument>>;

export const datasetDocumentNames = Object.keys(datasetDocuments) as readonly (keyof typeof datasetDocuments)[];

/** Standards whose document a dataset may lack, by the name of the document. */
const demanding: { readonly [N in keyof typeof datasetDocuments]?: Standard } = {
  'datapackage.json': 'dataPackage',
  'croissant.json': 'croissant',
  'stac.json': 'stac',
};

interface LackingDocuments {
  readonly settings: object;
  readonly paths: ReadonlySet<string>;
}
/** Documents that datasets lack; found once for as long as dataset and settings are the same. */
const lacking = new WeakMap<Dataset, LackingDocuments>();

/** Names of the documents that a dataset lacks, since their standards demand facts that it doesn't have. */
export function documentsLacking(
  request: Pick<RequestContext, 'catalogue' | 'links'>,
  dataset: Dataset,
): ReadonlySet<string> {
  const { settings } = request.catalogue;
  let known = lacking.get(dataset);
  if (known?.settings !== settings) {
    const facts = datasetFacts(factsOf(request), dataset, undefined);
    const without = Object.entries(demanding).filter(([, standard]) => missingFor(standard, facts).length > 0);
    known = { settings, paths: new Set(without.map(([name]) => name)) };
    lacking.set(dataset, known);
  }
  return known.paths;
}

/** A sentence with the facts that a dataset lacks for a standard. */
function sentenceAboutMissing(standard: Standard, facts: DatasetFacts): string {
  return `This dataset has no ${missingFor(standard, facts).join(', no ')}, which ${standardNames[standard]} demands.`;
}

function refuse(standard: Standard, facts: DatasetFacts): never {
  throw new NotFoundError(sentenceAboutMissing(standard, facts));
}

export function makeDatasetDocumentHandler(name: keyof typeof datasetDocuments): Handler {
  return async (request) => {
    const { catalogue, params } = request;
    const dataset = await catalogue.get<'dataset'>(refFromRouteParams('dataset', params));
    const namespace = await namespaceOf(catalogue, dataset);
    const facts = datasetFacts(factsOf(request), dataset, namespace);
    const { type, text } = datasetDocuments[name];
    const paths = documentsLacking(request, dataset);
    const standard = demanding[name];
    if (standard && paths.has(name)) throw new MissingDocumentError(sentenceAboutMissing(standard, facts), paths);
    return { title: name, type, dependsOn: [dataset, namespace], json: () => text(facts) };
  };
}

export const factsOf = ({ catalogue, links }: Pick<RequestContext, 'catalogue' | 'links'>): CatalogueFacts =>
  catalogueFacts(catalogue.settings, links.base);

/** The namespace of a dataset; undefined if the viewer may see single datasets of it only. */
export async function namespaceOf(
  catalogue: Catalogue,
  { namespace }: Pick<Dataset, 'namespace'>,
): Promise<Namespace | undefined> {
  return catalogue.get<'namespace'>({ kind: 'namespace', slug: namespace }).catch((error) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
}

interface DatasetWithFacts {
  readonly dataset: Dataset;
  readonly facts: DatasetFacts;
}

/**
 * All datasets that the viewer may see with their facts, in turns with other requests. One that can't be described is left
 * out and logged.
 * @param namespace slug of the only namespace that is wanted
 * @param isWanted tells whether facts of a dataset are wanted; by default, those of all are
 */
export async function* allDatasets(
  request: Pick<RequestContext, 'catalogue' | 'links' | 'ctx'>,
  namespace?: string,
  isWanted: (dataset: Dataset) => boolean = () => true,
): AsyncGenerator<DatasetWithFacts, void, undefined> {
  const { catalogue } = request;
  const facts = factsOf(request);
  const namespaces = new Map<string, Namespace | undefined>();
  for await (const dataset of listInTurns(request, 'dataset', { namespace })) {
    if (!isWanted(dataset)) continue;
    if (!namespaces.has(dataset.namespace)) namespaces.set(dataset.namespace, await namespaceOf(catalogue, dataset));
    const described = tryToDescribe(request, () => datasetFacts(facts, dataset, namespaces.get(dataset.namespace)));
    if (described) yield { dataset, facts: described };
  }
}

/**
 * Texts about all datasets that the viewer may see. One that can't be described is left out and logged, so that it doesn't
 * cost the others.
 * @param describe returns undefined to leave a dataset out
 */
export async function* describeDatasets(
  request: Pick<RequestContext, 'catalogue' | 'links' | 'ctx'>,
  describe: (facts: DatasetFacts) => string | undefined,
): AsyncGenerator<string, void, undefined> {
  for await (const { facts } of allDatasets(request)) {
    const text = tryToDescribe(request, () => describe(facts));
    if (text !== undefined) yield text;
  }
}

/** @returns undefined if it fails: then the error is logged */
export function tryToDescribe<T>({ ctx }: Pick<RequestContext, 'ctx'>, describe: () => T): T | undefined {
  try {
    return describe();
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    return undefined;
  }
}

/** DCAT-US 1.1. Datasets that lack what it demands are left out. */
export const dcatUsHandler: Handler = (request) =>
  streamParts(request, 'data.json', 'application/json', async function* () {
    yield `${toJson(dcatUsCatalogue(factsOf(request))).slice(0, -1)},"dataset":[`;
    let separator = '';
    const write = (facts: DatasetFacts) => {
      const dataset = dcatUsDataset(facts);
      return dataset && toJson(dataset);
    };
    for await (const text of describeDatasets(request, write)) {
      yield separator + text;
      separator = ',\n';
    }
    yield ']}';
  });

/** The addresses of all datasets, as values of RDF. */
async function* datasetIris(request: RequestContext) {
  const facts = factsOf(request);
  for await (const dataset of listInTurns(request, 'dataset')) yield iri(datasetUrl(facts, dataset));
}

/** DCAT-AP 3.0.1 in JSON-LD. */
export const dcatJsonLdHandler: Handler = (request) =>
  streamParts(request, 'catalog.jsonld', jsonLd, async function* () {
    const { '@context': context } = jsonLdDocument([]);
    const catalogue = toJson(dcatCatalogue(factsOf(request)));
    yield `{"@context":${toJson(context)},"@graph":[${catalogue.slice(0, -1)}`;
    let separator = `,"${datasetProperty}":[`;
    for await (const node of datasetIris(request)) {
      yield separator + toJson(node);
      separator = ',';
    }
    yield separator === ',' ? ']}' : '}';
    yield* describeDatasets(request, (facts) => `,\n${toJson(dcatDataset(facts))}`);
    yield ']}';
  });

/** DCAT-AP 3.0.1 in Turtle. */
export const dcatTurtleHandler: Handler = (request) =>
  streamParts(request, 'catalog.ttl', 'text/turtle', async function* () {
    const { TurtleDocument } = await loadTurtle();
    const document = new TurtleDocument();
    yield* document.addInParts(dcatCatalogue(factsOf(request)), datasetProperty, datasetIris(request));
    yield* describeDatasets(request, (facts) => document.add(dcatDataset(facts)));
    yield document.end();
  });
