/** Two people with a clone each and one server between them: the scenario, for any way to have the program. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { run, serve } from '../support/program.ts';
import { contentOf } from '../sync/pair.ts';

const trees = 'namespaces/parks/datasets/trees/dataset.yaml';

/**
 * Clone, edit on both sides, push, conflict, resolve, pull, and a network that breaks; compares the folders byte by byte.
 * @param home a folder of its own
 * @param program another one than that of the checkout
 */
export async function keepInStep(home: string, program?: string): Promise<void> {
  const folder = (name: string) => join(home, name);
  const options = (who: string) => ({
    cwd: folder(who),
    ...(program && { program }),
    env: { XDG_CONFIG_HOME: folder(`${who}-config`) },
  });
  const tokens = new Map<string, string>();
  const type = (who: string, words: string, input?: string) =>
    run(words.split(' '), { ...options(who), ...(input !== undefined && { input }) });
  const done = async (who: string, words: string, input?: string) => {
    const { exitCode, out, err } = await type(who, words, input);
    assert.equal(exitCode, 0, `${who}: ${words}: ${err}`);
    return { out, err };
  };
  const data = (who: string, path = '') => join(folder(who), 'catalogue-data', path);
  const same = (...whos: string[]) => {
    for (const who of whos) assert.deepEqual(contentOf(data(who)), contentOf(data('host')), who);
  };

  for (const who of ['host', 'ann', 'bob']) mkdirSync(folder(who), { recursive: true });
  await done('host', 'init --title Springfield');
  await done('host', 'group add gardeners --label Gardeners');
  for (const words of ['add ann --staff true', 'add bob --group gardeners'])
    await done('host', `user ${words} --password-stdin`, 'wonderland 7305\n');
  await done('host', 'namespace add parks --label Parks --owner gardeners');
  await done('host', 'namespace add water --label Water');
  await done('host', 'dataset add water/wells --label Wells --visibility private');
  writeFileSync(join(folder('host'), 'trees.csv'), 'name,height\noak,12\nelm,9\n');
  await done('host', 'publish trees.csv --to parks/trees --label Trees');
  for (const who of ['ann', 'bob']) tokens.set(who, (await done('host', `token add ${who}`)).out.trim());
  const settings = data('host', 'catalogue.yaml');
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}base_url: https://data.example.org\n`);

  const server = await serve([], { ...options('host') });
  const proxy = await cuttingProxy(server.url);
  try {
    await done('ann', `login ${server.url} --token-stdin`, tokens.get('ann'));
    await done('bob', `login ${proxy.url} --token-stdin`, tokens.get('bob'));
    // Ann sees all, bob neither other people nor what is private.
    await done('ann', `clone ${server.url}`);
    same('ann');
    assert.equal(readFileSync(data('ann', 'catalogue.yaml'), 'utf8').includes('base_url'), false);
    assert.match(readFileSync(data('ann', '.gitignore'), 'utf8'), /^\.catalogue\/$/m);
    assert.match((await type('ann', `clone ${server.url}`)).err, /is a clone of .* already\..*catalogue pull/);
    await done('bob', `clone ${proxy.url}`);
    assert.equal(existsSync(data('bob', 'namespaces/water/datasets/wells')), false);
    assert.equal(existsSync(data('bob', 'users/ann.yaml')), false);
    for (const words of ['pull', 'push', 'diff']) assert.match((await done('ann', words)).err, /Already up to date\./);

    // Both edit; what they don't have in common goes through.
    await done('ann', 'dataset edit parks/trees --label Old --licence CC0-1.0');
    await done('ann', 'dataset add water/lakes --label Lakes');
    await done('bob', 'dataset edit parks/trees --label Tall');
    writeFileSync(join(folder('bob'), 'benches.csv'), 'name\nsouth\n');
    await done('bob', 'publish benches.csv --to parks/benches --label Benches');
    assert.match((await done('ann', 'push')).err, /^Pushed 2 records to /m);
    const before = contentOf(data('bob'));
    const planned = await done('bob', 'pull --dry-run parks/benches water');
    assert.equal(planned.out, 'incoming\tadd\twater/lakes\t\t\n');
    assert.deepEqual(contentOf(data('bob')), before);
    const pushed = await type('bob', 'push');
    assert.equal(pushed.exitCode, 5, pushed.err);
    assert.match(pushed.err, /1 record not sent.*catalogue pull/);
    assert.match(pushed.err, /^Pushed 2 records and 11 B to /m);

    // The conflict, field by field; nothing is decided for anybody.
    const asked = await type('bob', 'pull --json');
    assert.equal(asked.exitCode, 5, asked.err);
    const { conflicts } = JSON.parse(asked.out);
    assert.deepEqual(
      conflicts.map(({ name, fields }: { name: string; fields: object[] }) => [name, fields]),
      [
        [
          'parks/trees',
          [
            { field: 'label', base: 'Trees', ours: 'Tall', theirs: 'Old', changedBy: 'both' },
            { field: 'licence', theirs: 'CC0-1.0', changedBy: 'theirs' },
          ],
        ],
      ],
    );
    assert.match(readFileSync(data('bob', trees), 'utf8'), /^label: Tall$/m);
    assert.match(readFileSync(data('host', trees), 'utf8'), /^label: Old$/m);
    // By hand, so that it says both.
    await done('bob', 'dataset edit parks/trees --licence CC0-1.0 --label Tall-and-old');
    assert.match((await done('bob', 'pull --ours parks/trees')).err, /Kept 1 local record/);
    await done('bob', 'push');
    await done('ann', 'pull');
    same('ann');
    assert.match(readFileSync(data('ann', trees), 'utf8'), /^label: Tall-and-old\nlicence: CC0-1\.0$/m);

    // What bob may not write stays with him, and the rest goes.
    await done('bob', 'dataset edit water/lakes --label Ponds');
    await done('bob', 'dataset edit parks/benches --label Seats');
    const refused = await type('bob', 'push');
    assert.equal(refused.exitCode, 4, refused.err);
    assert.match(refused.err, /^water\/lakes: .*permission/m);
    assert.match(readFileSync(data('host', 'namespaces/parks/datasets/benches/dataset.yaml'), 'utf8'), /Seats/);
    await done('ann', 'dataset edit water/lakes --label Lakes-and-ponds');
    await done('ann', 'push');
    assert.equal((await type('bob', 'pull')).exitCode, 5);
    await done('bob', 'pull --theirs');

    // A rename goes as one: the payload stays where it is.
    const home = (who: string, name: string) => data(who, `namespaces/parks/datasets/${name}`);
    renameSync(home('bob', 'trees'), home('bob', 'oaks'));
    assert.match((await done('bob', 'diff')).out, /^outgoing\tmove\tparks\/trees\tparks\/oaks\t$/m);
    await done('bob', 'push');
    await done('ann', 'pull');
    same('ann');
    assert.ok(existsSync(home('host', 'oaks')) && !existsSync(home('host', 'trees')));

    // The network breaks, again and again.
    for (let i = 0; i < 40; i++) {
      const path = data('ann', `namespaces/water/datasets/many-${i}/dataset.yaml`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `id: ${1000 + i}\nlabel: Many ${i}\ndescription: ${'x'.repeat(400)}\n`);
    }
    await done('ann', 'push');
    const cuts: number[] = [];
    for (let bytes = 12_000; ; bytes += 12_000) {
      proxy.allow(bytes);
      const { exitCode, err } = await type('bob', 'pull');
      if (exitCode === 0) break;
      assert.equal(exitCode, 6, err);
      assert.match(err, /the same command goes on/);
      cuts.push(bytes);
    }
    assert.ok(cuts.length > 1, `${cuts}`);
    proxy.allow(Number.POSITIVE_INFINITY);
    assert.match((await done('bob', 'pull')).err, /Already up to date\./);
    const visible = Object.entries(contentOf(data('host'))).filter(([path]) => !/wells|users\/ann/.test(path));
    assert.deepEqual(contentOf(data('bob')), Object.fromEntries(visible));
    for (const who of ['ann', 'bob', 'host']) await done(who, 'check --deep');
  } finally {
    await proxy.close();
    await server.end('SIGTERM');
  }
}
