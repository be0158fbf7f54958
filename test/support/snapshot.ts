/** Snapshots out of records, without any file. */
import {
  datasetFrom,
  groupFrom,
  namespaceFrom,
  queryFrom,
  userFrom,
  versionFrom,
  withVersions,
} from '../../src/catalogue/entities.ts';
import type { RecordOf } from '../../src/catalogue/schemas.ts';
import { settingsFrom } from '../../src/catalogue/settings.ts';
import { applyReadings, emptySnapshot, type Reading, type Snapshot } from '../../src/catalogue/snapshot.ts';
import type { Diagnostic } from '../../src/catalogue/types.ts';

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
export function readingsOf(content: Content): Reading[] {
  const { settings, namespaces = {}, datasets = {}, versions = {}, groups = {}, users = {}, queries = {} } = content;
  return [
    ...(settings ? [{ kind: 'settings', entity: settingsFrom(settings) } as const] : []),
    ...each(namespaces, (slug, record) => ({ kind: 'namespace', slug, entity: namespaceFrom(slug, record) })),
    ...each(datasets, (name, record) => {
      const [namespace = '', slug = ''] = name.split('/');
      const own = Object.entries(versions)
        .filter(([version]) => version.startsWith(`${name}@`))
        .map(([version, fields]) => {
          const { size = 10 } = fields.file ?? {};
          return versionFrom(
            namespace,
            slug,
            version.slice(name.length + 1),
            fields,
            fields.file?.name ? { size } : null,
          );
        });
      return { kind: 'dataset', namespace, slug, entity: withVersions(datasetFrom(namespace, slug, record), own) };
    }),
    ...each(groups, (slug, record) => ({ kind: 'group', slug, entity: groupFrom(slug, record) })),
    ...each(users, (slug, record) => ({ kind: 'user', slug, entity: userFrom(slug, record) })),
    ...each(queries, (slug, record) => ({ kind: 'query', slug, entity: queryFrom(slug, record) })),
  ];
}

function each<T>(records: Named<T>, read: (name: string, record: T) => Reading): Reading[] {
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
  return applyReadings(emptySnapshot, { readings: readingsOf(content), diagnostics: problemsOf(content.problems) });
}
