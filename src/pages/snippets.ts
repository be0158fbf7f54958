/** Ready lines for tools, made from an address of rows: the one place where they are written. */

import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import type { Column } from '../catalogue/types.ts';
import { frameCode } from './frame-code.ts';
import { keepLast } from './keep-last.ts';

/** The rows that a snippet reads. */
export interface RowsSource {
  /** Absolute address of the rows without format: `https://host/api/v1/…/data`. */
  readonly address: string;
  /** Query string with `?`, or ''. */
  readonly query: string;
  /** Name for a variable or a file. */
  readonly name: string;
  readonly hasGeometry: boolean;
  /** True if the rows are groups of rows, which fewer formats can hold. */
  readonly isAggregated?: boolean;
  /** True if not everybody may read them: tools need a token, and frames on other sites show nothing. */
  readonly isPrivate: boolean;
  /** Columns of texts that other tools would read as numbers or truth values. */
  readonly textColumns: readonly string[];
  /** For the command line: `namespace/dataset`, with `@version`, or `@query`; and the address of the server. */
  readonly subject: string;
  /** Title of the rows, for people. */
  readonly title: string;
  readonly server: string;
}

export interface Snippet {
  readonly tool: 'curl' | 'python' | 'r' | 'duckdb' | 'qgis' | 'js' | 'cli' | 'embed';
  readonly title: string;
  /** What to copy, one block for each way. */
  readonly blocks: readonly string[];
}

/** A text in double quotes, for Python, R and JavaScript. */
const quoted = (text: string): string => JSON.stringify(text);
/** A text in single quotes, for a shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** A text in single quotes, for SQL. */
const sqlQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name that every language takes. */
const variableName = (name: string): string => {
  const plain = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  const lower = plain.toLowerCase();
  return /^[a-z]/.test(lower) && !reservedWords.includes(lower) ? lower : `data_${lower}`;
};
/** Words of Python, R and JavaScript that are no names of variables. */
const reservedWords: readonly string[] = (
  'and as assert async await break case catch class const continue debugger def default del delete do elif else enum ' +
  'except export extends false finally for from function global if implements import in inf inner instanceof ' +
  'interface is lambda let na nan new next none nonlocal not null or package pass private protected public raise ' +
  'repeat return static super switch this throw true try typeof var void while with yield'
).split(' ');

/** True for a text that Python or R would read as something else. */
const looksTyped = (text: string): boolean =>
  /^\s*[-+]?(\d|\.\d|inf|nan)/i.test(text)
    ? !Number.isNaN(Number(text)) || /^\s*[-+]?(inf|nan)/i.test(text)
    : isTruthValue.test(text);
const isTruthValue = /^(true|false|t|f)$/i;

/** Columns of texts that other tools would read as numbers or truth values, as far as their values are known. */
export const columnsThatLookTyped = keepLast(
  (columns: readonly Column[], profiles: ReadonlyMap<string, Partial<ColumnProfile>>): readonly string[] =>
    columns
      .filter(({ name, type }) => {
        if (type !== 'string') return false;
        const { min, max, top = [], examples = [] } = profiles.get(name) ?? {};
        return [min, max, ...examples, ...top.map(({ value }) => value)].some((value) =>
          looksTyped(String(value ?? '')),
        );
      })
      .map(({ name }) => name),
);

/** The address of the rows as "CSV for Excel": semicolons, a byte order mark, and no cell that is a formula. */
export const excelAddress = ({ address, query }: Pick<RowsSource, 'address' | 'query'>): string =>
  `${address}.excel${query}`;

export function makeSnippets(source: RowsSource): readonly Snippet[] {
  const { address, query, name, hasGeometry, isAggregated = false, subject, title, server } = source;
  const at = (extension: string) => `${address}.${extension}${query}`;
  const variable = variableName(name);
  // In R, `optional` keeps the names of columns as they are.
  const best = hasGeometry ? 'geojson' : 'csv';
  const parameters = [...new URLSearchParams(query)];
  const filters = parameters.map(([key, value]) => ` ${shellQuoted(`${key}=${value}`)}`).join('');
  // The command line takes the first "=" for the end of the name, and a hyphen for an option.
  const isTypable = !parameters.some(([key]) => key.includes('=') || key.startsWith('-'));
  const objects = `${address}/${query ? `${query}&` : '?'}_format=objects`;
  return [
    { tool: 'curl', title: 'curl', blocks: [`curl -o ${variable}.${best} ${shellQuoted(at(best))}`] },
    {
      tool: 'python',
      title: 'Python',
      blocks: [
        ...(hasGeometry ? [`import geopandas as gpd\n\n${variable} = gpd.read_file(${quoted(at('geojson'))})`] : []),
        `import pandas as pd\n\n${variable} = ${pandasCall(source)}`,
      ],
    },
    {
      tool: 'r',
      title: 'R',
      blocks: [
        ...(hasGeometry ? [`library(sf)\n\n${variable} <- st_read(${quoted(at('geojson'))}, optional = TRUE)`] : []),
        `${variable} <- ${readCsvCall(source)}`,
      ],
    },
    {
      tool: 'duckdb',
      title: 'DuckDB',
      blocks: [
        `INSTALL httpfs; LOAD httpfs;\n\nSELECT * FROM ${
          isAggregated ? `read_csv(${sqlQuoted(at('csv'))})` : `read_parquet(${sqlQuoted(at('parquet'))})`
        };`,
      ],
    },
    {
      tool: 'qgis',
      title: 'QGIS, GDAL',
      blocks: hasGeometry
        ? [at('geojson'), `ogr2ogr ${variable}.gpkg ${shellQuoted(`GeoJSON:${at('geojson')}`)}`]
        : [`ogr2ogr -f XLSX ${variable}.xlsx ${shellQuoted(`CSV:/vsicurl_streaming/${at('csv')}`)}`],
    },
    {
      tool: 'js',
      title: 'JavaScript',
      blocks: [
        `const response = await fetch(${quoted(hasGeometry ? at('geojson') : objects)});\nconst ${variable} = await response.json();`,
      ],
    },
    ...(isTypable
      ? [
          {
            tool: 'cli',
            title: '',
            blocks: [`catalogue data ${subject}${filters} --remote ${server} -o ${variable}.${best}`],
          } as const,
        ]
      : []),
    {
      tool: 'embed',
      title: '',
      blocks: (hasGeometry ? (['map', 'table'] as const) : (['table'] as const)).map((view) => {
        const frame = `${address.replace(/data$/, 'embed/')}${query ? `${query}&` : '?'}_view=${view}`;
        return frameCode(frame, title, view);
      }),
    },
  ];
}

/** Only an empty cell is missing: pandas would take texts such as `NA`, Namibia's code, for missing, too. */
function pandasCall({ address, query, textColumns }: RowsSource): string {
  const types = textColumns.map((column) => `${quoted(column)}: str`).join(', ');
  return `pd.read_csv(
    ${quoted(`${address}.csv${query}`)},
    keep_default_na=False,
    na_values=[""],${types && `\n    dtype={${types}},`}
)`;
}

/** As with pandas, only an empty cell is missing, and names of columns stay as they are. */
function readCsvCall({ address, query, textColumns }: RowsSource): string {
  const types = textColumns.map((column) => `${rName(column)} = "character"`).join(', ');
  return `read.csv(
  ${quoted(`${address}.csv${query}`)},
  na.strings = "",
  check.names = FALSE${types && `,\n  colClasses = c(${types})`}
)`;
}

/** The name of an argument in R. */
const rName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
