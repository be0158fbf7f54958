/** Turtle (RDF 1.1) from our JSON-LD, whose keys have the prefixes of `rdfPrefixes`. */
import { DataFactory, type Quad, type Quad_Object, type Quad_Subject, Writer } from 'n3';
import type { RdfNode } from './dcat.ts';
import { rdfPrefixes } from './rdf-values.ts';

const { blankNode, literal, namedNode, quad } = DataFactory;
const rdfType = namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');

/** The nodes as a document of Turtle. */
export function turtleDocument(nodes: readonly RdfNode[]): string {
  const writer = new Writer({ prefixes: rdfPrefixes });
  for (const node of nodes) writer.addQuads([...quadsOf(node).quads]);
  let text = '';
  writer.end((error, result) => {
    if (error) throw error;
    text = result;
  });
  return text;
}

/** The quads of a node, with those of the nodes in it. */
function quadsOf(node: RdfNode): { readonly subject: Quad_Subject; readonly quads: readonly Quad[] } {
  const { '@id': id, '@type': type, ...properties } = node;
  const subject = typeof id === 'string' ? namedNode(expand(id)) : blankNode();
  const quads: Quad[] = [];
  const innerQuads: Quad[] = [];
  if (typeof type === 'string') quads.push(quad(subject, rdfType, namedNode(expand(type))));
  for (const [name, value] of Object.entries(properties))
    for (const one of Array.isArray(value) ? value : [value]) {
      const { object, quads: inner } = objectOf(one);
      quads.push(quad(subject, namedNode(expand(name)), object));
      innerQuads.push(...inner);
    }
  return { subject, quads: [...quads, ...innerQuads] };
}

function objectOf(value: unknown): { readonly object: Quad_Object; readonly quads: readonly Quad[] } {
  if (typeof value === 'string') return { object: literal(value), quads: [] };
  const node = value as RdfNode;
  const { '@value': text, '@type': type, '@language': language } = node;
  if (typeof text === 'string') {
    const kind = typeof language === 'string' ? language : namedNode(expand(String(type)));
    return { object: literal(text, kind), quads: [] };
  }
  const { subject, quads } = quadsOf(node);
  return { object: subject as Quad_Object, quads };
}

/** The IRI of a name with a prefix; other IRIs as they are. */
function expand(name: string): string {
  const [prefix = '', rest = ''] = name.split(/:(.*)/s);
  const start = Object.hasOwn(rdfPrefixes, prefix) ? rdfPrefixes[prefix as keyof typeof rdfPrefixes] : undefined;
  return start === undefined ? name : start + rest;
}
