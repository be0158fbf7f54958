/** Turtle (RDF 1.1) from our JSON-LD, whose keys have the prefixes of `rdfPrefixes`. */
import { DataFactory, type Quad, type Quad_Object, type Quad_Subject, Writer } from 'n3';
import type { RdfNode } from './dcat.ts';
import { type RdfValue, rdfPrefixes } from './rdf-values.ts';

const { blankNode, literal, namedNode, quad } = DataFactory;
const rdfType = namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');

/** The nodes as a document of Turtle. */
export function turtleDocument(nodes: readonly RdfNode[]): string {
  const document = new TurtleDocument();
  return nodes.map((node) => document.add(node)).join('') + document.end();
}

/** A document of Turtle, node by node. The labels of blank nodes are the same each time, so that the bytes are. */
export class TurtleDocument {
  #text = '';
  #nodes = 0;
  readonly #writer = new Writer(
    {
      write: (text: string, _encoding: string, done?: () => void) => {
        this.#text += text;
        done?.();
      },
      end: (done?: () => void) => done?.(),
    },
    { prefixes: rdfPrefixes },
  );

  /** Adds a node, with the nodes in it. @returns the text up to its end, but for the full stop */
  add(node: RdfNode): string {
    const { own, inner } = quadsOf(node, this.#labelsOfNextNode());
    this.#writer.addQuads([...own, ...inner]);
    return this.#takeText();
  }

  /**
   * Adds a node whose last property may have any number of values.
   * @param values of the property, without blank nodes
   * @returns the text up to its end, but for the full stop; nothing else may be added before all of it was taken
   */
  async *addInParts(
    node: RdfNode,
    property: string,
    values: AsyncIterable<RdfValue>,
  ): AsyncGenerator<string, void, undefined> {
    const label = this.#labelsOfNextNode();
    const { subject, own, inner } = quadsOf(node, label);
    this.#writer.addQuads([...own]);
    yield this.#takeText();
    const predicate = namedNode(expand(property));
    for await (const value of values) {
      this.#writer.addQuad(subject, predicate, objectOf(value, label).object);
      yield this.#takeText();
    }
    this.#writer.addQuads([...inner]);
    yield this.#takeText();
  }

  /** Ends the document. @returns the rest of its text */
  end(): string {
    this.#writer.end();
    return this.#takeText();
  }

  #labelsOfNextNode(): MakeLabel {
    const number = this.#nodes++;
    let count = 0;
    return () => `b${number}x${count++}`;
  }

  #takeText(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

/** Makes the label of the next blank node. */
type MakeLabel = () => string;

interface NodeQuads {
  readonly subject: Quad_Subject;
  /** Of the node itself. */
  readonly own: readonly Quad[];
  /** Of the nodes in it. */
  readonly inner: readonly Quad[];
}

function quadsOf(node: RdfNode, label: MakeLabel): NodeQuads {
  const { '@id': id, '@type': type, ...properties } = node;
  const subject = typeof id === 'string' ? namedNode(expand(id)) : blankNode(label());
  const own: Quad[] = [];
  const inner: Quad[] = [];
  if (typeof type === 'string') own.push(quad(subject, rdfType, namedNode(expand(type))));
  for (const [name, value] of Object.entries(properties))
    for (const one of Array.isArray(value) ? value : [value]) {
      const { object, quads } = objectOf(one, label);
      own.push(quad(subject, namedNode(expand(name)), object));
      inner.push(...quads);
    }
  return { subject, own, inner };
}

function objectOf(value: unknown, label: MakeLabel): { readonly object: Quad_Object; readonly quads: readonly Quad[] } {
  if (typeof value === 'string') return { object: literal(value), quads: [] };
  const node = value as RdfNode;
  const { '@value': text, '@type': type, '@language': language } = node;
  if (typeof text === 'string') {
    const kind = typeof language === 'string' ? language : namedNode(expand(String(type)));
    return { object: literal(text, kind), quads: [] };
  }
  const { subject, own, inner } = quadsOf(node, label);
  return { object: subject as Quad_Object, quads: [...own, ...inner] };
}

/** The IRI of a name with a prefix; other IRIs as they are. */
function expand(name: string): string {
  const colon = name.indexOf(':');
  const prefix = name.slice(0, Math.max(0, colon));
  return Object.hasOwn(rdfPrefixes, prefix)
    ? rdfPrefixes[prefix as keyof typeof rdfPrefixes] + name.slice(colon + 1)
    : name;
}
