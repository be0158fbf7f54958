/** The geometries of CSV: from the columns that its first rows decide on. */
import { excerpt } from '../../../catalogue/errors.ts';
import { cleanColumnName } from '../../ingest/infer-types.ts';
import { GeometriesBuilder } from '../points.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import type { Utf8Texts } from '../utf8-texts.ts';
import { crsOfGeometryCell } from './geometry-cells.ts';
import {
  brokenColumnsHint,
  findCsvGeometryColumns,
  type GeometrySource,
  projectedColumnsHint,
} from './geometry-columns.ts';

/** Rows from which the geometry columns are detected. */
const sampleRows = 1000;

export class CsvGeometries {
  readonly #names: readonly string[];
  readonly #info: PayloadInfo;
  readonly #source: GeometrySource | null;
  #present = 0;

  /**
   * @param names of the columns, which may become more
   * @param cells columns of the first rows
   * @param lines line of each of these rows
   * @param info filled in
   */
  constructor(names: readonly string[], cells: readonly Utf8Texts[], lines: readonly number[], info: PayloadInfo) {
    this.#names = names;
    this.#info = info;
    const shown = names.map(cleanColumnName);
    const rows = Math.min(lines.length, sampleRows);
    const sample = Array.from({ length: rows }, (_, row) => cells.map((column) => column.at(row)));
    this.#source = findCsvGeometryColumns(shown, sample, info.reading);
    const { geometryColumn } = this.#source ?? {};
    if (geometryColumn !== undefined) {
      info.geometryColumn = geometryColumn;
      info.geometryName = info.header?.[geometryColumn] ?? shown[geometryColumn] ?? '';
    }
    if (this.#source?.pointColumns) info.pointColumns = this.#source.pointColumns;
    const hint =
      this.#source === null
        ? (brokenColumnsHint(shown, sample, lines, info.reading) ?? projectedColumnsHint(shown, sample))
        : undefined;
    if (hint !== undefined) info.hint = hint;
  }

  /** The geometries of a batch. @param lines line of each row */
  read(cells: readonly Utf8Texts[], lines: readonly number[]): Pick<RowBatch, 'geometries' | 'crs'> {
    const source = this.#source;
    if (source === null) return { geometries: null };
    const geometries = new GeometriesBuilder(lines.length);
    for (let row = 0; row < lines.length; row++) {
      if (source.addPlainPoint?.(cells, row, geometries)) {
        this.#present++;
        continue;
      }
      const geometry = source.geometryOf((column) => cells[column]?.at(row));
      if (geometry !== null) this.#present++;
      if (geometry === undefined) this.#addMisplaced(source, (column) => cells[column]?.at(row), lines[row]);
      geometries.add(geometry ?? null);
    }
    const { misplaced } = this.#info;
    if (misplaced) this.#info.misplaced = { ...misplaced, present: this.#present };
    return { geometries: geometries.take(), crs: crsNamesOf(source, cells) };
  }

  /** Counts a row whose cells are no geometry. Their columns stay. */
  #addMisplaced(
    { geometryColumn, pointColumns = [0, 0] }: GeometrySource,
    cellOf: (column: number) => string | undefined,
    line: number | undefined,
  ) {
    delete this.#info.geometryColumn;
    delete this.#info.geometryName;
    const before = this.#info.misplaced;
    const columns = geometryColumn === undefined ? pointColumns : [geometryColumn];
    const names = columns.map((column) => `"${excerpt(this.#names[column])}"`);
    this.#info.misplaced = {
      line,
      text: columns.map((column) => cellOf(column) ?? '').join(' '),
      column: `Column${names.length > 1 ? 's' : ''} ${names.join(' and ')}`,
      noun: geometryColumn === undefined ? 'position' : 'geometry',
      ...before,
      count: (before?.count ?? 0) + 1,
      present: 0,
    };
  }
}

/** Reference systems that cells name, by row; undefined if there are none. */
function crsNamesOf(
  { geometryColumn }: GeometrySource,
  cells: readonly Utf8Texts[],
): (string | undefined)[] | undefined {
  const texts = geometryColumn === undefined ? undefined : cells[geometryColumn];
  const names = texts && Array.from({ length: texts.length }, (_, row) => crsOfGeometryCell(texts.at(row)));
  return names?.some((name) => name !== undefined) ? names : undefined;
}
