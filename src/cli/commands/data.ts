/** `catalogue data`: the rows of a dataset. */
import { extname, resolve } from 'node:path';
import { Option } from 'commander';
import type { Catalogue, Rows } from '../../catalogue/catalogue.ts';
import { closestWord } from '../../catalogue/closest.ts';
import { type OutputFormat, type OutputFormatName, outputFormats } from '../../catalogue/output-formats.ts';
import { parseDatasetRef, parseVersionRef, refFromSlug } from '../../catalogue/parse-ref.ts';
import { datasetRefOf, formatRef, type VersionRef } from '../../catalogue/ref.ts';
import {
  aggregateFunctions,
  ambiguousNames,
  haveAggregates,
  parametersFromRecord,
  withExactNames,
} from '../../catalogue/row-parameters.ts';
import type { DataColumn, Query, Version } from '../../catalogue/types.ts';
import { splitList } from '../../data/query/parameter-values.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { type Parameter, parseFilterWords } from '../filters.ts';
import { runInterruptible } from '../interruption.ts';
import { findEntityOrRenamed, resolveVersionRef } from '../lookup.ts';
import { assertOneFormat, wholeNumberParser } from '../options.ts';
import { showByteProgress } from '../output/progress.ts';
import { bytesText } from '../output/quantities.ts';
import { showRows } from '../output/rows-table.ts';
import { saveStreamToFile } from '../transfer/save.ts';

/** Parameters of the data address, by the options that give them. */
const parametersByOption = {
  limit: '_limit',
  offset: '_offset',
  ordering: '_ordering',
  fields: '_fields',
  bbox: '_bbox',
  filter: '_filter',
  groupBy: '_group_by',
  aggregate: '_aggregate',
} as const;

interface DataOptions extends Partial<Record<keyof typeof parametersByOption, string | number>> {
  readonly format?: OutputFormatName;
  readonly output?: string;
}

const names = Object.keys(outputFormats) as OutputFormatName[];
const count = wholeNumberParser(0, Number.MAX_SAFE_INTEGER);

export const command: Verb<DataOptions> = {
  usage: 'data <dataset> [filters...]',
  description: 'Print the rows of a dataset, a version or a saved query.',
  notes:
    'The name of a saved query is written with an @ before it. A filter is column=value or column__lookup=value, with the lookups ne, gt, gte, lt, lte, in, range, isnull, ' +
    'contains, startswith, endswith (icontains … to ignore case), and for geometry intersects, within, contains, ' +
    'disjoint, bbox, dwithin. A row must pass all filters. At a terminal, the first rows are shown as a table; ' +
    'otherwise the output is GeoJSON, or CSV if there is no geometry, unless --format or the name of the file says something else. ' +
    'With --group-by or --aggregate, there is a row for each group of rows, with functions of their columns: ' +
    `${Object.keys(aggregateFunctions).join(', ')}.`,
  examples: [
    'catalogue data parks/trees',
    'catalogue data parks/trees height__gte=10 name__icontains=oak --ordering -height --limit 5',
    'catalogue data @tall-trees --limit 5',
    'catalogue data parks/trees@latest --bbox 4,51,5,52 -o trees.csv',
    'catalogue data parks/trees --filter "height > 10 OR name LIKE \'o%\'" --fields name,height --format csv',
    'catalogue data parks/trees --group-by name --aggregate "count,mean(height)" --ordering -count',
  ],
  options: () => [
    new Option('--format <name>', `Output format: ${names.join(', ')}.`).choices(names),
    new Option('-o, --output <file>', 'Write to this file, or replace it; its extension sets the format. - is stdout.'),
    new Option('--limit <number>', 'Maximum number of rows.').argParser(count),
    new Option('--offset <number>', 'Number of rows to skip.').argParser(count),
    new Option('--ordering <columns>', 'Columns to order by, comma-separated; a minus for descending.'),
    new Option('--fields <columns>', 'Only these columns, comma-separated.'),
    new Option('--group-by <columns>', 'A row for each group of rows with the same values in these columns.'),
    new Option(
      '--aggregate <functions>',
      'Columns of the groups, as in SQL: count,sum(height),mean(height) AS average.',
    ),
    new Option('--bbox <box>', 'Only rows that touch this box: west,south,east,north.'),
    new Option(
      '--filter <cql2>',
      'A condition in CQL2, as text or JSON, with AND, OR, NOT, BETWEEN, LIKE, IN, IS NULL, CASEI, S_INTERSECTS, T_AFTER, A_CONTAINS.',
    ),
  ],
  async run(call, [name = '', ...words], options) {
    const { show, context } = call;
    assertOneFormat(show, options.format);
    const named = name.startsWith('@') ? refFromSlug('query', name.slice(1)) : parseVersionRef(name);
    const given = [...parseFilterWords(words), ...ownParameters(options)];
    const output = options.output === '-' ? undefined : options.output;
    const format = options.format ?? (output === undefined ? undefined : formatOf(output));
    if (output === undefined && show.forPeople) assertShowable(format);
    const catalogue = await call.open();
    const query = named.kind === 'query' ? await findEntityOrRenamed(call, catalogue, named) : null;
    const parameters = [...parametersFromRecord(query?.parameters ?? {}), ...given];
    const requested = query ? versionOf(query) : (named as VersionRef);
    const { ref, version } = await resolveVersionRef(call, catalogue, requested);
    // A filter of a column "format" or "limit" is no choice of a format, and no limit.
    const isAmbiguous = parameters.some(([name]) => ambiguousNames.includes(name));
    const exact = isAmbiguous ? withExactNames(parameters, await columnsOf(catalogue, version)) : parameters;
    const byTable = show.forPeople && !show.asJson && output === undefined && format === undefined;
    if (byTable) {
      await showRows(
        call,
        (more) => catalogue.rows(ref, { parameters: [...parameters, ...more], format: 'objects' }),
        exact,
      );
      return 0;
    }
    const isOpen = format === undefined && !show.asJson && !exact.some(([name]) => /^_?format$/.test(name));
    const isAggregated = haveAggregates(parameters);
    let rows = await catalogue.rows(ref, { parameters, format: isOpen && isAggregated ? 'csv' : format });
    if (isOpen && !isAggregated && !(await hasGeometry(catalogue, rows.version, parameters)))
      rows = await catalogue.rows(ref, { parameters, format: 'csv' });
    if (output === undefined) await context.write(rows.stream());
    else await write(call, rows, output);
    return 0;
  },
};

/** True if the rows of a version have a geometry, and the parameters don't leave it out. */
async function hasGeometry(catalogue: Catalogue, version: Version, parameters: readonly Parameter[]): Promise<boolean> {
  const fields = parameters.findLast(([name]) => name === '_fields')?.[1];
  if (fields !== undefined && !splitList(fields).includes('geometry')) return false;
  return (await columnsOf(catalogue, version)).some(({ type }) => type === 'geometry');
}

const columnsOf = async (catalogue: Catalogue, version: Version): Promise<readonly DataColumn[]> =>
  version.columns ?? (await catalogue.get<'dataset'>(datasetRefOf(version))).columns;

/** The version that a saved query asks. */
function versionOf({ dataset, version }: Query): VersionRef {
  const { namespace, slug } = parseDatasetRef(dataset);
  return { kind: 'version', namespace, dataset: slug, slug: version ?? 'latest' };
}

function ownParameters(options: DataOptions): readonly Parameter[] {
  return Object.entries(parametersByOption).flatMap(([option, name]) => {
    const value = options[option as keyof typeof parametersByOption];
    return value === undefined ? [] : [[name, String(value)] as const];
  });
}

/** @throws UsageError for a format that a terminal can't show */
function assertShowable(format: OutputFormatName | undefined): void {
  const found: OutputFormat | undefined = format && outputFormats[format];
  if (!found?.isBinary) return;
  const name = format === 'parquet' ? 'Parquet' : format;
  throw new UsageError(
    `${name} is binary and can't be shown at a terminal. Write it to a file: -o rows.${found.extension}`,
  );
}

/** The format of a file's extension. @throws UsageError for an unknown one */
function formatOf(file: string): OutputFormatName {
  const extension = extname(file).slice(1).toLowerCase();
  const format = names.find((name) => name === extension);
  if (format) return format;
  const meant = closestWord(extension, names);
  throw new UsageError(
    `${extension ? `Rows can't be written as .${extension}` : `${file} has no extension`}. ` +
      `${meant ? `Did you mean .${meant}? ` : ''}Say which: --format ${names.slice(0, -2).join('|')}`,
  );
}

async function write(call: Call, rows: Rows, output: string): Promise<void> {
  const { context, show } = call;
  let written = 0;
  const { at, end } = showByteProgress(context, `Writing ${output}`, null);
  const onProgress = (bytes: number) => {
    written = bytes;
    at(bytes);
  };
  await runInterruptible(context, `${output} was not written.`, (signal) =>
    saveStreamToFile(resolve(context.cwd, output), rows.stream(), { onProgress, signal }),
  ).finally(end);
  if (show.asJson) show.json({ file: output, format: rows.format, size: written });
  show.message(`Wrote rows of ${formatRef(rows.version)} to ${output} (${rows.format}, ${bytesText(written)}).`);
}
