/** What the standards miss in the public datasets of a catalogue, as warnings at their files. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import { formatRef } from '../catalogue/ref.ts';
import { isRemoteCatalogue } from './context.ts';
import { listEntities } from './lookup.ts';
import { readDescriptiveSettings } from './remote/remote-settings.ts';

/** Base URL in facts whose addresses are not shown. */
const anyBase = 'http://localhost';

/** Numbers of public datasets by standard. */
export type StandardsCoverage = Readonly<
  Record<string, { readonly complete: number; readonly incomplete: number; readonly refused: number }>
>;

export interface StandardsReport {
  readonly warnings: readonly Diagnostic[];
  readonly coverage: StandardsCoverage;
  /** False if a remote doesn't show its settings: they are left out, and what datasets take from them counts as missing. */
  readonly hasSettings: boolean;
}

export async function findStandardsShortcomings(catalogue: Catalogue): Promise<StandardsReport> {
  const { catalogueFacts, datasetFacts } = await import('../standards/facts.ts');
  const { catalogueShortcomings, datasetShortcomings, outcomeIn } = await import('../standards/requirements.ts');
  const { standardNames } = await import('../standards/mapping.ts');
  const standards = Object.keys(standardNames) as (keyof typeof standardNames)[];
  const coverage = Object.fromEntries(
    standards.map((one) => [standardNames[one], { complete: 0, incomplete: 0, refused: 0 }]),
  );
  const namespaces = await listEntities(catalogue, 'namespace', {});
  const publicNamespaces = new Map(
    namespaces.filter(({ visibility }) => visibility === 'public').map((one) => [one.slug, one]),
  );
  const files = await listEntities(catalogue, 'file', { filters: { kind: ['dataset'] } });
  const paths = new Map(
    files.flatMap(({ ref, path }) => (ref?.kind === 'dataset' ? [[formatRef(ref), path] as const] : [])),
  );
  // The `settings` of a remote catalogue are made of its address: what it says about itself is read from its catalogue.yaml.
  const settings = isRemoteCatalogue(catalogue) ? await readDescriptiveSettings(catalogue.replica) : catalogue.settings;
  const facts = catalogueFacts(settings ?? catalogue.settings, anyBase);
  const warnings = settings ? catalogueShortcomings(facts).map((message) => warning('catalogue.yaml', message)) : [];
  for (const dataset of await listEntities(catalogue, 'dataset', {})) {
    const namespace = publicNamespaces.get(dataset.namespace);
    if (!namespace || dataset.visibility !== 'public') continue;
    const name = `${dataset.namespace}/${dataset.slug}`;
    const described = datasetFacts(facts, dataset, namespace);
    for (const one of standards) {
      const counts = coverage[standardNames[one]];
      if (counts) counts[outcomeIn(one, described)]++;
    }
    for (const message of datasetShortcomings(described)) warnings.push(warning(paths.get(name) ?? name, message));
  }
  return { warnings, coverage, hasSettings: settings !== null };
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
