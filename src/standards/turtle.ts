/** Turtle (RDF 1.1) from our JSON-LD, whose keys have the prefixes of `rdfPrefixes`. */
import { DataFactory, type Quad, type Quad_Object, type Quad_Subject, Writer } from 'n3';
import type { RdfNode } from './dcat.ts';
import { rdfPrefixes } from './rdf-values.ts';

const { blankNode, literal, namedNode, quad } = DataFactory;
const rdfType = namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');

/**
 * The nodes as a document of Turtle. The labels of blank nodes are the same each time, so that the bytes are.
 * @param part number of the document, if several are joined to one: labels must differ
 */
export function turtleDocument(nodes: readonly RdfNode[], part = 0): string {
  let count = 0;
  const label: MakeLabel = () => `b${part}x${count++}`;
  const writer = new Writer({ prefixes: rdfPrefixes });
  for (const node of nodes) writer.addQuads([...quadsOf(node, label).quads]);
  let text = '';
  writer.end((error, result) => {
    if (error) throw error;
    text = result;
  });
  return text;
}

/** Makes the label of the next blank node. */
type MakeLabel = () => string;

/** The quads of a node, with those of the nodes in it. */
function quadsOf(node: RdfNode, label: MakeLabel): { readonly subject: Quad_Subject; readonly quads: readonly Quad[] } {
  const { '@id': id, '@type': type, ...properties } = node;
  const subject = typeof id === 'string' ? namedNode(expand(id)) : blankNode(label());
  const quads: Quad[] = [];
  const innerQuads: Quad[] = [];
  if (typeof type === 'string') quads.push(quad(subject, rdfType, namedNode(expand(type))));
  for (const [name, value] of Object.entries(properties))
    for (const one of Array.isArray(value) ? value : [value]) {
      const { object, quads: inner } = objectOf(one, label);
      quads.push(quad(subject, namedNode(expand(name)), object));
      innerQuads.push(...inner);
    }
  return { subject, quads: [...quads, ...innerQuads] };
}

function objectOf(value: unknown, label: MakeLabel): { readonly object: Quad_Object; readonly quads: readonly Quad[] } {
  if (typeof value === 'string') return { object: literal(value), quads: [] };
  const node = value as RdfNode;
  const { '@value': text, '@type': type, '@language': language } = node;
  if (typeof text === 'string') {
    const kind = typeof language === 'string' ? language : namedNode(expand(String(type)));
    return { object: literal(text, kind), quads: [] };
  }
  const { subject, quads } = quadsOf(node, label);
  return { object: subject as Quad_Object, quads };
}

/** The IRI of a name with a prefix; other IRIs as they are. */
function expand(name: string): string {
  const [prefix = '', rest = ''] = name.split(/:(.*)/s);
  const start = Object.hasOwn(rdfPrefixes, prefix) ? rdfPrefixes[prefix as keyof typeof rdfPrefixes] : undefined;
  return start === undefined ? name : start + rest;
}
