/** Table metadata of version 2 (Iceberg table spec, "Table Metadata Fields"), as JSON. */
import { eachInSteps, type Steps } from '../catalogue/steps.ts';
import type { TableSchema } from './schema.ts';
import { currentSnapshot, type Table, type TableSnapshot } from './table.ts';

/** The schema of a table; the columns of the current one have their descriptions. */
const schemaDocument = ({ id, fields }: TableSchema, descriptions?: ReadonlyMap<string, string>) => ({
  type: 'struct',
  'schema-id': id,
  fields: fields.map((field) => {
    const doc = descriptions?.get(field.name);
    return { id: field.id, name: field.name, required: false, type: field.type, ...(doc && { doc }) };
  }),
});

/** A schema as JSON, without texts that people edit: manifests have it. */
export const schemaText = (schema: TableSchema): string => JSON.stringify(schemaDocument(schema));

/** Address of a metadata file within a table. */
export const metadataPath = (location: string, name: string): string => `${location}/metadata/${name}`;
export const dataPath = (location: string, { files }: TableSnapshot): string => `${location}/data/${files.data}`;

/** Number of a table's metadata file: that of its snapshots. Names are those of tables in a file system (table spec, "File System Tables"). */
export const metadataVersion = ({ snapshots }: Table): number => snapshots.length;
export const metadataFileName = (table: Table): string => `v${metadataVersion(table)}.metadata.json`;
/** Name of the file with the number of the metadata file. */
export const versionHintName = 'version-hint.text';

/**
 * The metadata of a table.
 * @param location address of the table, without a slash at its end
 */
export function* tableMetadata(table: Table, location: string): Steps<object> {
  const { dataset, snapshots, schemas } = table;
  const current = currentSnapshot(table);
  const descriptions = new Map(
    dataset.columns.map(({ name, description, unit }) => [
      name,
      [description, unit && `Unit: ${unit}`].filter(Boolean).join(' '),
    ]),
  );
  const comment = dataset.description || dataset.label;
  const snapshotDocuments: object[] = [];
  yield* eachInSteps(snapshots, (snapshot, i) =>
    snapshotDocuments.push(snapshotDocument(snapshot, snapshots[i - 1], location)),
  );
  return {
    'format-version': 2,
    'table-uuid': table.uuid,
    location,
    'last-sequence-number': current.sequence,
    'last-updated-ms': current.timestamp,
    'last-column-id': table.lastColumnId,
    schemas: schemas.map((schema) => schemaDocument(schema, schema === current.schema ? descriptions : undefined)),
    'current-schema-id': current.schema.id,
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    properties: { ...(comment && { comment }), 'write.format.default': 'parquet' },
    'current-snapshot-id': current.id,
    snapshots: snapshotDocuments,
    'snapshot-log': snapshots.map(({ id, timestamp }) => ({ 'timestamp-ms': timestamp, 'snapshot-id': id })),
    'metadata-log': [],
    refs: yield* references(table),
  };
}

function snapshotDocument(
  { version, id, sequence, timestamp, schema, files }: TableSnapshot,
  before: TableSnapshot | undefined,
  location: string,
) {
  const rows = version.rows === null ? undefined : String(version.rows);
  return {
    'snapshot-id': id,
    ...(before && { 'parent-snapshot-id': before.id }),
    'sequence-number': sequence,
    'timestamp-ms': timestamp,
    'manifest-list': metadataPath(location, files.manifestList),
    // Each version replaces all rows.
    summary: {
      operation: before ? 'overwrite' : 'append',
      version: version.slug,
      'added-data-files': '1',
      'total-data-files': '1',
      ...(rows !== undefined && { 'added-records': rows, 'total-records': rows }),
    },
    'schema-id': schema.id,
  };
}

const mainBranch = 'main';

/** The branch `main`, and tags: the name of each version, and its label if no other version has the text as its label or name. */
function* references(table: Table): Steps<Readonly<Record<string, object>>> {
  const { snapshots } = table;
  const names = new Set([mainBranch, ...snapshots.map(({ version }) => version.slug)]);
  const labels = new Map<string, number>();
  for (const { version } of snapshots) labels.set(version.label, (labels.get(version.label) ?? 0) + 1);
  const main = { 'snapshot-id': currentSnapshot(table).id, type: 'branch' };
  const refs = new Map<string, object>([[mainBranch, main]]);
  yield* eachInSteps(snapshots, ({ id, version: { slug, label } }) => {
    const tag = { 'snapshot-id': id, type: 'tag' };
    if (slug !== mainBranch) refs.set(slug, tag);
    if (label && !names.has(label) && labels.get(label) === 1) refs.set(label, tag);
  });
  return Object.fromEntries(refs);
}
