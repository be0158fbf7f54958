/** The state of a dataset that its page tells of: versions that aren't ready, who sees it, problems of its files. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FileProblems } from '../catalogue/diagnostic.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import { refOf, usernameOfReader } from '../catalogue/ref.ts';
import type { Dataset, Namespace, Version } from '../catalogue/types.ts';
import type { DatasetState } from '../pages/dataset-notes.tsx';
import type { Locale } from '../pages/locale.ts';

/** Files with problems that are named, at most. */
const mostFiles = 20;

/**
 * The state of a dataset for a viewer.
 * @param shown the version that the page shows
 * @param isVersionPage true for the page of that version; else the newest version may be another one
 * @param isReadOnly true if the server refuses all writes
 */
export async function datasetState(
  catalogue: Catalogue,
  viewer: Viewer,
  {
    dataset,
    namespace,
    shown,
    isVersionPage,
    isReadOnly,
  }: {
    readonly dataset: Dataset;
    readonly namespace: Namespace | null;
    readonly shown: Version | undefined;
    readonly isVersionPage: boolean;
    readonly isReadOnly: boolean;
  },
): Promise<DatasetState> {
  const [whyNotReady, audience, problems] = await Promise.all([
    reasonWhyNotReady(catalogue, isVersionPage ? shown : dataset.versions[0]),
    audienceOf(catalogue, dataset, namespace),
    problemsOfFiles(catalogue, viewer, namespace, dataset.slug),
  ]);
  const mayEdit = !isReadOnly && !viewer.readOnly && mayWriteIn(viewer, namespace);
  return { whyNotReady, isPrivate: isPrivate(dataset, namespace), audience, problems, mayEdit };
}

/** Why the data of a version can't be shown; '' if no more is known than that it isn't ready. */
async function reasonWhyNotReady(catalogue: Catalogue, version: Version | undefined): Promise<string> {
  if (!version || version.ready) return '';
  try {
    await (await catalogue.payload(refOf(version))).close();
    return '';
  } catch (error) {
    if (!(error instanceof NotFoundError)) return '';
    return error.message === 'This version is not ready.' || !version.file ? '' : error.message;
  }
}

/** Why a version has no rows to show, in the language of the page; '' if it is ready. @param version undefined if the dataset has no version */
export function whyNoRows(locale: Locale, version: Version | undefined): string {
  if (!version) return `${locale.text('noVersionsYet')}.`;
  if (version.ready) return '';
  const [what, why] = version.draft
    ? (['versionIsDraft', 'versionIsDraftWhy'] as const)
    : (['versionNotReady', 'versionNotReadyWhy'] as const);
  return `${locale.text(what)}. ${locale.text(why)}`;
}

/** True if not everybody sees a dataset. @param namespace of the dataset */
export const isPrivate = (dataset: Dataset, namespace: Namespace | null): boolean =>
  dataset.visibility === 'private' || namespace?.visibility === 'private';

/** Groups and users who see a private dataset besides staff: labels of groups, names of users; empty if everybody sees it. */
async function audienceOf(
  catalogue: Catalogue,
  dataset: Dataset,
  namespace: Namespace | null,
): Promise<readonly string[]> {
  if (!isPrivate(dataset, namespace)) return [];
  const names = new Set([...(namespace?.owners ?? []), ...(namespace?.readers ?? []), ...dataset.readers]);
  return Promise.all(
    [...names].map(async (name) => {
      const username = usernameOfReader(name);
      if (username !== undefined) return username;
      const group = await catalogue.get<'group'>({ kind: 'group', slug: name }).catch(() => null);
      return group?.label ?? name;
    }),
  );
}

/** True if a viewer may write the records of a namespace. */
export const mayWriteIn = (viewer: Viewer, namespace: Namespace | null): boolean =>
  viewer.staff || Boolean(namespace?.owners.some((group) => viewer.groups.includes(group)));

/**
 * Files of a dataset that have problems, for those who may write them; the dataset itself need not be readable.
 * @param namespace of the dataset
 */
export async function problemsOfFiles(
  catalogue: Catalogue,
  viewer: Viewer,
  namespace: Namespace | null,
  slug: string,
): Promise<readonly FileProblems[]> {
  if (!namespace || !mayWriteIn(viewer, namespace)) return [];
  const files = await catalogue.problemsOf?.({ kind: 'dataset', namespace: namespace.slug, slug });
  return files?.slice(0, mostFiles) ?? [];
}
