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
  /** True for a small file beside the rows, which is selected by its extension only. */
  readonly isSidecar?: boolean;
}

/**
 * The output formats, in order of preference. JSON media types select `geojson`.
 * `json` (an array of Features) and `objects` (an array of plain objects) are selected by name.
 * Newline-delimited GeoJSON has no media type of its own: `application/geo+json-seq` promises the record separators of
 * RFC 8142, so it is served as newline-delimited JSON.
 */
export const outputFormats = {
  geojson: {
    extension: 'geojson',
    contentType: 'application/geo+json',
    accept: ['application/geo+json', 'application/json', 'application/vnd.geo+json'],
  },
  json: { extension: 'json', contentType: 'application/json', accept: [] },
  objects: { extension: 'json', contentType: 'application/json', accept: [] },
  ndjson: {
    extension: 'ndjson',
    contentType: 'application/x-ndjson',
    accept: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'],
  },
  geojsonl: { extension: 'geojsonl', contentType: 'application/x-ndjson', accept: [] },
  csv: { extension: 'csv', contentType: 'text/csv; charset=utf-8; header=present', accept: ['text/csv'] },
  parquet: {
    extension: 'parquet',
    contentType: 'application/vnd.apache.parquet',
    accept: ['application/vnd.apache.parquet', 'application/x-parquet'],
    isBinary: true,
  },
  csvt: { extension: 'csvt', contentType: 'text/plain; charset=utf-8', accept: [], isSidecar: true },
  prj: { extension: 'prj', contentType: 'text/plain; charset=utf-8', accept: [], isSidecar: true },
} as const satisfies Record<string, OutputFormat>;

export type OutputFormatName = keyof typeof outputFormats;

/** The formats of groups of rows, which have no geometry, by the name asked for: JSON is an array of plain objects. */
export const aggregateFormats: Readonly<Partial<Record<OutputFormatName, OutputFormatName>>> = {
  json: 'objects',
  objects: 'objects',
  ndjson: 'ndjson',
  csv: 'csv',
};

export const aggregateFormatMessage = (format: string): string =>
  `Groups of rows have no geometry, and aren't written as ${format}. Ask for ${Object.keys(aggregateFormats).join(', ')}.`;
