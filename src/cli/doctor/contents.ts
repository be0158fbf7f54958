/** What the catalogue holds, and whether it can be read. */
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { CatalogueError } from '../../catalogue/errors.ts';
import { counted } from '../output/quantities.ts';
import { type Finding, findingsOf } from './finding.ts';

const { ok, problem } = findingsOf('catalogue');

export interface Contents {
  readonly findings: readonly Finding[];
  readonly namespaces: number;
  readonly datasets: number;
}

/** @param open opens the catalogue in the folder */
export async function lookAtContents(open: () => Promise<Catalogue>): Promise<Contents> {
  try {
    const catalogue = await open();
    const count = async (kind: 'namespace' | 'dataset' | 'version') =>
      (await catalogue.list(kind, { pageSize: 1 })).count;
    const [namespaces, datasets, versions] = [await count('namespace'), await count('dataset'), await count('version')];
    const broken = await catalogue.list('file', { filters: { status: ['invalid'] }, pageSize: 1 });
    const { title, base_url } = catalogue.settings;
    const findings = [
      ok('settings', `${title}${base_url ? `, at ${base_url}` : ', without a base_url'}`),
      ok(
        'contents',
        [counted(namespaces, 'namespace'), counted(datasets, 'dataset'), counted(versions, 'version')].join(', '),
      ),
      broken.count === 0
        ? ok('files', 'none is broken')
        : problem('files', `${counted(broken.count, 'file')} broken`, 'They are named by: catalogue check'),
    ];
    return { findings, namespaces, datasets };
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { findings: [problem('settings', error.message, 'See: catalogue check')], namespaces: 0, datasets: 0 };
  }
}
