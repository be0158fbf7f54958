/** Records of a namespace that can't be read at the moment: a dataset that one of them may be is not imported a second time. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import { parseCataloguePath } from '../catalogue/layout.ts';

export interface BrokenRecord {
  readonly path: string;
  readonly slug: string;
  /** What is wrong, with its line. */
  readonly problem: string;
  /** Values of keys named `id` below another key, as they are written: one is the identifier at the source. */
  readonly ids: readonly string[];
}

const idBelowKey = /^[ \t]+"?id"?[ \t]*:[ \t]*(.+?)[ \t]*$/gm;

export async function findBrokenRecords(catalogue: Catalogue, namespace: string): Promise<readonly BrokenRecord[]> {
  const broken: BrokenRecord[] = [];
  for await (const { path, record, ref, problems } of listAll(catalogue, 'file', {
    filters: { status: ['invalid'] },
  })) {
    if (record !== 'dataset' || ref !== null) continue;
    const info = parseCataloguePath(path);
    if (info.kind !== 'record' || info.ref.kind !== 'dataset' || info.ref.namespace !== namespace) continue;
    const text = (await collectText(catalogue.replica.read(path))) ?? '';
    const [{ line = 1, message = 'It is broken.' } = {}] = problems;
    const ids = [...text.matchAll(idBelowKey)].map(([, id = '']) => id);
    broken.push({ path, slug: info.ref.slug, problem: `line ${line}: ${message}`, ids });
  }
  return broken;
}

/** The text of a stream; null if there is no such file. */
export async function collectText(opening: Promise<AsyncIterable<Uint8Array>>): Promise<string | null> {
  try {
    const parts: Uint8Array[] = [];
    for await (const part of await opening) parts.push(part);
    return Buffer.concat(parts).toString('utf8');
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** True if a record has an identifier, as it may be written: in quotes, before a comma of JSON, or before a comment. */
export const hasId = ({ ids }: BrokenRecord, id: string): boolean =>
  ids.some((written) => {
    const text = written.replace(/^["']/, '');
    return text.startsWith(id) && /^["']?,?(?:[ \t]+#.*)?$/.test(text.slice(id.length));
  });
