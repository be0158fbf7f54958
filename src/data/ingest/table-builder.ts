/**
 * Batches of rows on their way in: columns are inferred, geometries checked and measured, and each block is written to
 * the derived copy, where one is made.
 */
import type { Batch, Findings } from '../formats/types.ts';
import { type Geometry, type GeometryKind, hasZ } from '../geometry/geometry.ts';
import { type Extent, GeometryFault, isEmptyPoint, measure, noExtent } from '../geometry/validate.ts';
import { blockRows } from '../limits.ts';
import type { TableColumn } from '../row.ts';
import { encodeColumn, encodePlaces, type PieceKind } from '../table/column-chunk.ts';
import type { DerivedWriter, PieceKey } from '../table/columnar-copy.ts';
import { encodeGeometries } from '../table/geometry-chunk.ts';
import { ColumnProfile, type ColumnStatistics } from './column-profile.ts';
import { columnNames } from './infer-types.ts';

export interface RowsSummary {
  readonly rows: number;
  readonly hasGeometry: boolean;
  readonly columns: readonly (TableColumn & { readonly key: number })[];
  /** Geometry first, where there is one. */
  readonly statistics: readonly ColumnStatistics[];
  readonly geometryKinds: readonly GeometryKind[];
  /** Names of the columns of longitude and latitude that the geometry is made of. */
  readonly pointColumns: readonly string[] | null;
  readonly extent: readonly number[] | null;
  /** Whether a column has another name than the payload gives it. */
  readonly renamed: boolean;
  /** Places of columns that turned out to be text after some of their values had been kept as something else. */
  readonly misjudged: readonly number[];
}

type Piece = { key: PieceKey; kind: PieceKind; bytes: Buffer[] };

export class RowsIntake {
  readonly #findings: Findings;
  readonly #derived: DerivedWriter | null;
  readonly #asText: ReadonlySet<number>;
  readonly #profiles: ColumnProfile[] = [];
  #names: readonly string[] = [];
  #rows = 0;
  #hasGeometry = false;
  #geometries = 0;
  readonly #kinds = new Set<GeometryKind>();
  readonly #extent: Extent = noExtent();

  /** @param asText places of columns that are known to be text */
  constructor(findings: Findings, derived: DerivedWriter | null, asText: ReadonlySet<number> = new Set()) {
    this.#findings = findings;
    this.#derived = derived;
    this.#asText = asText;
  }

  /** @throws PayloadError where a geometry is none */
  async add(batch: Batch): Promise<void> {
    this.#names = batch.names;
    while (this.#profiles.length < batch.names.length) {
      this.#profiles.push(new ColumnProfile(this.#findings.textual, this.#asText.has(this.#profiles.length)));
    }
    if (batch.geometries) this.#hasGeometry = true;
    for (let start = 0; start < batch.rows; start += 2 * blockRows) {
      await this.#addBlock(batch, start, Math.min(batch.rows, start + 2 * blockRows));
    }
  }

  async #addBlock(batch: Batch, start: number, end: number): Promise<void> {
    const rows = end - start;
    const whole = rows === batch.rows;
    const cut = <T>(values: readonly T[]): readonly T[] => (whole ? values : values.slice(start, end));
    const pieces: Piece[] = [];
    if (batch.geometries)
      pieces.push({ key: 'geometry', ...this.#addGeometries(batch, cut(batch.geometries), start, rows) });
    this.#profiles.forEach((profile, key) => {
      const values = cut(batch.values[key] ?? []);
      // Where there are thousands of columns, most have no value in a block.
      if (values.length === 0) return;
      const column = profile.add(values, rows);
      if (this.#derived && column.kind !== 'nulls')
        pieces.push({ key, kind: column.kind, bytes: encodeColumn(column) });
    });
    this.#rows += rows;
    if (!this.#derived) return;
    if (batch.ids) pieces.push(...idPieces(cut(batch.ids), rows));
    if (batch.places) {
      const bytes = encodePlaces(cut(batch.places.offsets), cut(batch.places.lengths));
      pieces.push({ key: 'places', kind: 'places', bytes });
    }
    await this.#derived.add(rows, pieces);
  }

  #addGeometries(
    batch: Batch,
    given: readonly (Geometry | null)[],
    start: number,
    rows: number,
  ): { kind: PieceKind; bytes: Buffer[] } {
    const geometries = [...given];
    const boxes = new Float64Array(4 * rows).fill(Number.NaN);
    const sizes = new Uint8Array(rows);
    const total = this.#extent;
    for (let row = 0; row < rows; row++) {
      const geometry = geometries[row];
      if (!geometry) continue;
      if (isEmptyPoint(geometry)) {
        geometries[row] = null;
        continue;
      }
      const box = noExtent();
      try {
        sizes[row] = Math.min(measure(geometry, box), 255);
      } catch (error) {
        if (error instanceof GeometryFault) throw batch.errorAt(start + row, error.message);
        throw error;
      }
      this.#geometries++;
      const deep = (sizes[row] as number) > 2 || (sizes[row] === 0 && hasZ(geometry));
      this.#kinds.add(deep ? `${geometry.type} Z` : geometry.type);
      if (box[0] > box[2]) continue;
      boxes.set(box, 4 * row);
      if (box[0] < total[0]) total[0] = box[0];
      if (box[1] < total[1]) total[1] = box[1];
      if (box[2] > total[2]) total[2] = box[2];
      if (box[3] > total[3]) total[3] = box[3];
    }
    return this.#derived ? encodeGeometries({ rows, geometries, boxes, sizes }) : { kind: 'nulls', bytes: [] };
  }

  summary(): RowsSummary {
    const hidden = this.#findings.geometryColumn;
    const places = this.#names.map((_, place) => place).filter((place) => place !== hidden);
    const raw = places.map((place) => this.#names[place] as string);
    const names = columnNames(raw, this.#hasGeometry ? ['geometry'] : []);
    const columns = places.map((key, i) => ({
      name: names[i] as string,
      type: (this.#profiles[key] as ColumnProfile).type,
      key,
    }));
    const geometry: ColumnStatistics = {
      name: 'geometry',
      type: 'geometry',
      nulls: this.#rows - this.#geometries,
      distinct: null,
    };
    return {
      rows: this.#rows,
      hasGeometry: this.#hasGeometry,
      columns,
      statistics: [
        ...(this.#hasGeometry ? [geometry] : []),
        ...columns.map(({ key, name }) => (this.#profiles[key] as ColumnProfile).statistics(name, this.#rows)),
      ],
      geometryKinds: [...this.#kinds].sort(),
      pointColumns: this.#findings.pointColumns?.map((place) => names[places.indexOf(place)] ?? '') ?? null,
      extent: this.#extent[0] <= this.#extent[2] ? this.#extent : null,
      renamed: names.some((name, i) => name !== raw[i]),
      misjudged: places.filter((place) => (this.#profiles[place] as ColumnProfile).misjudged),
    };
  }
}

/** Ids keep their JSON type: a block that has numbers and strings keeps them as JSON. */
function idPieces(ids: readonly (string | number | undefined)[], rows: number): Piece[] {
  const kinds = new Set(ids.map((id) => typeof id));
  kinds.delete('undefined');
  if (kinds.size === 0) return [];
  const mixed = kinds.size > 1;
  const values = mixed ? Array.from(ids, (id) => (id === undefined ? null : JSON.stringify(id))) : ids;
  const column = new ColumnProfile(false, kinds.has('string')).add(values, rows);
  return [{ key: mixed ? 'idJson' : 'id', kind: column.kind, bytes: encodeColumn(column) }];
}
