/** The error about a `catalogue.yaml` that can't be read. */
import { UnusableCatalogueError } from '../catalogue/errors.ts';
import type { CatalogueFiles } from './catalogue-files.ts';

/** Says where `catalogue.yaml` is broken; null if it isn't, or if its last good state is known. */
export function brokenSettingsError({
  snapshot,
  store,
}: Pick<CatalogueFiles, 'snapshot' | 'store'>): UnusableCatalogueError | null {
  const [problem] = snapshot.diagnostics.get('catalogue.yaml') ?? [];
  if (!problem || store.states.get('catalogue')?.reading.entity) return null;
  const { line, column, message } = problem;
  return new UnusableCatalogueError(`catalogue.yaml is broken at line ${line}, column ${column}: ${message}`);
}
