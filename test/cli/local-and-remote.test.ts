/**
 * Every noun and verb on a folder, and on a server that serves an equal one: the same results, the same messages, the
 * same exit code. In the end both folders hold the same.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type FolderContent, homeOf } from '../support/folder.ts';
import { filesIn, makeRoot, type PromptOptions, type Result, seed, trees, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const older = 'name,height,longitude,latitude\noak,12,4.5,51.9\nelm,9,4.6,51.8\n';
const newer = `${trees}fir,3,4.8,51.6\n`;
const record = (name: string, text: string) => ({
  checksum: createHash('sha256').update(text).digest('hex'),
  file: { name, format: 'csv', size: text.length },
});

const content: FolderContent = {
  ...seed,
  datasets: { ...seed.datasets, 'parks/paths': { id: 14, label: 'Paths' } },
  versions: {
    ...seed.versions,
    'parks/paths@20210101000000000000': { id: 22, ...record('older.csv', older) },
    'parks/paths@20220101000000000000': { id: 23, ...record('newer.csv', newer) },
  },
  files: {
    ...seed.files,
    [`${homeOf('parks/paths')}/data/older.csv`]: older,
    [`${homeOf('parks/paths')}/data/newer.csv`]: newer,
    [`${homeOf('parks/broken')}/dataset.yaml`]: 'label: Broken\nid: one\ncolour: red\nvisibility: private\n',
  },
  groups: { gardeners: { id: 41, label: 'Gardeners' }, drivers: { id: 42, label: 'Drivers' } },
  users: {
    alice: { id: 51, staff: true, name: 'Alice Liddell', email: 'alice@example.org' },
    bob: { id: 52, groups: ['gardeners'] },
  },
  queries: { tall: { id: 61, label: 'Tall trees', dataset: 'parks/trees', parameters: { height__gte: '10' } } },
};
/** What differs between two runs of the same: addresses, random numbers, moments. */
function plain(text: string, base: string): string {
  return text
    .replaceAll(base, '')
    .replace(/\b[0-9a-f]{40}\b/g, 'TOKEN')
    .replace(/\b\d{17}-[0-9a-f]{8}\b/g, 'ENTRY')
    .replace(/\b[0-9a-f]{12}\b/g, 'ID')
    .replace(/\b\d{20}\b/g, 'VERSION')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'MOMENT')
    .replace(/\b20[2-9]\d-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?\b/g, 'DAY')
    .replace(/\b\d+ seconds? ago/g, 'AGO')
    .replace(/ {2}[\d.]+ [kMG]?B\/s|(?<=\r) +(?=\r)/g, '')
    .replace(/("?\bid"?[:\t ] *)\d+/g, '$1NUMBER');
}

interface Step extends PromptOptions {
  readonly line: string;
  /** What is known to differ, and why that is right. */
  readonly differs?: (text: string) => string;
}

const files = { 'older.csv': older, 'newer.csv': newer, 'trees.csv': trees, 'about.md': 'About *trees*.\n' };
const terminal: PromptOptions = { terminal: true, answer: true };
/** The token that asks has been used just now. */
const used = (text: string) => text.replace(/(never|DAY|MOMENT)?$/gm, '').replace(/("last_used": )"MOMENT"/, '$1null');
/** Who removed something is known there. */
const by = (text: string) => text.replace(/\talice$/gm, '\t').replace(/"by": "alice"/g, '"by": null');

const reading: readonly (string | Step)[] = [
  'namespace list',
  'namespace list --search parks',
  'namespace list --ordering -label --limit 1',
  'namespace show parks',
  'namespace show park',
  'dataset list',
  'dataset list parks --search trees',
  'dataset list nowhere',
  'dataset list --keyword nature',
  'dataset list --visibility private',
  'dataset show parks/trees',
  'dataset show water/wells',
  'dataset show parks/tres',
  'dataset show parks',
  'version list parks/trees',
  'version list parks/benches',
  'version show parks/trees@latest',
  'version show parks/benches@latest',
  'version show parks/trees@2020',
  'column list parks/trees',
  'column show parks/trees height',
  'column show parks/trees name',
  'column show parks/trees hieght',
  'query list',
  'query list --dataset parks/trees',
  'query show tall',
  'query show small',
  'group list',
  'group show gardeners',
  'group show gardner',
  'user list',
  'user list --group gardeners',
  'user show alice',
  'user show nobody',
  'data parks/trees',
  'data parks/trees --fields name,height',
  'data parks/trees --fields name,geometry',
  'data parks/trees --format csv',
  'data parks/trees height__gte=10 --fields name,height --ordering -height --format ndjson',
  'data parks/trees --limit 1 --offset 1 --format csv',
  "data parks/trees --filter name='oak' --format objects",
  'data parks/trees hight=1',
  'data parks/trees height=tall',
  'data parks/benches',
  'data nowhere/trees',
  'diff parks/paths@20210101000000000000 parks/paths@latest',
  'diff parks/paths@20210101000000000000 parks/paths@latest --key name',
  'diff parks/paths@20210101000000000000 parks/paths@2019',
  // A server doesn't send the faulty lines of its files, and says what it doesn't check.
  {
    line: 'check',
    differs: (text) =>
      text
        .replaceAll('catalogue-data/', '')
        .replace(/^ +(?:\d+ )?\| .*\n/gm, '')
        .replace(/^A remote lists only errors .*, type on its server: catalogue check\n/m, ''),
  },
  'download parks/trees -o -',
  'download parks/benches -o -',
  { line: 'token list', differs: used },
  'token list nobody',
  'trash list',
  'trash restore parks/trees',
  'dataset add parks/new --label New --dry-run',
  'dataset add parks/trees --label Trees --dry-run',
  'dataset edit parks/trees --label Oaks --dry-run',
  'dataset remove parks/trees --dry-run',
  'namespace remove parks --dry-run',
  'namespace remove nowhere --dry-run',
  'namespace edit parks --slug water --dry-run',
  'namespace edit parks --slug gardens --dry-run',
  'dataset add parks/new --label New --homepage nonsense --dry-run',
  'dataset edit parks/trees --namespace water --dry-run',
  'column edit parks/trees height --unit cm --dry-run',
  'version edit parks/trees@latest --notes Counted --dry-run',
  'version remove parks/trees@latest --dry-run',
  'query add oaks --dataset parks/trees name=oak --dry-run',
  'query edit tall --slug high --dry-run',
  'group edit gardeners --member bob --dry-run',
  { line: 'version add parks/trees newer.csv --dry-run', files },
  { line: 'version add parks/trees trees.csv --dry-run', files },
  { line: 'publish newer.csv --to parks/trees --label Oaks --dry-run', files },
  { line: 'publish newer.csv --to parks/new --dry-run', files },
  'user remove bob --dry-run',
  'token add bob --dry-run',
  'user passwd bob --dry-run',
  'trash empty --dry-run',
  'dataset remove parks/trees',
  'namespace add parks --label Parks',
  'dataset add nowhere/x --label X',
  'dataset edit parks/trees --homepage nonsense',
  'dataset edit parks/trees',
  { line: 'version add parks/trees none.csv', files },
];

const writing: readonly (string | Step)[] = [
  'namespace add roads --label Roads --description Ways',
  'namespace edit roads --label Streets --owner gardeners',
  'namespace edit roads --slug streets',
  'namespace show roads',
  'dataset add streets --label Kerbs --keyword stone --licence CC0-1.0',
  { line: 'dataset add streets/lamps --label Lamps --description about.md', files },
  'dataset add streets/kerbs --label Kerbs',
  'dataset edit streets/kerbs --slug curbs --namespace parks',
  'dataset show streets/kerbs',
  'dataset list',
  { line: 'version add parks/benches older.csv --notes First', files },
  { line: 'version add parks/benches older.csv', files },
  { line: 'version add parks/benches newer.csv', files },
  'version list parks/benches',
  'dataset show parks/benches',
  'data parks/benches --format csv',
  'download parks/benches -o -',
  'column edit parks/benches height --label Height --unit m',
  'column edit parks/benches hight --label Height',
  'column list parks/benches',
  'version edit parks/benches@latest --notes Second --ready false',
  'version show parks/benches@latest',
  'version remove parks/benches@latest --yes',
  { line: 'publish trees.csv --to streets/signs --label Signs', files },
  { line: 'publish trees.csv --to streets/signs', files },
  { line: 'publish newer.csv --to streets/signs', files },
  'column show streets/signs height --json',
  { line: 'publish newer.csv --to streets/signs --label Signs --dry-run', files },
  { line: 'publish newer.csv --to streets/signs --label Signs', files },
  { line: 'publish - --to streets/signs', files: { '-': '' } },
  'query add low height__lt=10 --label Low --dataset parks/trees',
  'query edit low --label Lower',
  'query list',
  'query remove low --yes',
  'group add drivers --label Drivers',
  'group add walkers --label Walkers --member bob',
  'group edit walkers --member alice --member bob',
  'group edit walkers --member alice --member zed --member bob --member ann',
  'group edit walkers --member zed',
  'group edit walkers --slug hikers',
  'user add dan --group walkers',
  'user edit bob --group walkers',
  'namespace edit parks --owner walkers --owner gardener',
  'dataset edit parks/paths --reader walkers --reader user:bob --dry-run',
  'dataset add parks/nests --label Nests --reader walkers',
  'user edit bob --group hiker --group gardeners',
  'namespace edit parks --owner gardener --owner hikers',
  'namespace edit parks --owner bob',
  'dataset edit parks/trees --reader bob --reader user:bobb',
  'dataset add parks/nests --label Nests --reader planters',
  'namespace edit parks --label Parks',
  'dataset edit parks/paths --label Paths --keyword= --json',
  'dataset edit parks/paths --label Paths --dry-run',
  'dataset edit parks/paths --visibility public --dry-run',
  'dataset edit parks/paths --visibility public --description=',
  'column edit parks/benches height --unit m',
  'version edit parks/paths@20210101000000000000 --notes=',
  'query edit tall --label "Tall trees" --dataset parks/trees height__gte=10',
  'group edit hikers --member alice --member bob',
  'group edit hikers --member bob --member alice',
  'user edit alice --staff true',
  'group show hikers',
  'group remove hikers --yes',
  {
    line: 'user add carol --name Carol --email carol@example.org --password-stdin',
    files: { '-': 'through the glass\n' },
  },
  'user add carol',
  'user edit carol --group gardeners',
  'user edit carol --staff true',
  { line: 'user passwd carol --password-stdin', files: { '-': 'and what she found\n' } },
  { line: 'user passwd carol --password-stdin', files: { '-': '' } },
  'user show carol',
  'token add bob --label Nightly --scope read --expires never',
  'token add bob --label Daily --expires 30d',
  'token add nobody',
  'token list bob',
  'token remove 0123456789ab --yes',
  'user remove carol --yes',
  'dataset remove streets/lamps --yes',
  { line: 'dataset remove parks/curbs', ...terminal },
  { line: 'trash list', differs: by },
  { line: 'trash restore streets/lamps --dry-run', differs: by },
  { line: 'trash restore streets/lamps', differs: by },
  'dataset show streets/lamps',
  'namespace remove streets --yes',
  { line: 'trash empty --older-than 1h --yes', differs: by },
  { line: 'trash list', differs: by },
  { line: 'trash empty --yes', differs: by },
  'trash list',
];

describe('a command line, local and remote', () => {
  let here = '';
  let there = '';
  let token = '';
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    [here, there] = await Promise.all([makeRoot(content), makeRoot(content)]);
    for (const root of [here, there]) {
      const catalogue = await openFileCatalogue(root);
      const added = await catalogue.accounts.addToken('alice');
      if (root === there) token = added.token;
      await catalogue.close();
    }
    server = await serveFolder(there);
  });
  after(() => server?.close());

  /** Types the line for both. */
  async function both({ line, differs = (text) => text, ...options }: Step): Promise<readonly Result[]> {
    const argv = (line.match(/'[^']*'|\S+/g) ?? []).map((word) =>
      line.includes("name='") ? word : word.replaceAll("'", ''),
    );
    const env = { CATALOGUE_REMOTE: server.base, CATALOGUE_TOKEN: token };
    const results = await Promise.all([
      type(argv, { ...options, root: here }),
      type(argv, { ...options, root: there, env }),
    ]);
    const [local, remote] = results.map(({ exitCode, out, err, questions }) => {
      const lines = (text: string) => differs(plain(text, server.base)).split('\n');
      return { exitCode, out: lines(out), err: lines(err), questions };
    });
    assert.deepEqual(remote, local, `catalogue ${line}`);
    assert.deepEqual(results[1]?.opened, [], 'no folder was opened');
    return results;
  }

  for (const one of [...reading, ...writing]) {
    const step = typeof one === 'string' ? { line: one } : one;
    it(step.line, async () => {
      await both(step);
      // What changes something is done once.
      if (reading.includes(one)) {
        await both({ ...step, line: `${step.line} --json` });
        await both({ ...step, line: step.line, ...terminal });
      }
    });
  }

  it('leaves the same files', () => {
    const picture = (root: string) =>
      Object.fromEntries(
        filesIn(root).map((path) => [plain(path, ''), plain(readFileSync(join(root, path), 'utf8'), '')]),
      );
    assert.deepEqual(picture(there), picture(here));
  });
});
