/**
 * Builds a table from batches of rows: infers columns, reads geometries, and writes each row group to the columnar copy, if
 * one is made.
 */
import type { ColumnStatistics } from '../../catalogue/column-statistics.ts';
import { type Cells, sliceCells } from '../formats/cells.ts';
import type { PayloadInfo, RowBatch } from '../formats/types.ts';
import type { Bbox } from '../geometry/geometry.ts';
import { maxGroupRows } from '../limits.ts';
import { geometryColumnName } from '../row.ts';
import { type ChunkKind, encodeColumn, encodeRowOffsets } from '../table/column-chunk.ts';
import type { ChunkKey, TableInfo } from '../table/columnar-copy.ts';
import type { CopyWriter } from '../table/optional-copy.ts';
import { ColumnProfile } from './column-profile.ts';
import { type ColumnSettings, columnParseSettings } from './column-settings.ts';
import { GeometryReader } from './geometry-reader.ts';
import { cleanColumnName, uniqueColumnNames } from './infer-types.ts';
import { ingestRemarks, refuseMisfitValues } from './remarks.ts';

export interface TableSummary {
  readonly table: Omit<TableInfo, 'checksum' | 'passthrough'>;
  readonly bbox: Bbox | null;
  /** The geometry is first. */
  readonly statistics: readonly ColumnStatistics[];
  /** True if columns or values are stored as others than in the payload: they were renamed, converted, or are null. */
  readonly isChanged: boolean;
  /** Settings for reading columns again whose values are of another form than the first ones. */
  readonly nextSettings: ReadonlyMap<number, ColumnSettings>;
  /** @throws PayloadError if a value doesn't fit its column */
  readonly assertFits: () => void;
  /** Sentences about what was recognized, and what doesn't fit. */
  readonly remarks: readonly string[];
}

interface EncodedChunk {
  readonly key: ChunkKey;
  readonly kind: ChunkKind;
  readonly bytes: readonly Buffer[];
}

export class TableBuilder {
  readonly #info: PayloadInfo;
  readonly #copy: CopyWriter | null;
  readonly #settings: ReadonlyMap<number, ColumnSettings>;
  readonly #profiles: ColumnProfile[] = [];
  #names: readonly string[] = [];
  #rows = 0;
  readonly #geometries: GeometryReader;

  /** @param settings settings of columns that are read again, by index */
  constructor(info: PayloadInfo, copy: CopyWriter | null, settings: ReadonlyMap<number, ColumnSettings> = new Map()) {
    this.#info = info;
    this.#copy = copy;
    this.#settings = settings;
    this.#geometries = new GeometryReader(info);
  }

  /** @throws PayloadError if a geometry is invalid */
  async addBatch(batch: RowBatch): Promise<void> {
    this.#names = batch.names;
    if (batch.geometries) this.#geometries.isPresent = true;
    while (this.#profiles.length < batch.names.length) {
      const index = this.#profiles.length;
      const name = cleanColumnName(batch.names[index] as string, index);
      this.#profiles.push(new ColumnProfile(this.#settings.get(index) ?? columnParseSettings(this.#info, name)));
    }
    for (let start = 0; start < batch.rows; start += 2 * maxGroupRows) {
      await this.#addRowGroup(batch, start, Math.min(batch.rows, start + 2 * maxGroupRows));
    }
  }

  async #addRowGroup(batch: RowBatch, start: number, end: number): Promise<void> {
    const rows = end - start;
    const isWholeBatch = rows === batch.rows;
    const slice = <T>(values: readonly T[]): readonly T[] => (isWholeBatch ? values : values.slice(start, end));
    const chunks: EncodedChunk[] = [];
    if (batch.geometries) {
      const encode = await this.#geometries.read(batch, start, end);
      const encoded = this.#copy ? encode() : { kind: 'nulls' as const, bytes: [] };
      chunks.push({ key: 'geometry', ...encoded });
    }
    this.#profiles.forEach((profile, key) => {
      const all: Cells = batch.values[key] ?? [];
      const values = isWholeBatch ? all : sliceCells(all, start, end);
      // Of thousands of columns, most have no value in a row group.
      if (values.length === 0) return;
      const column = profile.add(values, rows, (row) => batch.errorAt(start + row, '').line);
      if (this.#copy && column.kind !== 'nulls') chunks.push({ key, kind: column.kind, bytes: encodeColumn(column) });
    });
    this.#rows += rows;
    if (!this.#copy) return;
    if (batch.ids) chunks.push(...encodeIds(slice(batch.ids), rows));
    if (batch.rowOffsets) {
      const bytes = encodeRowOffsets(slice(batch.rowOffsets.offsets), slice(batch.rowOffsets.lengths));
      chunks.push({ key: 'offsets', kind: 'offsets', bytes });
    }
    await this.#copy.writeRowGroup(rows, chunks);
  }

  /** Called after the last batch. @throws PayloadError if geometries have no place in WGS 84 */
  summary(): TableSummary {
    this.#geometries.end();

    const geometries = this.#geometries;
    const keys = this.#names.map((_, index) => index).filter((index) => index !== this.#info.geometryColumn);
    const payloadNames = keys.map((key) => this.#names[key] as string);
    const names = uniqueColumnNames(payloadNames, geometries.isPresent ? [geometryColumnName] : []);
    const profile = (key: number) => this.#profiles[key] as ColumnProfile;
    const columns = keys.map((key, i) => ({ name: names[i] as string, type: profile(key).type, key }));
    const geometry: ColumnStatistics = {
      name: geometryColumnName,
      type: 'geometry',
      nulls: this.#rows - geometries.count,
      distinct: null,
    };
    const named = columns.map(({ name, key }) => ({ name, profile: profile(key) }));
    return {
      table: {
        rows: this.#rows,
        hasGeometry: geometries.isPresent,
        columns,
        geometryKinds: geometries.kinds,
        locatedKinds: geometries.locatedKinds,
        pointColumns: this.#info.pointColumns?.map((key) => names[keys.indexOf(key)] ?? '') ?? null,
        extent: geometries.extent,
        crs: geometries.crs,
        geometryEncoding: this.#info.geometryEncoding,
        misdirectedRings: this.#info.misdirectedRings?.count ?? 0,
      },
      bbox: geometries.bbox,
      statistics: [
        ...(geometries.isPresent ? [geometry] : []),
        ...columns.map(({ key, name }) => profile(key).statistics(name, this.#rows)),
      ],
      isChanged:
        geometries.hasEmptyPoints ||
        columns.some(({ name, key }, i) => name !== payloadNames[i] || profile(key).isConverted),
      nextSettings: new Map(
        keys.flatMap((key) => {
          const settings = profile(key).settingsForNextPass;
          return settings ? [[key, settings] as const] : [];
        }),
      ),
      assertFits: () => refuseMisfitValues(this.#info, named),
      remarks: ingestRemarks(this.#info, geometries.crs, named, this.#rows),
    };
  }
}

/** Ids keep their JSON type: a row group with both numbers and strings stores them as JSON. */
function encodeIds(ids: readonly (string | number | undefined)[], rows: number): EncodedChunk[] {
  const types = new Set(ids.map((id) => typeof id));
  types.delete('undefined');
  if (types.size === 0) return [];
  const isMixed = types.size > 1;
  const values = isMixed ? Array.from(ids, (id) => (id === undefined ? null : JSON.stringify(id))) : ids;
  const column = new ColumnProfile({ textual: false, asText: types.has('string') }).add(values, rows);
  return [{ key: isMixed ? 'idJson' : 'id', kind: column.kind, bytes: encodeColumn(column) }];
}
