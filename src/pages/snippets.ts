/** Ready lines for tools, made from an address of rows: the one place where they are written. */

/** The rows that a snippet reads. */
export interface RowsSource {
  /** Absolute address of the rows without format: `https://host/api/v1/…/data`. */
  readonly address: string;
  /** Query string with `?`, or ''. */
  readonly query: string;
  /** Name for a variable or a file. */
  readonly name: string;
  readonly hasGeometry: boolean;
  /** Columns of texts that look like numbers with leading zeros. */
  readonly textColumns: readonly string[];
  /** `namespace/dataset`, and the address of the server, for the command line; null if a version is asked for. */
  readonly dataset: string | null;
  readonly server: string;
}

export interface Snippet {
  readonly tool: 'curl' | 'python' | 'r' | 'duckdb' | 'qgis' | 'js' | 'cli';
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
  return /^[A-Za-z]/.test(plain) ? plain.toLowerCase() : `data_${plain}`.toLowerCase();
};

export function makeSnippets(source: RowsSource): readonly Snippet[] {
  const { address, query, name, hasGeometry, textColumns, dataset, server } = source;
  const at = (extension: string) => `${address}.${extension}${query}`;
  const variable = variableName(name);
  const best = hasGeometry ? 'geojson' : 'csv';
  const dtype = textColumns.length
    ? `,\n    dtype={${textColumns.map((column) => `${quoted(column)}: str`).join(', ')}}`
    : '';
  const colClasses = textColumns.length
    ? `,\n  colClasses = c(${textColumns.map((column) => `${quoted(column)} = "character"`).join(', ')})`
    : '';
  const parameters = [...new URLSearchParams(query)]
    .map(([key, value]) => ` ${shellQuoted(`${key}=${value}`)}`)
    .join('');
  return [
    { tool: 'curl', title: 'curl', blocks: [`curl -o ${variable}.${best} ${shellQuoted(at(best))}`] },
    {
      tool: 'python',
      title: 'Python',
      blocks: [
        ...(hasGeometry ? [`import geopandas as gpd\n\n${variable} = gpd.read_file(${quoted(at('geojson'))})`] : []),
        `import pandas as pd\n\n${variable} = pd.read_csv(${quoted(at('csv'))}${dtype})`,
      ],
    },
    {
      tool: 'r',
      title: 'R',
      blocks: [
        ...(hasGeometry ? [`library(sf)\n\n${variable} <- st_read(${quoted(at('geojson'))})`] : []),
        `${variable} <- read.csv(${quoted(at('csv'))}${colClasses})`,
      ],
    },
    {
      tool: 'duckdb',
      title: 'DuckDB',
      blocks: [`INSTALL httpfs; LOAD httpfs;\n\nSELECT * FROM read_parquet(${sqlQuoted(at('parquet'))}) LIMIT 10;`],
    },
    {
      tool: 'qgis',
      title: 'QGIS, GDAL',
      blocks: hasGeometry
        ? [`/vsicurl/${at('geojson')}`, `ogr2ogr ${variable}.gpkg ${shellQuoted(`GeoJSON:${at('geojson')}`)}`]
        : [`ogr2ogr -f XLSX ${variable}.xlsx ${shellQuoted(`CSV:/vsicurl/${at('csv')}`)}`],
    },
    {
      tool: 'js',
      title: 'JavaScript',
      blocks: [
        `const response = await fetch(${quoted(at(hasGeometry ? 'geojson' : 'json'))});\nconst ${variable} = await response.json();`,
      ],
    },
    ...(dataset === null
      ? []
      : [
          {
            tool: 'cli' as const,
            title: '',
            blocks: [`catalogue data ${dataset}${parameters} --remote ${server} -o ${variable}.${best}`],
          },
        ]),
  ];
}
