/** Snapshots out of records, without any file. */

import type { Diagnostic } from '../../src/catalogue/diagnostic.ts';
import {
  buildDataset,
  buildGroup,
  buildNamespace,
  buildQuery,
  buildUser,
  buildVersion,
  datasetWithVersions,
} from '../../src/catalogue/entities.ts';
import type { RecordOf } from '../../src/catalogue/schemas.ts';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { applyUnitReadings, emptySnapshot, type Snapshot, type UnitReading } from '../../src/catalogue/snapshot.ts';

type Named<T> = Readonly<Record<string, T>>;

/** Records by name: `parks`, `parks/trees`, `parks/trees@20200101000000000000`. */
export interface Content {
  readonly settings?: RecordOf<'settings'>;
  readonly namespaces?: Named<RecordOf<'namespace'>>;
  readonly datasets?: Named<RecordOf<'dataset'>>;
  readonly versions?: Named<RecordOf<'version'>>;
  readonly groups?: Named<RecordOf<'group'>>;
  readonly users?: Named<RecordOf<'user'>>;
  readonly queries?: Named<RecordOf<'query'>>;
  /** Messages by path. */
  readonly problems?: Named<string>;
}

/** What would be read of the content. */
export function readingsOf(content: Content): UnitReading[] {
  const { settings, namespaces = {}, datasets = {}, versions = {}, groups = {}, users = {}, queries = {} } = content;
  return [
    ...(settings ? [{ kind: 'settings', entity: settingsFromRecord(settings) } as const] : []),
    ...each(namespaces, (slug, record) => ({ kind: 'namespace', slug, entity: buildNamespace(slug, record) })),
    ...each(datasets, (name, record) => {
      const [namespace = '', slug = ''] = name.split('/');
      const own = Object.entries(versions)
        .filter(([version]) => version.startsWith(`${name}@`))
        .map(([version, fields]) => {
          const { size = 10 } = fields.file ?? {};
          return buildVersion(
            namespace,
            slug,
            version.slice(name.length + 1),
            fields,
            fields.file?.name ? { size } : null,
          );
        });
      return {
        kind: 'dataset',
        namespace,
        slug,
        entity: datasetWithVersions(buildDataset(namespace, slug, record), own),
      };
    }),
    ...each(groups, (slug, record) => ({ kind: 'group', slug, entity: buildGroup(slug, record) })),
    ...each(users, (slug, record) => ({ kind: 'user', slug, entity: buildUser(slug, record) })),
    ...each(queries, (slug, record) => ({ kind: 'query', slug, entity: buildQuery(slug, record) })),
  ];
}

function each<T>(records: Named<T>, read: (name: string, record: T) => UnitReading): UnitReading[] {
  return Object.entries(records).map(([name, record]) => read(name, record));
}

export function problemsOf(messages: Named<string> = {}): ReadonlyMap<string, readonly Diagnostic[]> {
  return new Map(
    Object.entries(messages).map(([path, message]) => [
      path,
      [{ path, line: 1, column: 1, pointer: '', message, severity: 'error', code: 'schema' }],
    ]),
  );
}

/** The snapshot of the content. */
export function snapshotOf(content: Content): Snapshot {
  return applyUnitReadings(emptySnapshot, { readings: readingsOf(content), diagnostics: problemsOf(content.problems) });
}
