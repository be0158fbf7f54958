/** What the standards miss in the public datasets of a catalogue, as warnings at their files. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import { formatRef } from '../catalogue/ref.ts';
import { listEntities } from './lookup.ts';

/** Base URL in facts whose addresses are not shown. */
const anyBase = 'http://localhost';

export async function findStandardsShortcomings(catalogue: Catalogue): Promise<readonly Diagnostic[]> {
  const { catalogueFacts, datasetFacts } = await import('../standards/facts.ts');
  const { catalogueShortcomings, datasetShortcomings } = await import('../standards/requirements.ts');
  const namespaces = await listEntities(catalogue, 'namespace', {});
  const publicNamespaces = new Map(
    namespaces.filter(({ visibility }) => visibility === 'public').map((one) => [one.slug, one]),
  );
  const files = await listEntities(catalogue, 'file', { filters: { kind: ['dataset'] } });
  const paths = new Map(
    files.flatMap(({ ref, path }) => (ref?.kind === 'dataset' ? [[formatRef(ref), path] as const] : [])),
  );
  const facts = catalogueFacts(catalogue.settings, anyBase);
  const warnings = catalogueShortcomings(facts).map((message) => warning('catalogue.yaml', message));
  for (const dataset of await listEntities(catalogue, 'dataset', {})) {
    const namespace = publicNamespaces.get(dataset.namespace);
    if (!namespace || dataset.visibility !== 'public') continue;
    const name = `${dataset.namespace}/${dataset.slug}`;
    for (const message of datasetShortcomings(datasetFacts(facts, dataset, namespace)))
      warnings.push(warning(paths.get(name) ?? name, message));
  }
  return warnings;
}

const warning = (path: string, message: string): Diagnostic => ({
  path,
  line: 1,
  column: 1,
  pointer: '',
  message,
  severity: 'warning',
  code: 'standards',
});
