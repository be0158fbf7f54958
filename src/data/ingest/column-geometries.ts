/** Geometries made of columns, for payloads whose rows have none of their own: the first rows decide on the columns. */
import { excerpt } from '../../catalogue/errors.ts';
import { cellAt } from '../formats/cells.ts';
import { GeometriesBuilder } from '../formats/points.ts';
import type { PayloadInfo, RowBatch } from '../formats/types.ts';
import { isProjectedCrs } from '../geometry/crs.ts';
import { crsOfGeometryCell, hasFurtherMembers, textOfCell } from './geometry-cells.ts';
import {
  brokenColumnsHint,
  findGeometryColumns,
  type GeometrySource,
  projectedColumnsHint,
  unreadDegreesHint,
} from './geometry-columns.ts';
import { cleanColumnName } from './infer-types.ts';
import { loneCoordinatesHint } from './lone-coordinates.ts';

/** Rows from which the geometry columns are detected. */
const sampleRows = 1000;

/**
 * The batches, with geometries from their columns if the first batch has none.
 * @param info gets the columns that became the geometry, and what is to be said of them
 * @throws PayloadError if a column that people have named is missing
 */
export async function* withColumnGeometries(
  batches: AsyncIterable<RowBatch>,
  info: PayloadInfo,
): AsyncGenerator<RowBatch, void, undefined> {
  let columns: ColumnGeometries | undefined;
  for await (const batch of batches) {
    columns ??= new ColumnGeometries(batch, info, await isProjectedCrs(info.reading.crs));
    yield columns.addTo(batch);
  }
}

class ColumnGeometries {
  readonly #info: PayloadInfo;
  #source: GeometrySource | null = null;
  #present = 0;

  /**
   * @param first the first batch
   * @param isProjected true if the reference system that is named is projected
   */
  constructor(first: RowBatch, info: PayloadInfo, isProjected: boolean) {
    this.#info = info;
    if (first.geometries === null) this.#findColumns(first, isProjected);
    else this.#noteUnusedOptions();
  }

  #findColumns({ names, values, rows, errorAt }: RowBatch, isProjected: boolean): void {
    const info = this.#info;
    const lineOf = (row: number) => errorAt(row, '').line;
    const sample = { names: names.map(cleanColumnName), values, rows: Math.min(rows, sampleRows), lineOf };
    const source = findGeometryColumns(sample, info.reading, isProjected);
    if (source === null) {
      info.hint ??=
        brokenColumnsHint(sample, info.reading) ??
        unreadDegreesHint(sample) ??
        projectedColumnsHint(sample) ??
        loneCoordinatesHint(sample, info.reading);
      return;
    }
    this.#source = source;
    info.geometryEncoding = 'columns';
    // A reader has said that the rows have no geometry.
    info.hint = undefined;
    const { geometryColumn, pointColumns, remarks } = source;
    if (pointColumns) info.pointColumns = pointColumns;
    if (remarks.length > 0) info.notes = [...(info.notes ?? []), ...remarks];
    if (geometryColumn === undefined) return;
    info.geometryColumn = geometryColumn;
    info.geometryName = info.header?.[geometryColumn] ?? sample.names[geometryColumn] ?? '';
  }

  #noteUnusedOptions(): void {
    const { reading, notes = [] } = this.#info;
    const given = (['geometry', 'lat', 'lon'] as const).filter((name) => reading[name] !== undefined);
    if (given.length === 0) return;
    const options = given.map((name) => `--${name}`).join(' and ');
    this.#info.notes = [...notes, `${options}: not used, since the file has geometries of its own.`];
  }

  /** The batch with its geometries. */
  addTo(batch: RowBatch): RowBatch {
    const source = this.#source;
    if (source === null) return batch;
    if (batch.geometries !== null) {
      this.#keepColumn(source);
      return batch;
    }
    const { values, rows } = batch;
    const geometries = new GeometriesBuilder(rows);
    for (let row = 0; row < rows; row++) {
      if (source.addPlainPoint?.(values, row, geometries)) {
        this.#present++;
        continue;
      }
      const geometry = source.geometryAt(values, row);
      if (geometry !== null) this.#present++;
      if (geometry === undefined) this.#addMisplaced(source, batch, row);
      else if (this.#saysMore(source, batch, row)) this.#keepColumn(source);
      geometries.add(geometry ?? null);
    }
    const { misplaced } = this.#info;
    if (misplaced) this.#info.misplaced = { ...misplaced, present: this.#present };
    return { ...batch, geometries: geometries.take(), crs: crsNamesOf(source, batch) };
  }

  /** Counts a row whose cells are no geometry. Their columns stay. */
  #addMisplaced(source: GeometrySource, { names, values, errorAt }: RowBatch, row: number) {
    this.#keepColumn(source);
    const before = this.#info.misplaced;
    const { geometryColumn, pointColumns = [0, 0] } = source;
    const columns = geometryColumn === undefined ? pointColumns : [geometryColumn];
    const quoted = columns.map((column) => `"${excerpt(names[column])}"`);
    this.#info.misplaced = {
      line: errorAt(row, '').line,
      text: columns.map((column) => textOfCell(cellAt(values[column], row))).join(' '),
      column: `Column${quoted.length > 1 ? 's' : ''} ${quoted.join(' and ')}`,
      noun: geometryColumn === undefined ? 'position' : 'geometry',
      ...before,
      count: (before?.count ?? 0) + 1,
      present: 0,
    };
  }

  /** True if the cell of a row, in a column that would be left out, has more than the geometry. */
  #saysMore({ geometryColumn }: GeometrySource, { values }: RowBatch, row: number): boolean {
    if (geometryColumn === undefined || this.#info.geometryColumn === undefined) return false;
    return hasFurtherMembers(cellAt(values[geometryColumn], row));
  }

  /** Keeps the column of geometries, since it has more than the geometry. */
  #keepColumn({ geometryColumn }: GeometrySource): void {
    if (geometryColumn === undefined || this.#info.geometryColumn !== geometryColumn) return;
    delete this.#info.geometryColumn;
    delete this.#info.geometryName;
  }
}

/** Reference systems that cells name, by row; undefined if there are none. */
function crsNamesOf({ geometryColumn }: GeometrySource, { values, rows }: RowBatch): RowBatch['crs'] {
  if (geometryColumn === undefined) return undefined;
  const cells = values[geometryColumn];
  const names = Array.from({ length: rows }, (_, row) => crsOfGeometryCell(cellAt(cells, row)));
  return names.some((name) => name !== undefined) ? names : undefined;
}
