/** Names of file formats. */
const formatNames: Readonly<Record<string, string>> = {
  geojson: 'GeoJSON',
  geojsonl: 'GeoJSON lines',
  ndjson: 'NDJSON',
  json: 'JSON',
  csv: 'CSV',
  tsv: 'TSV',
  parquet: 'Parquet',
  objects: 'JSON',
  gpkg: 'GeoPackage',
  pmtiles: 'PMTiles',
};

/** Name of a format as people write it. */
export const formatName = (format: string): string =>
  Object.hasOwn(formatNames, format) ? (formatNames[format] as string) : format.toUpperCase();
