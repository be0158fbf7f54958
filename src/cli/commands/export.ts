/** `catalogue export`: the public part of a catalogue as static files. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { ValidationError } from '../../catalogue/errors.ts';
import type { Verb } from '../command.ts';
import { runInterruptible } from '../interruption.ts';
import { webAddress } from '../options.ts';
import { showCountProgress } from '../output/progress.ts';
import { bytesText, countText } from '../output/quantities.ts';

interface ExportOptions {
  readonly url?: string;
  readonly force?: boolean | undefined;
  readonly gzip?: boolean | undefined;
  readonly skipInvalid?: boolean | undefined;
  readonly iceberg?: boolean;
  readonly location?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
}

/** Options that are for tables only. */
const forTables = ['location', 'endpoint', 'region'] as const;

export const command: Verb<ExportOptions> = {
  usage: 'export <dir>',
  description: 'Write the public part of the catalogue as static files.',
  notes:
    'Any web server or object store can serve them: pages, the read API, rows in all formats. What is private is left out. A ' +
    'second export into the same folder writes only what has changed, and removes what is gone. Tables can be written into a bucket, ' +
    'too: then <dir> is s3://bucket/tables, and the keys are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
  examples: [
    'catalogue export site --url https://data.example.org',
    'catalogue export site',
    'catalogue export --iceberg tables --location s3://bucket/tables',
  ],
  on: 'folder',
  options: () => [
    new Option(
      '--url <url>',
      'Address at which the files will be served. Default: base_url of catalogue.yaml.',
    ).argParser(webAddress),
    new Option('--force', 'Export into a folder that has other files, and replace those of the same names.'),
    new Option('--gzip', 'Write a compressed copy beside each text file, for nginx with gzip_static.'),
    new Option(
      '--skip-invalid',
      "Export although records can't be read: they are left out, or in their last valid state. Else nothing is exported.",
    ),
    new Option('--iceberg', 'Write tables of Apache Iceberg for DuckDB, Spark, Trino and others, and no site.'),
    new Option(
      '--location <location>',
      'With --iceberg: path or URL at which the tables will be read. Default: the absolute path of the folder, or the bucket.',
    ),
    new Option(
      '--endpoint <url>',
      'With a bucket: address of the object store. Default: AWS_ENDPOINT_URL, that of payloads in catalogue.yaml, or Amazon.',
    ).argParser(webAddress),
    new Option(
      '--region <region>',
      'With a bucket: its region. Default: AWS_REGION, or that of payloads in catalogue.yaml.',
    ),
  ],
  async run({ context, show, folder }, [dir = ''], { url, force, gzip, skipInvalid, iceberg = false, ...tables }) {
    if (iceberg && gzip) throw new ValidationError({ gzip: ['It is for a site: leave out --iceberg.'] });
    if (iceberg) return exportTablesTo({ context, show, folder }, dir, { force, skipInvalid, ...tables });
    for (const name of forTables)
      if (tables[name] !== undefined) throw new ValidationError({ [name]: ['It is for tables: add --iceberg.'] });
    if (addressPattern.test(dir))
      throw new ValidationError({
        dir: [
          'A site is exported to a folder: copy it there, with "aws s3 sync" for example. For tables, add --iceberg.',
        ],
      });
    const options = {
      folder: resolve(context.cwd, folder()),
      to: resolve(context.cwd, dir),
      url,
      force,
      gzip,
      skipInvalid,
    };
    const { exportCatalogue } = await import('../../export/export-catalogue.ts');
    const { at: onProgress, end } = showCountProgress(context, 'Exporting');
    const result = await runInterruptible(context, 'The files are usable. Export again to complete them.', (signal) =>
      exportCatalogue({ ...options, signal, onProgress }).finally(end),
    );
    if (show.asJson) show.json(result);
    for (const { file, size } of result.large)
      show.message(
        `${file} has ${bytesText(size)}: ${size > 100 * 1024 * 1024 ? 'GitHub refuses files above 100 MB' : 'some hosts refuse files above 25 MB'}.`,
      );
    show.message(
      `Wrote ${countText(result.written, 'file')} and removed ${countText(result.removed, 'file')} in ${dir}, to be served at ${result.url}/`,
    );
    return 0;
  },
};

type Run = Pick<Parameters<NonNullable<typeof command.run>>[0], 'context' | 'show' | 'folder'>;

/** Addresses of buckets, and others that are no folder. */
const addressPattern = /^[a-z][a-z0-9+.-]+:\/\//i;

/** `catalogue export --iceberg`. @param dir as it was typed */
async function exportTablesTo(
  { context, show, folder }: Run,
  dir: string,
  options: Pick<ExportOptions, 'force' | 'skipInvalid' | (typeof forTables)[number]>,
): Promise<number> {
  const { exportTables, isBucket } = await import('../../export/export-iceberg.ts');
  if (!isBucket(dir)) {
    if (addressPattern.test(dir))
      throw new ValidationError({
        dir: [
          `Name a folder, and the address with --location ${dir}. Then copy the folder there, with "rclone sync" for example.`,
        ],
      });
    for (const name of ['endpoint', 'region'] as const)
      if (options[name] !== undefined)
        throw new ValidationError({ [name]: ['It is for a bucket: name one, as in s3://bucket/tables.'] });
  }
  const from = resolve(context.cwd, folder());
  const to = isBucket(dir) ? dir : resolve(context.cwd, dir);
  const { at: onProgress, end } = showCountProgress(context, 'Exporting');
  const result = await runInterruptible(context, 'The tables are usable. Export again to complete them.', (signal) =>
    exportTables({ folder: from, to, ...options, signal, onProgress }).finally(end),
  );
  if (show.asJson) show.json(result);
  for (const { version, reason } of result.missing) show.message(`Left out ${version}: ${reason}`);
  show.message(
    `Wrote ${countText(result.written, 'file')} and removed ${countText(result.removed, 'file')} in ${dir}: ${countText(result.tables, 'table')} with ${countText(result.snapshots, 'snapshot')}, to be read at ${result.location}/`,
  );
  return 0;
}
