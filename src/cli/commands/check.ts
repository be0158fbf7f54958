/** `catalogue check`: errors in the files, and fixing them. */
import { relative, resolve } from 'node:path';
import { Option } from 'commander';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { escapeKeepingLines, escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { CheckDiagnostic, CheckOptions, CheckResult } from '../../files/folder.ts';
import type { Call, Verb } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { listEntities } from '../lookup.ts';
import type { StandardsCoverage } from '../lookup-standards.ts';
import { assertOneFormat } from '../options.ts';
import { showPercentProgress } from '../output/progress.ts';
import { countText } from '../output/quantities.ts';
import type { Output } from '../output/show.ts';
import { type Paint, terminalColours } from '../output/terminal.ts';
import { textWidth } from '../output/width.ts';
import { quoteForShell, typedCommand } from '../typed-command.ts';

interface Options {
  readonly fix?: boolean;
  readonly deep?: boolean;
  readonly format?: 'text' | 'json' | 'github';
  readonly changed?: string | true;
  readonly staged?: boolean;
  readonly standards?: boolean;
}

export const command: Verb<Options> = {
  usage: 'check',
  description: 'Find errors in the files of the catalogue.',
  notes:
    'It checks syntax, fields, ids, references, licences and addresses. Data files are read, and compared with their checksums, only ' +
    "with --deep. With --remote, it lists the errors for which the server can't read a file; warnings, and errors between records, need " +
    'the files. The exit code is 1 if there is an error.\n\n' +
    'With --changed, it checks only the files that differ from a commit, committed or not, and what they affect: another ' +
    'record with the same id, a query of a removed dataset. Without a name, the commit is the one where the branch ' +
    'started, from its upstream or else from the main branch. With --staged, it checks what the next commit will have.\n\n' +
    'With --standards, it also warns of each public dataset that a standard refuses or shows with gaps, and says what to ' +
    'write: DCAT-AP, DCAT-US, STAC, schema.org, Data Package and Croissant.',
  examples: [
    'catalogue check',
    'catalogue check --fix',
    'catalogue check --deep --format github',
    'catalogue check --changed',
    'catalogue check --changed origin/main --format github',
    'catalogue check --staged',
    'catalogue check --standards',
  ],
  options: () => [
    new Option('--fix', 'Fix what can be fixed without a decision of yours, and write base64 metadata as YAML.'),
    new Option('--deep', 'Read the data files, too, and compare their checksums and columns.'),
    new Option('--changed [commit]', 'Check only what differs from a commit of git, and what that affects.'),
    new Option('--staged', 'Check only what is staged in git, as it is staged.').conflicts('changed'),
    new Option('--standards', 'Check what portals and search engines want to know, too.').conflicts([
      'changed',
      'staged',
    ]),
    new Option('--format <text|json|github>', 'Output format; github is for workflows of GitHub Actions.').choices([
      'text',
      'json',
      'github',
    ]),
  ],
  async run(call, _args, { format, standards, ...options }) {
    const { context, global, show } = call;
    assertOneFormat(show, format);
    const checked = call.isRemote ? await checkedRemotely(call, options) : await checkedLocally(call, options);
    const { place } = checked;
    const report: Report = standards ? await withStandards(call, checked.report) : checked.report;
    const chosen = format ?? (show.asJson ? 'json' : 'text');
    if (chosen === 'json') show.json(objectOf(report));
    else if (chosen === 'github') for (const one of report.problems) context.out(`${annotation(one, place)}\n`);
    else showText(context, terminalColours(context, global.color), report, place);
    if (chosen === 'text' && report.standards) showCoverage(show, report.standards);
    if (chosen !== 'json') summarise(call, report, options.fix ?? false);
    if (chosen !== 'json' && call.isRemote) call.show.message(notCheckedRemotely);
    return report.problems.some(({ severity }) => severity === 'error') ? 1 : 0;
  },
};

interface Report extends CheckResult {
  /** Numbers of datasets by standard, with --standards. */
  readonly standards?: StandardsCoverage;
}

/** The report, with what the standards miss. */
async function withStandards(call: Call, report: CheckResult): Promise<Report> {
  const { findStandardsShortcomings } = await import('../lookup-standards.ts');
  const { warnings, coverage, hasSettings } = await findStandardsShortcomings(await call.open());
  if (!hasSettings)
    call.show.message(
      'The remote does not show you its catalogue.yaml: the publisher, contact and licence in it, which datasets without ' +
        'their own have, count as missing.',
    );
  const problems = [...report.problems, ...warnings.map((one) => ({ ...one, fixable: false }))];
  return { ...report, problems, standards: coverage };
}

/** A table of how many datasets each standard takes. */
function showCoverage(show: Output, coverage: StandardsCoverage): void {
  show.heading('Public datasets in the standards');
  const rows = Object.entries(coverage).map(([name, counts]) => [name, ...Object.values(counts).map(String)]);
  show.table(['standard', 'complete', 'incomplete', 'refused'], rows, {
    numbers: ['complete', 'incomplete', 'refused'],
  });
}

/** The part of the catalogue to check. Git sets GIT_INDEX_FILE for its hooks, relative to the current folder. */
function changesToCheck({ env, cwd }: Context, { changed, staged, fix, deep }: Options): Pick<CheckOptions, 'changed'> {
  if (staged) {
    const odd = fix ? '--fix' : deep ? '--deep' : null;
    if (odd) throw new UsageError(`${odd} works on the files in the folder, and --staged doesn't read them.`);
    const index = env.GIT_INDEX_FILE ? resolve(cwd, env.GIT_INDEX_FILE) : undefined;
    return { changed: { staged: true, index } };
  }
  return changed === undefined ? {} : { changed: { since: changed === true ? undefined : changed } };
}

type Place = (path: string) => string;
interface Checked {
  readonly report: CheckResult;
  /** The path of a file as it is shown. */
  readonly place: Place;
}

async function checkedLocally({ context, folder }: Call, options: Options): Promise<Checked> {
  const { fix = false, deep = false } = options;
  const root = folder();
  const part = changesToCheck(context, options);
  const { at, end } = showPercentProgress(context, 'Checking');
  const report = await context.check(root, { fix, deep, onProgress: at, ...part }).finally(end);
  return { report, place: (path) => relative(context.cwd, resolve(context.cwd, root, path)).replaceAll('\\', '/') };
}

/** @throws UsageError for options that need the files */
async function checkedRemotely(call: Call, options: Options): Promise<Checked> {
  const [flag] = Object.keys(options);
  if (flag !== undefined)
    throw new UsageError(`--${flag} needs the files, and those of a remote are on its server. Run it there.`);
  return { report: await checkRemote(await call.open()), place: (path) => path };
}

const notCheckedRemotely =
  "A remote lists only errors for which it can't read a file. For warnings, and errors between records such as two with one id, " +
  'type on its server: catalogue check';

/** The errors that the server of a remote has found in its files. */
async function checkRemote(catalogue: Catalogue): Promise<CheckResult> {
  const count = async (filters: Readonly<Record<string, readonly string[]>>) =>
    (await catalogue.list('file', { filters, pageSize: 1 })).count;
  const [invalid, all, payloads] = await Promise.all([
    listEntities(catalogue, 'file', { filters: { status: ['invalid'] } }),
    count({}),
    count({ kind: ['payload'] }),
  ]);
  const problems = invalid.flatMap((file) => file.problems.map((diagnostic) => ({ ...diagnostic, fixable: false })));
  return { problems, fixed: [], files: all - payloads };
}

/** The report as an object of JSON: the same of a remote, which sends no codes, no excerpts and no marks of private files. */
function objectOf(report: Report): object {
  const withoutCode = ({ code: _code, excerpt: _excerpt, isPrivate: _isPrivate, ...diagnostic }: CheckDiagnostic) =>
    diagnostic;
  return { ...report, problems: report.problems.map(withoutCode), fixed: report.fixed.map(withoutCode) };
}

/** A line for each diagnostic, in the order of the files; at a terminal, also the line of the file that has the problem. */
function showText({ out, isTerminal }: Context, paint: Paint, { problems, fixed }: CheckResult, place: Place): void {
  const line = ({ path, line, column, message }: CheckDiagnostic, colour: 'red' | 'yellow' | 'green', word: string) => {
    const where = escapeToOneLine(`${place(path)}:${line}:${column}`);
    out(`${paint('bold', where)}: ${paint(colour, word)}${escapeToOneLine(message)}\n`);
  };
  for (const diagnostic of fixed) line(diagnostic, 'green', 'fixed: ');
  for (const diagnostic of byPlace(problems)) {
    if (diagnostic.severity === 'error') line(diagnostic, 'red', '');
    else line(diagnostic, 'yellow', 'warning: ');
    if (isTerminal.out && diagnostic.excerpt) out(excerptLines(paint, diagnostic.line, diagnostic.excerpt));
  }
}

/** The line of a file with its number, and a caret under the place of the problem. */
function excerptLines(paint: Paint, line: number, { text, at }: NonNullable<CheckDiagnostic['excerpt']>): string {
  const number = `${line}`.padStart(6);
  const blanks = ' '.repeat(textWidth(escapeToOneLine(text.slice(0, at))));
  return `${paint('dim', `${number} |`)} ${escapeToOneLine(text)}\n${paint('dim', '       |')} ${blanks}${paint('red', '^')}\n`;
}

function byPlace(diagnostics: readonly CheckDiagnostic[]): readonly CheckDiagnostic[] {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...diagnostics].sort((a, b) => order(a.path, b.path) || a.line - b.line || a.column - b.column);
}

/**
 * A workflow command of GitHub Actions.
 * Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions; the escapes are those of
 * https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
 */
function annotation({ severity, path, line, column, message }: CheckDiagnostic, place: Place): string {
  const properties = { file: place(path), line: String(line), col: String(column) };
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  return `::${severity} ${pairs.join(',')}::${escapeData(escapeKeepingLines(message))}`;
}

const escapeData = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** The last line: the number of files, and of errors in them. */
function summarise(call: Call, { problems, fixed, files, since }: CheckResult, fix: boolean): void {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const found = [
    ...(errors || !warnings ? [errors ? countText(errors, 'error') : 'no errors'] : []),
    ...(warnings ? [countText(warnings, 'warning')] : []),
    ...(fixed.length ? [`${fixed.length} fixed`] : []),
  ];
  const fixable = problems.filter((diagnostic) => diagnostic.fixable).length;
  const part = since === undefined ? '' : `--changed ${quoteForShell(since)} `;
  const hint = fixable && !fix ? ` ${typedCommand(call, `check ${part}--fix`)} can fix ${fixable} of them.` : '';
  const which = since === undefined ? '' : ` that differ${files === 1 ? 's' : ''} from ${since}`;
  call.show.message(`${countText(files, 'file')}${which} checked: ${found.join(', ')}.${hint}`);
}
