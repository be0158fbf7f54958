/** `catalogue payloads`, and the other commands on a folder whose payloads lie in an object store. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { objectKey } from '../../src/catalogue/payload-store.ts';
import { removeOrigin, writeOrigin } from '../../src/cli/remote/origin.ts';
import { computeChecksum } from '../../src/disk/checksum.ts';
import { pointerText } from '../../src/files/tree/payload-pointer.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { missingObjectStore, startObjectStore } from '../support/object-store.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { repositoryAt } from '../support/repository.ts';
import { serveFolder } from '../support/server.ts';

const csvOf = (name: string) => `name,height\n${Array.from({ length: 200 }, (_, i) => `${name} ${i},${i}\n`).join('')}`;
const factsOf = (text: string) => ({ checksum: computeChecksum(text), size: text.length });
const [oaks, elms, ashes] = ['oak', 'elm', 'ash'].map(csvOf) as [string, string, string];
const s3 = missingObjectStore ? (undefined as never) : await startObjectStore();

const versionOf = (text: string, name: string) => ({
  checksum: computeChecksum(text),
  file: { name, format: 'csv', size: text.length },
});
const home = homeOf('parks/trees');
const columns = [
  { name: 'name', type: 'string' },
  { name: 'height', type: 'integer' },
];
const root = await makeRoot({
  settings: { title: 'Town', people: 'public', payloads: missingObjectStore ? {} : s3.settings('typed') },
  namespaces: { parks: { id: 1, label: 'Parks' } },
  datasets: { 'parks/trees': { id: 1, label: 'Trees', columns } },
  versions: {
    'parks/trees@20200101000000000000': { id: 1, ...versionOf(oaks, 'oaks.csv') },
    'parks/trees@20210101000000000000': { id: 2, ...versionOf(elms, 'elms.csv') },
    'parks/trees@20190101000000000000': { id: 3, ...versionOf('a\n1\n', 'small.csv') },
  },
  files: {
    [`${home}/data/oaks.csv`]: oaks,
    [`${home}/data/elms.csv`]: elms,
    [`${home}/data/small.csv`]: 'a\n1\n',
  },
});

describe('payloads in an object store', { skip: missingObjectStore }, () => {
  const run = (line: string, more: object = {}) => type(line.split(' '), { root, ...more });
  const file = (name: string) => readFileSync(`${root}/${home}/data/${name}`, 'utf8');
  const keys = async () =>
    ((await s3.client.send(new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: 'typed/' }))).Contents ?? []).map(
      ({ Key = '' }) => Key,
    );
  const object = (text: string) => ({ Bucket: s3.bucket, Key: objectKey('typed/', computeChecksum(text)) });
  const sums = (...texts: string[]) => texts.map((text) => object(text).Key).sort();

  it('lie in a store that doctor finds', async () => {
    const { findings } = JSON.parse((await run('doctor --json')).out);
    const { state, message } = findings.find(({ name }: { name: string }) => name === 'object store');
    assert.deepEqual([state, message], ['ok', `${s3.settings('typed').store} can be read`]);
  });

  it('are listed with their places', async () => {
    const before = await run('payloads list');
    assert.equal(
      before.out,
      ['elms', 'oaks', 'small']
        .map((name) => `${home}/data/${name}.csv\t${file(`${name}.csv`).length}\tfolder\n`)
        .join(''),
    );
    assert.match(before.err, /^3 payloads \(4\.\d kB\)\.$/m);
    await run('payloads move');
    const { out } = await run('payloads list', { terminal: true, columns: 120 });
    assert.match(
      out,
      /^PATH +SIZE +PLACE\n\S+elms\.csv +2\.\d kB +store\n\S+oaks\.csv +2\.\d kB +store\n\S+small\.csv +4 B +folder\n/,
    );
    await run('data parks/trees height=7');
    const after = await run('payloads list --json');
    const places = JSON.parse(after.out).map(({ path, place, cached, checksum }: Record<string, unknown>) =>
      [String(path).split('/').at(-1), place, cached, checksum].join(' '),
    );
    assert.deepEqual(places, [
      `elms.csv store true ${computeChecksum(elms)}`,
      `oaks.csv store false ${computeChecksum(oaks)}`,
      `small.csv folder false ${computeChecksum('a\n1\n')}`,
    ]);
    assert.match(after.err, /^3 payloads \(4\.\d kB\), of them 2 \(4\.\d kB\) in the object store\.$/m);
    await run('payloads move --to folder');
    const none = await makeRoot({ settings: { title: 'Town' } });
    assert.match((await type(['payloads', 'list'], { root: none })).err, /^No payloads\.$/m);
    for (const key of await keys()) await s3.client.send(new DeleteObjectCommand({ Bucket: s3.bucket, Key: key }));
  });

  it('are moved there, and checked', async () => {
    const planned = await run('payloads move --dry-run');
    assert.match(planned.out, /Would move .*\/data\/elms\.csv \(2\.\d kB\)\nWould move .*\/data\/oaks\.csv/);
    assert.equal(file('oaks.csv'), oaks);
    const moved = await run('payloads move');
    assert.match(moved.err, /^Moved 2 payloads \(4\.\d kB\) to the object store\.$/m);
    assert.deepEqual(await keys(), sums(oaks, elms));
    assert.deepEqual(['oaks.csv', 'elms.csv', 'small.csv'].map(file), [
      pointerText(factsOf(oaks)),
      pointerText(factsOf(elms)),
      'a\n1\n',
    ]);
    assert.match((await run('payloads move')).err, /^Moved nothing to the object store\.$/m);
    assert.match((await run('check --deep')).err, /no errors/);
    assert.match((await run('payloads verify --deep')).err, /2 payloads compared: no problems\./);
    assert.equal((await run('download parks/trees@20200101000000000000 -o -')).out, oaks);
    assert.match((await run('data parks/trees height=7')).out, /elm 7/);
  });

  it('are reported if they are missing or damaged', async () => {
    await s3.client.send(new DeleteObjectCommand(object(oaks)));
    await s3.client.send(new PutObjectCommand({ ...object(elms), Body: elms.replace('elm 5', 'elm 6') }));
    const sizes = await run('payloads verify');
    assert.equal(sizes.exitCode, 1);
    assert.match(sizes.out, /^\S+\/oaks\.csv: The object store lacks the payload with the checksum \w{64}\. Restore/);
    assert.doesNotMatch(sizes.out, /elms/);
    const all = JSON.parse((await run('payloads verify --deep --json')).out);
    assert.deepEqual([all.payloads, all.problems.length], [2, 2]);
    const { out, exitCode } = await run('check --deep');
    assert.equal(exitCode, 1);
    assert.match(out, /20200101000000000000\.yaml:\d+:\d+: The object store lacks/);
    assert.match(out, /20210101000000000000\.yaml:\d+:\d+: The object store has other bytes/);
    rmSync(`${root}/.catalogue/cache`, { recursive: true });
    const site = `${root}-site`;
    const exported = await run(`export ${site} --url https://data.example.org`);
    rmSync(site, { recursive: true, force: true });
    assert.equal(exported.exitCode, 6);
    assert.match(
      exported.err,
      /parks\/trees@20\d+: The object store (lacks|has other bytes).*Restore the object, or publish/,
    );
    const tables = await run(`export --iceberg ${site}`);
    rmSync(site, { recursive: true, force: true });
    assert.equal(tables.exitCode, 6);
    assert.match(
      tables.err,
      /parks\/trees@20\d+: The object store (lacks|has other bytes).*Restore the object, or publish/,
    );
    await s3.client.send(new PutObjectCommand({ ...object(elms), Body: elms }));
    await s3.client.send(new PutObjectCommand({ ...object(oaks), Body: oaks }));
    const refused = await (async () => {
      s3.fault = () => ({ status: 403, code: 'AccessDenied' });
      return run('payloads verify').finally(() => {
        s3.fault = undefined;
      });
    })();
    assert.equal(refused.exitCode, 6);
    assert.match(refused.err, /The object store refuses the key: check AWS_ACCESS_KEY_ID/);
  });

  it('go with clone, push, pull, export and backup', async (t) => {
    const { base, close } = await serveFolder(root);
    t.after(close);
    const place = makeFolder({}, t);
    const cloned = await type(['clone', base, place.path('copy')], { root });
    assert.equal(cloned.exitCode, 0, cloned.err);
    assert.equal(readFileSync(place.path(`copy/${home}/data/oaks.csv`), 'utf8'), oaks);
    assert.doesNotMatch(readFileSync(place.path('copy/catalogue.yaml'), 'utf8'), /payloads|s3:/);
    const pulled = await type(['pull'], { root: place.path('copy') });
    assert.match(pulled.err, /up to date|Nothing/i);
    const exported = await run(`export ${place.path('site')} --url https://data.example.org`);
    assert.equal(exported.exitCode, 0, exported.err);
    const downloads = readdirSync(place.path('site'), { recursive: true, encoding: 'utf8' });
    const payload = downloads.find((path) => /20200101000000000000\/download\/[^/]+\.csv$/.test(path));
    assert.equal(readFileSync(place.path(`site/${payload}`), 'utf8'), oaks);
    const saved = await run(`backup ${place.path('town.tar.gz')}`);
    assert.match(saved.err, /2 payloads \(4\.\d kB\) lie in the object store, and not in the backup\./);
  });

  it('are removed from there when nothing names them, not even an old commit', async () => {
    const repository = repositoryAt(root, root);
    await repository.git('init', '--quiet', '--initial-branch=main');
    await repository.git('add', '.');
    await repository.git('commit', '--quiet', '-m', 'Everything');
    await repository.git('rm', '--quiet', `${home}/data/elms.csv`, `${home}/versions/20210101000000000000.yaml`);
    await repository.git('commit', '--quiet', '-m', 'No elms');
    await s3.client.send(new PutObjectCommand({ ...object(ashes), Body: ashes }));
    await s3.client.send(
      new PutObjectCommand({ Bucket: s3.bucket, Key: 'typed/notes.txt', Body: 'Of another program' }),
    );
    await writeOrigin(root, { url: 'https://data.example.org' });
    const inClone = await run('payloads gc --older-than 0h --yes --data catalogue-data');
    assert.deepEqual([inClone.exitCode, inClone.out], [5, '']);
    assert.match(
      inClone.err,
      /synchronised with https:\/\/data\.example\.org\..*payloads gc --force --data catalogue-data$/m,
    );
    assert.match((await run('payloads gc --force --dry-run')).err, /^$/);
    await removeOrigin(root);
    const young = await run('payloads gc --yes');
    assert.match(young.err, /^Nothing to remove\.$/m);
    const planned = await run('payloads gc --older-than 0h --dry-run');
    assert.match(
      planned.out,
      new RegExp(`^Would remove ${object(ashes).Key} \\(2\\.\\d kB, of \\d{4}-\\d\\d-\\d\\d\\)\n$`),
    );
    const refused = await run('payloads gc --older-than 0h --json');
    assert.deepEqual([refused.exitCode, refused.out], [2, '']);
    const removed = await run('payloads gc --older-than 0h --yes --json');
    assert.equal(JSON.parse(removed.out).objects[0].key, object(ashes).Key);
    assert.match(removed.err, /^Removed 1 object\.$/m);
    assert.deepEqual(await keys(), [...sums(oaks, elms), 'typed/notes.txt'].sort());
    await repository.git('checkout', '--quiet', 'HEAD~1');
    assert.equal((await run('download parks/trees -o -')).out, elms);
    const { out: diff } = await run('diff HEAD..main --json');
    assert.equal(JSON.parse(diff).things?.[0]?.rows?.counts?.changed, 200);
  });

  it('are moved back', async () => {
    const moved = await run('payloads move --to folder');
    assert.match(moved.err, /^Moved 2 payloads \(4\.\d kB\) into the folder\.$/m);
    assert.deepEqual([file('oaks.csv'), file('elms.csv')], [oaks, elms]);
    assert.equal(existsSync(`${root}/.catalogue/cache/payloads`), true);
    const none = await makeRoot({ settings: { title: 'Town' } });
    const { err, exitCode } = await type(['payloads', 'verify'], { root: none });
    assert.equal(exitCode, 3);
    assert.match(err, /catalogue\.yaml names no object store: add "store: s3:/);
  });

  it('are not taken for missing without their bucket, and commands say what the service said', async () => {
    const settings = s3.settings('typed');
    const verify = async (payloads: object) => {
      const other = await makeRoot({
        settings: { title: 'Town', payloads },
        namespaces: { parks: { id: 1, label: 'Parks' } },
        datasets: { 'parks/trees': { id: 1, label: 'Trees', columns } },
        versions: { 'parks/trees@20200101000000000000': { id: 1, ...versionOf(oaks, 'oaks.csv') } },
        files: { [`${home}/data/oaks.csv`]: pointerText(factsOf(oaks)) },
      });
      const { out, err } = await type(['payloads', 'verify'], { root: other });
      return out + err;
    };
    assert.match(
      await verify({ ...settings, store: 's3://nowhere/typed' }),
      /^error: The object store has no such bucket: make it, or correct payloads\.store in catalogue\.yaml\.$/m,
    );
    assert.match(
      await verify({ ...settings, endpoint: 'http://127.0.0.1:9' }),
      /^error: The object store can't be reached at the moment\. Try again later\.\n {7}\(object store: .*ECONNREFUSED.*\)$/m,
    );
    assert.match(
      await verify({ ...settings, endpoint: 's3.example.org' }),
      /^error: catalogue\.yaml is broken at line \d+, column \d+: endpoint .* "s3\.example\.org"\. .*as https:\/\/s3\.example\.org/m,
    );
  });
});
