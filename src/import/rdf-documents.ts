/** RDF documents as quads: Turtle and its kin by n3, RDF/XML by rdfxml-streaming-parser, JSON-LD by jsonld. */
import { once } from 'node:events';
import type { Quad } from 'n3';
import { ValidationError } from '../catalogue/errors.ts';
import { type Documents, maxWholeDocument, parseJson, readJsonDocument } from './documents.ts';
import { isHttpAddress } from './links.ts';

/** Most documents with contexts that one document may need. */
const maxContexts = 10;

/**
 * The quads of a document.
 * @param documents of the source, for contexts on its own host
 * @throws ValidationError that says what is broken, or which context is not fetched
 */
export async function readQuads(text: string, address: string, documents: Documents): Promise<readonly Quad[]> {
  const start = text.trimStart();
  if (/^<(?:\?xml|!|rdf:RDF|\w+:RDF|RDF)/i.test(start)) return readRdfXml(text, address);
  if (/^[[{]/.test(start)) return readJsonLd(parseJson(text, address), address, documents);
  const { Parser } = await import('n3');
  try {
    return new Parser(isHttpAddress(address) ? { baseIRI: address } : {}).parse(text);
  } catch (error) {
    throw new ValidationError({ source: [`${address} is not valid Turtle: ${(error as Error).message}`] });
  }
}

async function readRdfXml(text: string, address: string): Promise<Quad[]> {
  assertEntitiesAreShort(text, address);
  // The parser takes what breaks off for complete.
  const root = /<(\w[\w.:-]*)[\s>]/.exec(text.replace(/<!--[\s\S]*?-->/g, ''))?.[1] ?? '';
  if (!text.includes(`</${root}`)) throw refused(address, 'is not valid RDF/XML: it breaks off');
  const { RdfXmlParser } = await import('rdfxml-streaming-parser');
  const parser = new RdfXmlParser(isHttpAddress(address) ? { baseIRI: address } : {});
  const quads: Quad[] = [];
  parser.on('data', (quad: Quad) => quads.push(quad));
  const ended = once(parser, 'end');
  try {
    parser.end(text);
    await ended;
  } catch (error) {
    throw new ValidationError({ source: [`${address} is not valid RDF/XML: ${(error as Error).message}`] });
  }
  return quads;
}

/** Refuses entities by which a text would grow. The parser expands them once: they can't hold others. */
function assertEntitiesAreShort(text: string, address: string): void {
  const lengths = [...text.slice(0, 100_000).matchAll(/<!ENTITY\s+[^\s"']+\s+["']([^"']*)["']/g)].map(
    ([, value = '']) => value.length,
  );
  if (lengths.length === 0) return;
  const references = text.split('&').length - 1;
  if (references * Math.max(...lengths) > maxWholeDocument)
    throw new ValidationError({ source: [`${address} has entities by which it grows too much. It was not read.`] });
}

async function readJsonLd(value: unknown, address: string, documents: Documents): Promise<Quad[]> {
  const { default: jsonld } = await import('jsonld');
  let contexts = 0;
  const documentLoader = async (url: string) => {
    if (++contexts > maxContexts) throw refused(address, `has more than ${maxContexts} contexts in other documents`);
    if (!isHttpAddress(address) || !URL.canParse(url) || new URL(url).host !== new URL(address).host)
      throw refused(
        address,
        `has its context at ${url}, which is not fetched: it is not on the host of the source. Write the context into the document, or give it as Turtle`,
      );
    return { contextUrl: undefined, documentUrl: url, document: (await readJsonDocument(documents, url)) as object };
  };
  try {
    const quads = await jsonld.toRDF(
      value as object,
      {
        documentLoader,
        ...(isHttpAddress(address) && { base: address }),
      } as never,
    );
    return quads as unknown as Quad[];
  } catch (error) {
    const cause = findRefusal(error);
    if (cause) throw cause;
    throw refused(address, `is not valid JSON-LD: ${(error as Error).message.slice(0, 300)}`);
  }
}

const refused = (address: string, reason: string) => new ValidationError({ source: [`${address} ${reason}.`] });

/** The refusal that the library has wrapped in errors of its own; undefined if it is none. */
function findRefusal(error: unknown): ValidationError | undefined {
  if (error instanceof ValidationError) return error;
  const { cause, details } = Object(error) as { cause?: unknown; details?: { cause?: unknown } };
  const inner = details?.cause ?? cause;
  return inner === undefined || inner === error ? undefined : findRefusal(inner);
}
