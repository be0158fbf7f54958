/** The trash of a remote catalogue. */
import { parseDatasetRef, parseVersionRef } from '../catalogue/parse-ref.ts';
import type { EntityKind } from '../catalogue/schemas.ts';
import type { Trash, TrashEntry } from '../catalogue/trash.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { type Answer, answers, listPageShape } from './answers.ts';
import type { Http } from './http.ts';
import { fetchAllPages, parseListPage } from './pages.ts';
import { unexpectedResponseFieldError } from './shapes.ts';

const entries = listPageShape(answers.trashEntry);
const root = `${apiRoot}trash/`;
const entryPath = (id: string) => `${root}${encodeURIComponent(id)}/`;

export class RemoteTrash implements Trash {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  list(): Promise<readonly TrashEntry[]> {
    return fetchAllPages(this.#http, root, entries, entryFrom);
  }

  async restore(id: string, { dryRun = false }: { readonly dryRun?: boolean | undefined } = {}): Promise<TrashEntry> {
    const body = JSON.stringify({ dry_run: dryRun });
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path: `${entryPath(id)}restore/`, headers, body } as const;
    return entryFrom((await this.#http.requestJson(request, answers.trashEntry)).value);
  }

  async remove(id: string): Promise<void> {
    const { body } = await this.#http.request({ method: 'DELETE', path: entryPath(id) });
    body.resume();
  }

  async empty(before?: Date): Promise<readonly TrashEntry[]> {
    const query: [string, string][] = before ? [['before', before.toISOString()]] : [];
    const { value } = await this.#http.requestJson({ method: 'DELETE', path: root, query }, entries);
    return parseListPage(value, {}, entryFrom).items;
  }
}

function entryFrom({ id, kind, name, paths, removed, by }: Answer<'trashEntry'>): TrashEntry {
  return { id, ref: refFrom(kind, name), paths, removed, by: by ?? null };
}

function refFrom(kind: EntityKind, name: string): TrashEntry['ref'] {
  try {
    if (kind === 'dataset') return parseDatasetRef(name);
    if (kind === 'version') return parseVersionRef(name);
  } catch {
    throw unexpectedResponseFieldError('name');
  }
  return { kind, slug: name };
}
