/**
 * The lines of "Use it" do what they promise: taken from the pages and run by the tools that they are for, they give the rows
 * of the table. A tool that isn't installed is skipped, unless this runs in continuous integration, where it has to be.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import Papa from 'papaparse';
import { startServer } from '../../src/serve.ts';
import { makeWorkshop } from '../support/published.ts';

const run = promisify(execFile);
const missing = (command: string, args: readonly string[], packages: string) =>
  !process.env.CI && spawnSync(command, args).status !== 0 && `${command} can't do this (Debian: ${packages})`;
/** Debian's Python, which has Debian's packages. */
const python = '/usr/bin/python3';
/** Runs scripts, each with variables of its own, in one process: to load the libraries takes longer than all of them. */
const runScripts = `
import json, sys
def run(script):
    variables = {}
    exec(script, variables)
    return variables["printed"]
print(json.dumps([run(script) for script in json.loads(sys.argv[1])]))
`;

type Row = Readonly<Record<string, unknown>>;

/** Cells that tools like to change: leading zeros, texts like numbers and like "not available", quotes, null, dates. */
const features = [
  { code: '007', state: 'NA', name: 'Oak "old", tall', day: '2020-02-29', at: '2020-01-01T10:00:00Z', count: 1 },
  { code: '0010', state: 'TRUE', name: "l'orme, élevé", day: '2021-03-01', at: '2020-01-02T10:00:00Z', count: null },
  { code: '1.10', state: 'NULL', name: 'two\nlines', day: null, at: '2020-01-03T10:00:00Z', count: -5 },
  { code: '12', state: '1e5', name: '<b>&amp;', day: '1999-12-31', at: null, count: 9007199254740991 },
].map((properties, i) => ({
  type: 'Feature',
  geometry: i === 2 ? null : { type: 'Point', coordinates: [4.5 + i, 51.25] },
  properties: { ...properties, 'size, m': i * 1.5, 'so "called"': i < 2, "it's": i === 1 ? null : i },
}));
const plain = Papa.unparse(features.map(({ properties }) => properties));

/** Rows as pages show them: whole, and filtered. */
const pages = {
  'with geometry': 'trees/',
  'with geometry, filtered': 'trees/data/?size,+m__gte=1&_ordering=-name&it%27s__isnull=false',
  'of a version': 'stock/version/latest/',
  'without geometry, filtered': 'stock/data/?count__lte=5&_ordering=-code&_fields=code,name,state,count',
  'in groups': 'stock/data/?_group_by=so+%22called%22&_aggregate=count,max(count)&_ordering=count',
} as const;

describe('lines of "Use it"', () => {
  let base: string;
  let home: string;
  let close: () => Promise<void>;
  /** Rows of the tables, and the lines of their pages by tool. */
  const known = new Map<string, { readonly rows: readonly Row[]; readonly lines: Record<string, string[]> }>();

  before(async () => {
    const workshop = await makeWorkshop();
    await workshop.publish('trees', 'trees.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
    await workshop.publish('stock', 'stock.csv', plain);
    await workshop.files.close();
    const server = await startServer({ folder: workshop.root, host: '127.0.0.1', port: 0, log: () => {} });
    base = server.url;
    home = mkdtempSync(join(tmpdir(), 'snippets-'));
    close = async () => {
      await server.close();
      await workshop.remove();
      rmSync(home, { recursive: true, force: true });
    };
    for (const [name, path] of Object.entries(pages)) known.set(name, await readPage(path));
  });
  after(() => close());

  async function readPage(path: string) {
    const address = `${base}/api/v1/namespaces/lab/datasets/${path}`;
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const html = await response.text();
    assert.equal(response.status, 200, html);
    const rows = new URL(address);
    if (!rows.pathname.endsWith('/data/')) rows.pathname += 'data/';
    rows.searchParams.set('_format', 'objects');
    return { rows: (await (await fetch(rows)).json()) as Row[], lines: linesIn(html) };
  }

  /** Runs a shell command in a folder of its own. @returns the folder */
  async function shell(line: string): Promise<string> {
    const cwd = mkdtempSync(join(home, 'run-'));
    const { PATH = '' } = process.env;
    await run('sh', ['-ec', line], { cwd, env: { ...process.env, PATH: `${home}${delimiter}${PATH}` } });
    return cwd;
  }

  /** A test of a tool's blocks on each page: the rows that they give are those of the table. */
  function runs(tool: string, skip: string | false, read: (code: string, name: string) => Promise<readonly Row[]>) {
    it(tool, { skip }, async () => {
      let count = 0;
      for (const [name, { rows, lines }] of known)
        for (const code of lines[tool] ?? []) {
          assertSameRows(await read(code, name), rows, `${name}:\n${code}`);
          count++;
        }
      assert.ok(
        count >= known.size,
        `${tool} has only ${count} lines: ${[...known].map(([name, { lines }]) => `${name} ${lines[tool]?.length}`)}`,
      );
    });
  }

  runs('curl', missing('curl', ['--version'], 'curl'), async (code) => {
    const file = /-o (\S+)/.exec(code)?.[1] ?? '';
    return readFileOfRows(join(await shell(code), file));
  });

  runs('cli', false, async (code) => {
    const program = fileURLToPath(new URL('../../bin/catalogue.js', import.meta.url));
    writeFileSync(join(home, 'catalogue'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
      mode: 0o755,
    });
    return readFileOfRows(join(await shell(code), /-o (\S+)/.exec(code)?.[1] ?? ''));
  });

  runs('js', false, async (code) => {
    const AsyncFunction = (async () => {}).constructor as new (code: string) => () => Promise<unknown>;
    const variable = /^const (\w+) = await response/m.exec(code)?.[1];
    const result = (await new AsyncFunction(`${code}\nreturn ${variable}`)()) as Row[] | Row;
    return Array.isArray(result) ? result : rowsOfFeatures(result);
  });

  const pythonScript = (code: string) => {
    const variable = /^(\w+) = /m.exec(code)?.[1];
    const geometry = code.includes('geopandas')
      ? `\n${variable}["geometry"] = [g.wkt if g else None for g in ${variable}.geometry]\nimport pandas as pd\n${variable} = pd.DataFrame(${variable})`
      : '';
    return `${code}${geometry}\nprinted = ${variable}.to_json(orient="records", date_format="iso")`;
  };
  /** What the scripts of all lines print. */
  let printed: Promise<ReadonlyMap<string, string>> | undefined;

  async function runInPython(codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { stdout } = await run(python, ['-W', 'ignore', '-c', runScripts, JSON.stringify(codes.map(pythonScript))]);
    const results = JSON.parse(stdout) as readonly string[];
    return new Map(codes.map((code, i) => [code, results[i] ?? '']));
  }

  runs('python', missing(python, ['-c', 'import geopandas, pandas'], 'python3-geopandas'), async (code) => {
    printed ??= runInPython([...known.values()].flatMap(({ lines }) => lines.python ?? []));
    return JSON.parse((await printed).get(code) ?? '');
  });

  runs('r', missing('Rscript', ['-e', 'library(sf)'], 'r-base-core r-cran-sf'), async (code) => {
    const variable = /^(\w+) <- /m.exec(code)?.[1];
    const geometry = code.includes('library(sf)')
      ? `g <- st_as_text(st_geometry(${variable})); ${variable} <- st_drop_geometry(${variable}); ${variable}$geometry <- g`
      : '';
    const script = `${code}\n${geometry}\nwrite.csv(${variable}, "rows.csv", row.names = FALSE, na = "")`;
    const cwd = mkdtempSync(join(home, 'run-'));
    await run('Rscript', ['-e', script], { cwd, env: { ...process.env, TZ: 'UTC' } });
    return readFileOfRows(join(cwd, 'rows.csv'));
  });

  // DuckDB's extension for HTTP comes from a host of its own: here, DuckDB reads a copy of the file at the address.
  runs('duckdb', false, async (code) => {
    const address = /'(https?:.*)'/.exec(code)?.[1]?.replaceAll("''", "'") ?? '';
    const file = join(mkdtempSync(join(home, 'run-')), 'rows');
    writeFileSync(file, Buffer.from(await (await fetch(address)).arrayBuffer()));
    const [first, sql = ''] = code.split('\n\n');
    assert.equal(first, 'INSTALL httpfs; LOAD httpfs;');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const local = sql.replace(/'https?:.*'/, `'${file}'`);
    const columns = (await connection.runAndReadAll(`DESCRIBE ${local.replace(';', '')}`)).getRowObjectsJson();
    const isGeometry = columns.some((column) => String(column.column_type).startsWith('GEOMETRY'));
    const shown = isGeometry ? local.replace('*', '* REPLACE (ST_AsText(geometry) AS geometry)') : local;
    const found = (await connection.runAndReadAll(shown)).getRowObjectsJson() as Row[];
    connection.closeSync();
    instance.closeSync();
    return found;
  });

  runs('qgis', missing('ogr2ogr', ['--version'], 'gdal-bin'), async (code) => {
    const asCsv = (source: string) =>
      `ogr2ogr -f CSV rows.csv ${source} -lco GEOMETRY=AS_WKT -lco STRING_QUOTING=ALWAYS`;
    const made = /^ogr2ogr .*?(\w+\.(?:gpkg|xlsx)) /.exec(code)?.[1];
    const line = made
      ? `${code}\n${asCsv(made.endsWith('xlsx') ? `${made} --config OGR_XLSX_HEADERS FORCE` : made)}`
      : asCsv(`'${code.replaceAll("'", "'\\''")}'`);
    return readFileOfRows(join(await shell(line), 'rows.csv'));
  });

  it('hold a file for Excel: semicolons, a byte order mark, no formula', async () => {
    const html = await (
      await fetch(`${base}/api/v1/namespaces/lab/datasets/stock/`, { headers: { Accept: 'text/html' } })
    ).text();
    const href = /href="([^"]*\/data\.excel)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const bytes = Buffer.from(await (await fetch(new URL(href, base))).arrayBuffer());
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    assert.match(bytes.toString(), /^\ufeffcode;state;name/);
  });
});

/** The blocks of code in the part "Use it" of a page, by tool. */
function linesIn(html: string): Record<string, string[]> {
  const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>' };
  const panels = [...html.matchAll(/<div class="panel p-(\w+)">(.*?)(?=<div class="panel |<\/section>)/gs)];
  return Object.fromEntries(
    panels.map(([, tool = '', panel = '']) => [
      tool,
      [...panel.matchAll(/<code>(.*?)<\/code>/gs)].map(([, code = '']) =>
        code.replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity),
      ),
    ]),
  );
}

function readFileOfRows(path: string): readonly Row[] {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.csv')) return rowsOfFeatures(JSON.parse(text));
  return Papa.parse<Row>(text.trimEnd(), { header: true }).data;
}

const rowsOfFeatures = (collection: Row): readonly Row[] =>
  (collection.features as { properties: Row; geometry: unknown }[]).map(({ properties, geometry }) => ({
    ...properties,
    geometry,
  }));

/**
 * Compares cells as texts. Tools write null as nothing, truth and times in ways of their own, and may keep the geometry in
 * columns named otherwise. GDAL's reader of CSV takes quotes out of names.
 */
function assertSameRows(actual: readonly Row[], expected: readonly Row[], message: string): void {
  assert.ok(expected.length > 1, message);
  assert.deepEqual(
    actual.map((row) => comparable(row, expected[0] as Row)),
    expected.map((row) => comparable(row, expected[0] as Row)),
    message,
  );
}

function comparable(row: Row, model: Row): Row {
  const names = Object.keys(model).filter((name) => name !== 'geometry');
  const { geometry = row.WKT ?? ('longitude' in row ? pointOf(row) : undefined) } = row;
  return {
    ...Object.fromEntries(names.map((name) => [name, textOfCell(row[name] ?? row[name.replaceAll('"', '')], name)])),
    ...('geometry' in model && geometry !== undefined && { geometry: textOfGeometry(geometry) }),
  };
}

const pointOf = ({ longitude, latitude }: Row): string =>
  longitude === '' || longitude === null ? '' : `POINT (${longitude} ${latitude})`;

function textOfGeometry(geometry: unknown): string {
  if (geometry === null || geometry === '' || geometry === 'POINT EMPTY') return '';
  if (typeof geometry === 'string') return geometry;
  return `POINT (${(geometry as { coordinates: number[] }).coordinates.join(' ')})`;
}

function textOfCell(value: unknown, name: string): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  if (/called/.test(name)) return text.toLowerCase().replace(/^1$/, 'true').replace(/^0$/, 'false');
  if (/^(count|size|it's|max)/.test(name) && text !== '') return String(Number(text));
  if (name === 'day') return text.replaceAll('/', '-').slice(0, 10);
  if (name === 'at' && text)
    return new Date(
      text
        .replaceAll('/', '-')
        .replace(/(Z|\+00)?$/, 'Z')
        .replace(' ', 'T'),
    ).toISOString();
  return text.replaceAll('\r\n', '\n');
}
