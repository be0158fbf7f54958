/** Options of commands that upload a file. */
import { InvalidArgumentError, Option } from 'commander';
import type { Rename } from '../../catalogue/difference.ts';
import { parseReadingOptions, readingNames } from '../../catalogue/reading.ts';
import { type ReadingOptionChanges, readableTypes } from '../../catalogue/types.ts';
import { fieldOptions } from '../fields.ts';
import { repeatableOption } from '../options.ts';

/** Options of an upload, besides the fields of a version. */
export interface UploadOptions {
  readonly checksum?: string;
  readonly mediaType?: string;
  readonly name?: string;
  readonly draft?: boolean;
  readonly force?: boolean;
  readonly replace?: boolean;
  readonly rename?: readonly Rename[];
}

/** The formats of files whose rows are read, for help. */
export const readableFormats =
  'Rows are read from GeoJSON (.geojson, .json), JSON lines (.geojsonl, .ndjson, .jsonl), JSON (.json), CSV (.csv), ' +
  'TSV (.tsv), Parquet or GeoParquet (.parquet), also gzipped (.gz), Excel (.xlsx), shapefiles (.zip), GeoPackage ' +
  '(.gpkg), FlatGeobuf (.fgb), KML (.kml, .kmz) and GPX (.gpx); any other file is kept as it is.';

export const uploadOptions = (): readonly Option[] => [
  new Option('--checksum <sha256>', 'Expected SHA-256 of the bytes; if it differs, nothing is kept.').argParser(
    (value: string) => {
      if (/^[0-9a-f]{64}$/i.test(value)) return value;
      throw new InvalidArgumentError('It must be 64 hexadecimal digits.');
    },
  ),
  new Option('--media-type <type>', "Media type of the bytes, if name and content don't show it."),
  new Option('--name <filename>', 'File name, for example for stdin: its extension sets the format.'),
  new Option('--draft', 'Add it as a draft, which only owners see until it is made ready.'),
  new Option('--force', 'Accept a version without rows, or without any column of the version before.'),
  new Option('--replace', 'Accept a file whose rows cannot be read, or of another format, after one with rows.'),
  new Option('--rename <old=new>', 'A column that has a new name: its description goes with it. Repeatable.').argParser(
    (text: string, renames: readonly Rename[] = []) => [...renames, renameFrom(text)],
  ),
];

/** @throws InvalidArgumentError */
function renameFrom(text: string): Rename {
  const [, from = '', to = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (from.trim() && to.trim()) return { from: from.trim(), to: to.trim() };
  throw new InvalidArgumentError('Write it as <old name>=<new name>.');
}

/** The details of an upload that these options give. */
export const uploadDetails = ({ checksum, mediaType, draft, force, replace, rename }: UploadOptions) => ({
  ...{ checksum, mediaType, force, replace, renames: rename },
  ...(draft && { ready: false }),
});

/** Options for reading the file; the dataset remembers them. */
export const readingOptions = (): readonly Option[] => [
  repeatableOption('--type <column=type>', `Type of a column: ${readableTypes.join(', ')}.`),
  new Option('--decimal <character>', 'Decimal separator: , or . (by default recognized).'),
  new Option('--date-format <format>', 'Form of dates: DD.MM.YYYY, MM/DD/YYYY HH:MM.'),
  new Option('--encoding <label>', 'Encoding of the text: utf-8, windows-1252, iso-8859-15.'),
  new Option('--delimiter <character>', 'Character between the cells of CSV; or "tab".'),
  new Option('--lat <column>', 'Column of latitude, or northing.'),
  new Option('--lon <column>', 'Column of longitude, or easting.'),
  new Option('--geometry <column>', 'Column of geometries: WKT, WKB in hexadecimal or base64, GeoJSON.'),
  new Option('--header', 'The first row has names (again).'),
  new Option('--no-header', 'The first row has values, not names.'),
  new Option('--skip <number>', 'Number of lines to skip before the first row.'),
  new Option('--crs <code>', 'Reference system of the coordinates, if the file names none: EPSG:25833.'),
  new Option('--layer <name>', 'Sheet of a workbook, or layer of a file that has several.'),
  new Option('--strict', "Refuse the file if a value doesn't fit its column."),
  new Option('--no-strict', 'Accept such values (again).'),
];

/** The options for reading among those of a command. @throws ValidationError, keyed by option */
export function readingOptionsFrom(options: UploadOptions): ReadingOptionChanges {
  const values = options as Readonly<Record<string, unknown>>;
  return parseReadingOptions(
    readingNames.flatMap((name) => {
      const value = values[name === 'date_format' ? 'dateFormat' : name];
      return value === undefined ? [] : [value].flat().map((one) => [name, one] as const);
    }),
  );
}

/** Options for the fields of a version that can be given along with its data; it is ready once it is there. */
export const versionFieldOptions = (): readonly Option[] =>
  fieldOptions('version', true).filter((option) => option.attributeName() !== 'ready');
