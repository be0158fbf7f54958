/** Manifest and manifest list of a snapshot (Iceberg table spec, "Manifests", "Manifest Lists"), as Avro. */
import { type AvroSchema, writeAvro } from './avro.ts';
import type { DataFileFacts } from './data-file.ts';
import { dataPath, metadataPath, schemaText } from './metadata.ts';
import type { TableSnapshot } from './table.ts';

type AvroType = string | AvroSchema;

const required = (id: number, name: string, type: AvroType) => ({ name, type, 'field-id': id });
const optional = (id: number, name: string, type: AvroType) => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
});
const record = (name: string, fields: readonly object[]): AvroSchema => ({ type: 'record', name, fields });
const list = (id: number, items: AvroType): AvroSchema => ({ type: 'array', items, 'element-id': id });
/** A map whose keys are numbers: an array of pairs (table spec, "Avro"). */
const map = (keyId: number, valueId: number, value: string): AvroSchema => ({
  type: 'array',
  logicalType: 'map',
  items: record(`k${keyId}_v${valueId}`, [required(keyId, 'key', 'int'), required(valueId, 'value', value)]),
});

const manifestSchema = record('manifest_entry', [
  required(0, 'status', 'int'),
  optional(1, 'snapshot_id', 'long'),
  optional(3, 'sequence_number', 'long'),
  optional(4, 'file_sequence_number', 'long'),
  required(
    2,
    'data_file',
    record('r2', [
      required(134, 'content', 'int'),
      required(100, 'file_path', 'string'),
      required(101, 'file_format', 'string'),
      required(102, 'partition', record('r102', [])),
      required(103, 'record_count', 'long'),
      required(104, 'file_size_in_bytes', 'long'),
      optional(108, 'column_sizes', map(117, 118, 'long')),
      optional(109, 'value_counts', map(119, 120, 'long')),
      optional(110, 'null_value_counts', map(121, 122, 'long')),
      optional(125, 'lower_bounds', map(126, 127, 'bytes')),
      optional(128, 'upper_bounds', map(129, 130, 'bytes')),
      optional(132, 'split_offsets', list(133, 'long')),
      optional(140, 'sort_order_id', 'int'),
    ]),
  ),
]);

const manifestListSchema = record('manifest_file', [
  required(500, 'manifest_path', 'string'),
  required(501, 'manifest_length', 'long'),
  required(502, 'partition_spec_id', 'int'),
  required(517, 'content', 'int'),
  required(515, 'sequence_number', 'long'),
  required(516, 'min_sequence_number', 'long'),
  required(503, 'added_snapshot_id', 'long'),
  required(504, 'added_files_count', 'int'),
  required(505, 'existing_files_count', 'int'),
  required(506, 'deleted_files_count', 'int'),
  required(512, 'added_rows_count', 'long'),
  required(513, 'existing_rows_count', 'long'),
  required(514, 'deleted_rows_count', 'long'),
  optional(
    507,
    'partitions',
    list(
      508,
      record('r508', [
        required(509, 'contains_null', 'boolean'),
        optional(518, 'contains_nan', 'boolean'),
        optional(510, 'lower_bound', 'bytes'),
        optional(511, 'upper_bound', 'bytes'),
      ]),
    ),
  ),
]);

/** Status of a file that the snapshot adds. */
const added = 1;

/** A map as its pairs. */
const pairs = <T>(values: ReadonlyMap<number, T>) => [...values].map(([key, value]) => ({ key, value }));

/**
 * The manifest of a snapshot: its one data file.
 * @param location address of the table
 */
export function manifest(snapshot: TableSnapshot, file: DataFileFacts, location: string): Buffer {
  const { id, schema } = snapshot;
  const entry = {
    status: added,
    snapshot_id: id,
    // Both are inherited from the manifest list.
    sequence_number: null,
    file_sequence_number: null,
    data_file: {
      content: 0,
      file_path: dataPath(location, snapshot),
      file_format: 'PARQUET',
      partition: {},
      record_count: file.rows,
      file_size_in_bytes: file.size,
      column_sizes: pairs(file.columnSizes),
      value_counts: pairs(file.valueCounts),
      null_value_counts: pairs(file.nullCounts),
      lower_bounds: pairs(file.lowerBounds),
      upper_bounds: pairs(file.upperBounds),
      split_offsets: file.splitOffsets,
      sort_order_id: 0,
    },
  };
  return writeAvro(manifestSchema, [entry], {
    schema: schemaText(schema),
    'schema-id': String(schema.id),
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  });
}

/**
 * The manifest list of a snapshot.
 * @param manifestLength of the snapshot's manifest, in bytes
 * @param location address of the table
 */
export function manifestList(
  { id, sequence, files }: TableSnapshot,
  { rows }: DataFileFacts,
  manifestLength: number,
  location: string,
): Buffer {
  const entry = {
    manifest_path: metadataPath(location, files.manifest),
    manifest_length: manifestLength,
    partition_spec_id: 0,
    content: 0,
    sequence_number: sequence,
    min_sequence_number: sequence,
    added_snapshot_id: id,
    added_files_count: 1,
    existing_files_count: 0,
    deleted_files_count: 0,
    added_rows_count: rows,
    existing_rows_count: 0,
    deleted_rows_count: 0,
    partitions: [],
  };
  return writeAvro(manifestListSchema, [entry], {
    'snapshot-id': String(id),
    'sequence-number': String(sequence),
    'format-version': '2',
  });
}
