/** Documents in the standards of the field: of one dataset, and of the whole catalogue. */
import { Readable } from 'node:stream';
import type { Catalogue, Page } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Dataset, Namespace } from '../catalogue/types.ts';
import { croissantDataset } from '../standards/croissant.ts';
import { dataPackage } from '../standards/data-package.ts';
import { dcatCatalogue, dcatDataset, jsonLdDocument, type RdfNode } from '../standards/dcat.ts';
import { dcatUsCatalogue, dcatUsDataset } from '../standards/dcat-us.ts';
import {
  type CatalogueFacts,
  catalogueFacts,
  type DatasetFacts,
  datasetFacts,
  datasetUrl,
} from '../standards/facts.ts';
import { type Standard, standardNames } from '../standards/mapping.ts';
import { missingFor } from '../standards/requirements.ts';
import { schemaOrgDataset } from '../standards/schema-org.ts';
import { stacCollection } from '../standards/stac.ts';
import { TurtleDocument, turtleDocument } from '../standards/turtle.ts';
import { MissingDocumentError } from './errors.ts';
import { cacheControl } from './files.ts';
import { type Handler, type RequestContext, refFromRouteParams } from './route.ts';
import { streamDocument } from './stream.ts';

/** A document of one dataset. */
interface DatasetDocument {
  readonly type: string;
  /** @throws NotFoundError that says which facts are missing */
  readonly text: (facts: DatasetFacts) => string;
}

const jsonLd = 'application/ld+json';

/** The documents of a dataset, by the name at the end of their address. */
export const datasetDocuments = {
  'schema.jsonld': { type: jsonLd, text: (facts) => toJson(schemaOrgDataset(facts)) },
  'dcat.jsonld': { type: jsonLd, text: (facts) => toJson(jsonLdDocument([dcatDataset(facts)])) },
  'dcat.ttl': { type: 'text/turtle', text: (facts) => turtleDocument([dcatDataset(facts)]) },
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

/** Facts of all datasets that the viewer may see. */
export async function* allDatasetFacts(
  request: Pick<RequestContext, 'catalogue' | 'links' | 'ctx'>,
): AsyncGenerator<DatasetFacts, void, undefined> {
  for await (const { facts } of allDatasets(request)) yield facts;
}

interface DatasetWithFacts {
  readonly dataset: Dataset;
  readonly facts: DatasetFacts;
}

/**
 * All datasets that the viewer may see with their facts, a page of the list at a time. One that can't be described is left
 * out and logged.
 * @param namespace slug of the only namespace that is wanted
 */
export async function* allDatasets(
  request: Pick<RequestContext, 'catalogue' | 'links' | 'ctx'>,
  namespace?: string,
): AsyncGenerator<DatasetWithFacts, void, undefined> {
  const { catalogue } = request;
  const facts = factsOf(request);
  const namespaces = new Map<string, Namespace | undefined>();
  const pageSize = catalogue.settings.max_page_size;
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
    const page: Page<Dataset> = await catalogue.list('dataset', { cursor, pageSize, namespace });
    for (const dataset of page.items) {
      if (!namespaces.has(dataset.namespace)) namespaces.set(dataset.namespace, await namespaceOf(catalogue, dataset));
      const described = tryToDescribe(request, () => datasetFacts(facts, dataset, namespaces.get(dataset.namespace)));
      if (described) yield { dataset, facts: described };
    }
    cursor = page.nextCursor;
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
function tryToDescribe<T>({ ctx }: Pick<RequestContext, 'ctx'>, describe: () => T): T | undefined {
  try {
    return describe();
  } catch (error) {
    ctx.app.emit('error', error, ctx);
    return undefined;
  }
}

const tags = new WeakMap<object, string>();
/** A strong validator of a document about a revision of the catalogue as one viewer sees it. */
function tagOfRevision({ revision }: Catalogue): string {
  const tag = tags.get(revision) ?? crypto.randomUUID();
  tags.set(revision, tag);
  return tag;
}

/** Datasets that are written in one turn of the event loop. */
const datasetsAtOnce = 20;

/** Streams a document about all datasets. @param parts texts in their order */
export async function streamParts(
  { ctx, catalogue, viewer }: Pick<RequestContext, 'ctx' | 'catalogue' | 'viewer'>,
  fileName: string,
  contentType: string,
  parts: () => AsyncGenerator<string, void, undefined>,
): Promise<undefined> {
  async function* chunks() {
    let [text, count] = ['', 0];
    for await (const part of parts()) {
      text += part;
      if (++count % datasetsAtOnce) continue;
      yield Buffer.from(text);
      text = '';
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield Buffer.from(text);
  }
  await streamDocument(ctx, {
    // Documents of one revision may have the same address.
    tag: `${tagOfRevision(catalogue)}-${fileName}`,
    compressible: true,
    contentType,
    fileName,
    headers: { 'Cache-Control': cacheControl(viewer) },
    stream: () => Readable.from(chunks(), { objectMode: false }),
  });
  return undefined;
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

/** The node of the catalogue, with the addresses of its datasets. */
async function catalogueNode(request: RequestContext): Promise<RdfNode> {
  const facts = factsOf(request);
  const urls: string[] = [];
  for await (const dataset of listAll(request.catalogue, 'dataset')) urls.push(datasetUrl(facts, dataset));
  return dcatCatalogue(facts, urls);
}

/** DCAT-AP 3.0.1 in JSON-LD. */
export const dcatJsonLdHandler: Handler = (request) =>
  streamParts(request, 'catalog.jsonld', jsonLd, async function* () {
    const { '@context': context } = jsonLdDocument([]);
    yield `{"@context":${toJson(context)},"@graph":[${toJson(await catalogueNode(request))}`;
    yield* describeDatasets(request, (facts) => `,\n${toJson(dcatDataset(facts))}`);
    yield ']}';
  });

/** DCAT-AP 3.0.1 in Turtle. */
export const dcatTurtleHandler: Handler = (request) =>
  streamParts(request, 'catalog.ttl', 'text/turtle', async function* () {
    const document = new TurtleDocument();
    yield document.add(await catalogueNode(request));
    yield* describeDatasets(request, (facts) => document.add(dcatDataset(facts)));
    yield document.end();
  });
