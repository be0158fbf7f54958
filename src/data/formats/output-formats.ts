export interface OutputFormat {
  /** Of a file name, without the dot. */
  readonly extension: string;
  /** The Content-Type. JSON has no charset (RFC 8259, section 11); text has, or old clients assume Latin 1. */
  readonly contentType: string;
  /** Media types of an Accept header that ask for it; none where the format has to be asked for by name. */
  readonly accept: readonly string[];
}

/**
 * In the order of preference. Whatever JSON type is asked for means `geojson`; `json` and `objects` are for those who
 * say so. Newline-delimited GeoJSON has no media type of its own: `application/geo+json-seq` promises the record
 * separators of RFC 8142, so it goes by what it is to any reader, newline-delimited JSON.
 */
export const formats = {
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
  },
  csvt: { extension: 'csvt', contentType: 'text/plain; charset=utf-8', accept: [] },
  prj: { extension: 'prj', contentType: 'text/plain; charset=utf-8', accept: [] },
} as const satisfies Record<string, OutputFormat>;

export type FormatName = keyof typeof formats;
