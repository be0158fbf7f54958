/** `catalogue import`: datasets of another catalogue, portal or folder, as datasets of this one. */
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Option } from 'commander';
import { numberText } from '../../catalogue/number-text.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { SavedSource } from '../../catalogue/types.ts';
import type { SourceFormat } from '../../import/detect.ts';
import type { ImportRequest, ImportResult } from '../../import/import-source.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { runInterruptible } from '../interruption.ts';
import { dryRunOption, secondsFromOption } from '../options.ts';
import { showCountProgress } from '../output/progress.ts';
import { countText } from '../output/quantities.ts';
import { savedSource } from '../saved-source.ts';
import { typedCommand } from '../typed-command.ts';

interface ImportOptions {
  readonly to?: string;
  readonly format?: SourceFormat;
  readonly withData?: boolean;
  readonly delay?: number;
  readonly dryRun?: boolean;
  readonly save?: string;
}

const formats: readonly SourceFormat[] = [
  'ckan',
  'dcat-us',
  'dcat',
  'stac',
  'datapackage',
  'ogc',
  'wfs',
  'registry',
  'catalogue',
];

export const command: Verb<ImportOptions> = {
  usage: 'import <source>',
  description: 'Take in the datasets of another portal, catalogue or folder.',
  notes:
    'The source is a URL, a file or a folder: CKAN, DCAT, DCAT-US (data.json), STAC, Data Package, OGC API - Features, WFS, ' +
    'the Registry of Open Data on AWS, another catalogue, or files with rows (of a workbook, each sheet is a dataset). Its datasets get records, and links to their files. The same ' +
    'command again updates them; what people wrote by hand stays. An interrupted import goes on with the same command.',
  examples: [
    'catalogue import data.json --to agency --dry-run',
    'catalogue import packages/gdp --to economy --with-data',
  ],
  options: () => [
    new Option(
      '--to <namespace>',
      'Namespace of the datasets, made if there is none. Default: the name of the source.',
    ),
    new Option('--format <name>', 'Format of the source. Default: it is recognized.').choices(formats),
    new Option('--with-data', 'Bring a file of each dataset, and take it in as a version.'),
    new Option('--delay <seconds>', 'Seconds between two requests to one server.')
      .default(1)
      .argParser(secondsFromOption),
    new Option('--save <name>', 'Keep the source in catalogue.yaml, for: catalogue refresh.'),
    dryRunOption(),
  ],
  async run(call, [source = ''], { to, dryRun, delay, format, withData, save }) {
    if (save !== undefined && call.isRemote)
      throw new UsageError('--save keeps the source in catalogue.yaml of a folder, not of a remote: leave out --save.');
    if (save?.trim() === '') throw new UsageError('Give the source a name, as in: --save city');
    const result = await runImport(call, { source, namespace: to, dryRun, delay, format, withData });
    if (save !== undefined && !dryRun) {
      const { editSettings } = await import('../../files/folder.ts');
      const root = resolve(call.context.cwd, call.folder());
      const saved: SavedSource = {
        url: await savedSource(source, call.context.cwd, root),
        to: result.namespace,
        ...(format && { format }),
        ...(withData && { with_data: true }),
        ...(delay !== undefined && delay !== 1 && { delay }),
      };
      await editSettings(root, ({ sources }) => ({
        sources: { ...(sources as object | undefined), [save]: saved },
      }));
      call.show.message(`Saved the source as ${save}. Import it again with: ${typedCommand(call, 'refresh', [save])}`);
    }
    if (call.show.asJson) call.show.json(resultAsJson(result));
    else showImportResult(call, result, dryRun ?? false);
    return importExitCode(result);
  },
};

/** Imports a source into the selected catalogue, with its progress. */
export async function runImport(call: Call, request: ImportRequest): Promise<ImportResult> {
  const { context } = call;
  // V8 lets the heap grow to four times what is in use before it collects; 10,000 changed records would take 400 MB.
  setFlagsFromString('--heap-growing-percent=50');
  const { importSource } = await import('../../import/import-source.ts');
  const catalogue = await call.open();
  const progress = showCountProgress(context, 'Importing');
  const files = showCountProgress(context, 'Adding files');
  try {
    const result = await runInterruptible(context, 'The same command goes on with it.', async (signal) =>
      importSource(request, {
        catalogue,
        cwd: context.cwd,
        cacheFolder: await cacheFolderOf(call),
        listLayers: async (path) => (await import('../../data/ingest/payload-layers.ts')).listPayloadLayers(path),
        unpackTable: async (...args) => (await import('../../data/ingest/archive-tables.ts')).unpackTable(...args),
        signal,
        onRecords: (done, total) => progress.at(done, total),
        onFiles: (...counts) => {
          progress.end();
          files.at(...counts);
        },
      }),
    );
    const { namespace } = request;
    if (namespace !== undefined && namespace !== result.namespace)
      call.show.message(`${namespace} is called ${result.namespace} now.`);
    return result;
  } finally {
    progress.end();
    files.end();
  }
}

/** Folder for what servers answered: in the catalogue's private folder; for a remote catalogue, in the user's cache. */
async function cacheFolderOf(call: Call): Promise<string> {
  const { env, cwd } = call.context;
  if (!call.isRemote) return join(resolve(cwd, call.folder()), '.catalogue', 'import');
  const { homedir } = await import('node:os');
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'catalogue', 'import');
}

/** 0 if at least one record was taken, or nothing had to be; 1 if all were refused. */
export const importExitCode = ({ created, updated, unchanged, skipped }: ImportResult): number =>
  skipped.length && created.length + updated.length + unchanged === 0 ? 1 : 0;

/** Most lines of one kind that are shown; --json has all. */
const maxLines = 20;

/** Prints what was done, and what was not taken with its reasons. Quiet, it leaves out what is the same every night. */
export function showImportResult({ show, context: { quiet } }: Call, result: ImportResult, dryRun: boolean): void {
  const {
    created,
    updated,
    unchanged,
    skipped,
    shortened,
    kept,
    missing,
    versions,
    links,
    unfetched,
    namespace,
    source,
  } = result;
  const rows = [
    created.map(({ ref, label }) => ['new', formatRef(ref), label]),
    updated.map(({ ref, fields }) => ['updated', formatRef(ref), fields.join(', ') || 'source']),
    versions.map((one) => ['version', versionText(one), one.file]),
    versions.flatMap((one) => (one.columns.length ? [['columns', versionText(one), one.columns.join(' ')]] : [])),
    versions.flatMap((one) => (one.remarks.length ? [['reading', versionText(one), one.remarks.join(' ')]] : [])),
    versions.flatMap(({ ref, addedByHand }) =>
      addedByHand.map((version) => [
        'older',
        `${formatRef(ref)}@${version}`,
        'added by hand; the new file of the source is newer',
      ]),
    ),
    groupedReasons(unfetched.map(({ ref }) => ({ id: formatRef(ref), reason: wouldBeFetched }))).map((cells) => [
      'fetch',
      ...cells,
    ]),
    (quiet ? [] : kept).map(({ ref, fields }) => ['kept', formatRef(ref), `written by hand: ${fields.join(', ')}`]),
    missing.map((ref) => ['missing', formatRef(ref), 'the source has it no more; it stays here']),
    groupedReasons(links.filter(({ failed }) => failed || !quiet)).map((cells) => ['link', ...cells]),
    groupedReasons(quiet ? [] : shortened).map((cells) => ['without', ...cells]),
    groupedReasons(skipped).map((cells) => ['not taken', ...cells]),
  ].flatMap((part) =>
    dryRun || part.length <= maxLines
      ? part
      : [
          ...part.slice(0, maxLines),
          [part[0]?.[0] ?? '', `${numberText(part.length - maxLines)} more`, 'all of them: --json'],
        ],
  );
  if (rows.length) show.table(['', 'Dataset', 'Reason or title'], rows, { whole: true });
  const counts = [
    `${numberText(created.length)} new`,
    `${numberText(updated.length)} updated`,
    `${numberText(unchanged)} unchanged`,
    ...(versions.length ? [countText(versions.length, 'version')] : []),
    ...(unfetched.length ? [`${countText(unfetched.length, 'file')} to fetch`] : []),
    ...(skipped.length ? [`${numberText(skipped.length)} not taken`] : []),
  ];
  show.message(`${dryRun ? 'Would import' : 'Imported'} ${source} into ${namespace}: ${counts.join(', ')}.`);
}

const wouldBeFetched = 'its file would be fetched; it becomes a version if it has changed';

/** A new version, of which a dry run knows only the dataset. */
const versionText = ({ ref, version }: ImportResult['versions'][number]): string =>
  `${formatRef(ref)}${version === null ? '' : `@${version}`}`;

/** A line for each reason, with the records that it holds for. */
function groupedReasons(skipped: ImportResult['skipped']): readonly (readonly string[])[] {
  const byReason = new Map<string, string[]>();
  for (const { id, reason } of skipped) byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  return [...byReason].map(([reason, ids]) => {
    const shown = ids.slice(0, 3).join(', ');
    return [ids.length > 3 ? `${shown} and ${numberText(ids.length - 3)} more` : shown, reason];
  });
}

/** The result with references as text. */
export const resultAsJson = (result: ImportResult): Readonly<Record<string, unknown>> => ({
  ...result,
  created: result.created.map(({ ref, label }) => ({ dataset: formatRef(ref), label })),
  updated: result.updated.map(({ ref, fields }) => ({ dataset: formatRef(ref), fields })),
  kept: result.kept.map(({ ref, fields }) => ({ dataset: formatRef(ref), fields })),
  missing: result.missing.map((ref) => formatRef(ref)),
  versions: result.versions.map(({ ref, ...others }) => ({ dataset: formatRef(ref), ...others })),
  unfetched: result.unfetched.map(({ ref, address }) => ({ dataset: formatRef(ref), address })),
});
