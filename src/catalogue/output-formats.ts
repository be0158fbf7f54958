/** The output formats: names, media types and extensions. Loaded early by commands, so it imports nothing. */
export interface OutputFormat {
  /** File name extension, without the dot. */
  readonly extension: string;
  /** Content-Type. JSON has no charset (RFC 8259, section 11); text has one, or old clients assume Latin-1. */
  readonly contentType: string;
  /** Media types of an Accept header that select it; none if the format is selected by name only. */
  readonly accept: readonly string[];
  /** True for a format that has its own compression, or none that is worth it. */
  readonly isBinary?: boolean;
  /** True if it is for tables with a geometry only. */
  readonly needsGeometry?: boolean;
  /** Fewest rows of a table that is offered in this format; others are written, too. */
  readonly leastRows?: number;
  /** Most columns of a table that can be written in this format, the geometry counted. */
  readonly mostColumns?: number;
  /** True if it stands among the downloads of a version, and in documents about it. */
  readonly isOffered?: boolean;
  /** True for a small file beside the rows, which is selected by its extension only. */
  readonly isSidecar?: boolean;
}

/**
 * The output formats, in order of preference. JSON media types select `geojson`.
 * `json` (an array of Features) and `objects` (an array of plain objects) are selected by name.
 * Newline-delimited GeoJSON has no media type of its own: `application/geo+json-seq` promises the record separators of
 * RFC 8142, so it is served as newline-delimited JSON. `excel` is CSV as a spreadsheet takes it: semicolons, a byte order mark, no formulas.
 */
export const outputFormats = {
  geojson: {
    extension: 'geojson',
    contentType: 'application/geo+json',
    accept: ['application/geo+json', 'application/json', 'application/vnd.geo+json'],
    isOffered: true,
    needsGeometry: true,
  },
  json: { extension: 'json', contentType: 'application/json', accept: [] },
  objects: { extension: 'json', contentType: 'application/json', accept: [], isOffered: true },
  ndjson: {
    extension: 'ndjson',
    contentType: 'application/x-ndjson',
    accept: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'],
    isOffered: true,
  },
  geojsonl: {
    ...{ extension: 'geojsonl', contentType: 'application/x-ndjson', accept: [] },
    ...{ isOffered: true, needsGeometry: true },
  },
  csv: {
    extension: 'csv',
    contentType: 'text/csv; charset=utf-8; header=present',
    accept: ['text/csv'],
    isOffered: true,
  },
  excel: { extension: 'csv', contentType: 'text/csv; charset=utf-8; header=present', accept: [], isOffered: true },
  parquet: {
    extension: 'parquet',
    contentType: 'application/vnd.apache.parquet',
    accept: ['application/vnd.apache.parquet', 'application/x-parquet'],
    isBinary: true,
    isOffered: true,
  },
  gpkg: {
    extension: 'gpkg',
    contentType: 'application/geopackage+sqlite3',
    accept: ['application/geopackage+sqlite3'],
    isBinary: true,
    isOffered: true,
    // SQLite has 2,000, and one is the id.
    mostColumns: 1999,
  },
  pmtiles: {
    extension: 'pmtiles',
    contentType: 'application/vnd.pmtiles',
    accept: ['application/vnd.pmtiles'],
    isBinary: true,
    ...{ isOffered: true, needsGeometry: true, leastRows: 5000 },
  },
  csvt: { extension: 'csvt', contentType: 'text/plain; charset=utf-8', accept: [], isSidecar: true },
  prj: { extension: 'prj', contentType: 'text/plain; charset=utf-8', accept: [], isSidecar: true },
} as const satisfies Record<string, OutputFormat>;

export type OutputFormatName = keyof typeof outputFormats;

/** The formats whose beginning is known last: they are written to a file. */
export type FileFormatName = 'gpkg' | 'pmtiles';
export type StreamedFormatName = Exclude<OutputFormatName, FileFormatName>;

export const isFileFormat = (format: OutputFormatName): format is FileFormatName =>
  format === 'gpkg' || format === 'pmtiles';

/** The formats in which a table is offered, in their order. */
export function offeredFormats(columns: readonly { readonly type: string }[], rows: number | null): OutputFormatName[] {
  const hasGeometry = columns.some(({ type }) => type === 'geometry');
  return (Object.entries(outputFormats) as [OutputFormatName, OutputFormat][]).flatMap(
    ([name, { isOffered, needsGeometry, leastRows = 0, mostColumns = Infinity }]) =>
      isOffered && (hasGeometry || !needsGeometry) && (rows ?? 0) >= leastRows && columns.length <= mostColumns
        ? [name]
        : [],
  );
}

/** The formats of groups of rows, which have no geometry, by the name asked for: JSON is an array of plain objects. */
export const aggregateFormats: Readonly<Partial<Record<OutputFormatName, OutputFormatName>>> = {
  json: 'objects',
  objects: 'objects',
  ndjson: 'ndjson',
  csv: 'csv',
  excel: 'excel',
};

export const aggregateFormatMessage = (format: string): string =>
  `Groups of rows have no geometry, and aren't written as ${format}. Ask for ${Object.keys(aggregateFormats).join(', ')}.`;
