/**
 * Keeping two catalogues in step: clone, pull and push of 10,000 datasets (25,000 records) through a server on the same
 * machine, beside what rsync and git take for the same folder. Neither of those two reads a record, asks who may write,
 * nor waits for the disk; rsync does the last where it is told to (--fsync), as we do for every record.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Figure, report } from './support/figures.ts';
import { generate } from './support/generate.ts';
import { median, startProgram } from './support/load.ts';
import { untilFilesAreMadeQuickly } from './support/removed-files.ts';
import { staffToken } from './support/staff.ts';

const datasets = 10_000;
const changed = 100;
/** The longest a first copy may take, in seconds; and beside rsync --fsync, which took 19 s where these 6 were asked for. */
const firstCopy = { seconds: { atMost: 6 }, besideRsync: { atMost: 0.32 } };
const rounds = 3;
const bin = fileURLToPath(new URL('../bin/catalogue.js', import.meta.url));
const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0'];

interface Run {
  readonly seconds: number;
  /** The most memory that was resident, in MB; known of ours only. */
  readonly memory: number;
}
type Contest = Readonly<Record<'catalogue' | 'rsync' | 'rsync --fsync' | 'git', () => Promise<Run>>>;

async function run(): Promise<void> {
  needPrograms();
  const home = mkdtempSync(join(tmpdir(), 'catalogue-bench-'));
  const at = (...names: readonly string[]) => join(home, ...names);
  const stops: (() => Promise<void>)[] = [];
  try {
    await untilFilesAreMadeQuickly(home);
    const addresses = generate(at('served'), datasets);
    await copy(at('served'), at('local'));
    await repository(at('local'), at('repository'));
    const here = await served(at('served'), stops);
    const copying = (from: string, to: string) => ({
      rsync: () => copy(at(from), at(to)),
      'rsync --fsync': () => copy(at(from), at(`${to}-durable`), '--fsync'),
    });
    // Each round has folders of its own, which stay: see `untilFilesAreMadeQuickly`.

    console.log(
      `${datasets} datasets and ${datasets * 1.5} versions: times as long as rsync --fsync, seconds and most memory`,
    );
    await show('clone', rounds, firstCopy, (round) => ({
      catalogue: () => ours(here, home, 'clone', here.url, at(`clone-${round}`)),
      ...copying('served', `copy-${round}`),
      git: () => git(home, 'clone', '-q', `file://${at('repository')}`, at(`git-${round}`)),
    }));
    const pull = {
      catalogue: () => ours(here, at('clone-0'), 'pull'),
      ...copying('served', 'copy-0'),
      git: () => git(at('git-0'), 'pull', '-q'),
    };
    await show('pull, nothing new', rounds, null, () => pull);
    await show(`pull, ${changed} records changed`, rounds, null, async (round) => {
      const some = addresses.slice(round * changed, (round + 1) * changed);
      for (const folder of ['served', 'repository'])
        for (const address of some)
          appendFileSync(at(folder, 'namespaces', address.replace('/', '/datasets/'), 'dataset.yaml'), 'contact: us\n');
      await git(at('repository'), 'commit', '-qam', 'changed');
      await untilServed(here.url, some);
      return pull;
    });

    const pushes: Contest[] = [];
    for (let round = 0; round < rounds; round++) {
      const [local, empty, bare] = [`local-${round}`, `empty-${round}`, `bare-${round}`];
      await copy(at('local'), at(local));
      mkdirSync(at(empty));
      writeFileSync(at(empty, 'catalogue.yaml'), 'title: A large catalogue\n');
      await git(home, 'init', '-q', '--bare', at(bare));
      const there = await served(at(empty), stops);
      pushes.push({
        catalogue: () => ours(there, home, 'push', '--data', at(local), '--remote', there.url),
        ...copying(local, `pushed-${round}`),
        git: () => git(at('repository'), 'push', '-q', at(bare), 'HEAD:refs/heads/main'),
      });
    }
    await show('push of all', rounds, firstCopy, (round) => pushes[round] as Contest);
    await show('push, nothing new', rounds, null, (round) => pushes[round] as Contest);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(home, { recursive: true, force: true });
  }
}

/** @throws Error that says how to install what is missing */
function needPrograms(): void {
  for (const name of ['rsync', 'git'])
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
    } catch {
      throw new Error(`This benchmark compares with ${name}, which isn't there: apt-get install ${name}`);
    }
}

/** A server that is asked, and who asks. */
interface Place {
  readonly url: string;
  readonly token: string;
}

async function served(folder: string, stops: (() => Promise<void>)[]): Promise<Place> {
  const token = await staffToken(folder);
  const { url, stop } = await startProgram([bin, 'serve', '--data', folder, '--port', '0']);
  stops.push(stop);
  return { url, token };
}

/** All of a folder but what is private to it. */
function copy(from: string, to: string, ...options: readonly string[]): Promise<Run> {
  mkdirSync(to, { recursive: true });
  return timed('rsync', ['-a', '--exclude=/.catalogue', ...options, `${from}/`, `${to}/`]);
}

const git = (folder: string, ...args: readonly string[]) => timed('git', ['-C', folder, ...author, ...args]);

async function repository(from: string, to: string): Promise<void> {
  await copy(from, to);
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'all'],
  ])
    await git(to, ...args);
}

/** Our program, which says at its end how much memory it took. */
async function ours({ token }: Place, cwd: string, ...args: readonly string[]): Promise<Run> {
  const watch = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';
  return timed(process.execPath, ['--import', watch, bin, ...args], { cwd, token });
}

async function timed(program: string, args: readonly string[], { cwd = '.', token = '' } = {}): Promise<Run> {
  // Our program syncs the file system: it would wait until everything that ran before is on disk, too.
  execFileSync('sync');
  const started = performance.now();
  const env = { ...process.env, CATALOGUE_TOKEN: token };
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[status], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${out}${err}`);
  return { seconds, memory: Number(err.trim().split('\n').at(-1)) / 1024 };
}

/** Until what was changed by hand can be seen. */
async function untilServed(url: string, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const detail = `${url}/api/v1/namespaces/${address.replace('/', '/datasets/')}/`;
    while (!((await (await fetch(detail)).json()) as { contact: string }).contact)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs the rounds, in each all who compete one after the other, and reports how long ours takes, and how long beside rsync --fsync. */
async function show(
  what: string,
  rounds: number,
  targets: { readonly seconds: Figure['target']; readonly besideRsync: Figure['target'] } | null,
  contest: (round: number) => Contest | Promise<Contest>,
): Promise<void> {
  const runs: Record<keyof Contest, Run>[] = [];
  for (let round = 0; round < rounds; round++) {
    const { catalogue, rsync, 'rsync --fsync': durable, git } = await contest(round);
    runs.push({
      catalogue: await catalogue(),
      rsync: await rsync(),
      'rsync --fsync': await durable(),
      git: await git(),
    });
  }
  report({
    name: what,
    values: runs.map(({ catalogue }) => catalogue.seconds),
    unit: 's',
    target: targets?.seconds ?? null,
  });
  const seconds = (name: keyof Contest) => `${name} ${median(runs.map((run) => run[name].seconds)).toFixed(2)} s`;
  const memory = Math.max(...runs.map(({ catalogue }) => catalogue.memory));
  report({
    name: `${what}, beside rsync --fsync`,
    values: runs.map((run) => run.catalogue.seconds / run['rsync --fsync'].seconds),
    unit: '×',
    target: targets?.besideRsync ?? null,
    details: `${seconds('catalogue')} and ${memory.toFixed(0)} MB beside ${(['rsync', 'rsync --fsync', 'git'] as const).map(seconds).join(', ')}`,
  });
}

await run();
