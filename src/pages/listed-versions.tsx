/** The versions of a dataset that a page lists: a page with all of them would grow with each, and so would that of each version. */
import type { VNode } from 'preact';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { hrefOfRef, type PageContext } from './page-context.ts';

/** Most versions that a page lists besides those that it is about. */
const mostListed = 50;

/**
 * The newest versions, and of the others those that a page is about.
 * @param versions the newest first
 */
export function listVersions(
  versions: readonly Version[],
  about: readonly (Version | undefined)[],
  isListed: (version: Version) => boolean = () => true,
): readonly Version[] {
  const listed: Version[] = [];
  const missing = new Set(about);
  for (const version of versions) {
    if (listed.length >= mostListed && missing.size === 0) break;
    const isAbout = missing.delete(version);
    if (isListed(version) && (isAbout || listed.length < mostListed)) listed.push(version);
  }
  return listed;
}

interface AllVersionsProps {
  readonly context: PageContext;
  readonly dataset: Dataset;
}

/** A link to the list of all versions, if there are more than a page lists. */
export function AllVersions({ context, dataset }: AllVersionsProps): VNode | null {
  const count = dataset.versions.length;
  if (count <= mostListed) return null;
  return (
    <p class="after">
      <a href={hrefOfRef(context, refOf(dataset), 'version/')}>{context.locale.text('allVersions', { count })}</a>
    </p>
  );
}
