import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { makeRoot, seed, trees, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

/** A promise, and what resolves it. */
function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const data = (...argv: string[]) => type(['data', 'parks/trees', ...argv]);

describe('data', () => {
  it('is GeoJSON behind a pipe', async () => {
    const { out, err, exitCode } = await data();
    assert.deepEqual([exitCode, err], [0, '']);
    const { type: kind, features } = JSON.parse(out);
    assert.deepEqual([kind, features.length], ['FeatureCollection', 3]);
  });

  it('is CSV behind a pipe if the fields leave out the geometry', async () => {
    for (const argv of [
      ['--fields', 'name,height'],
      ['_fields=name,height'],
      ['_fields=geometry', '_fields=name,height'],
    ])
      assert.match((await data(...argv)).out, /^name,height\r?\noak,12\.5\r?\n/, argv.join(' '));
    assert.deepEqual(
      JSON.parse((await data('--fields', 'name', '--format', 'geojson')).out).features[0].geometry,
      null,
    );
    const { features } = JSON.parse((await data('--fields', 'name,geometry')).out);
    assert.deepEqual([features[0].geometry.type, features[0].properties], ['Point', { name: 'oak' }]);
  });

  it('is CSV, and a table of the first rows, also if a filter has the name of a parameter', async () => {
    const rows = Array.from({ length: 60 }, () => 'csv,5\n').join('');
    const files = { 'formats.csv': `format,limit\n${rows}` };
    const { root } = await type(['publish', 'formats.csv', '--to', 'parks/formats'], { files });
    const filtered = (filter: string, terminal = false) => type(['data', 'parks/formats', filter], { root, terminal });
    assert.match((await filtered('format=csv')).out, /^format,limit\r?\ncsv,5\r?\n/);
    assert.match((await filtered('limit=5', true)).err, /^50 of 60 rows\./);
  });

  it('is filtered, ordered, limited and written as it is told to', async () => {
    const rows = async (...argv: string[]) =>
      (await data('--format', 'csv', '--fields', 'name', ...argv)).out.replaceAll('\r', '');
    assert.equal(await rows('height__gte=10', '--ordering', '-height'), 'name\noak\nash\n');
    assert.equal(await rows('name__startswith=a'), 'name\nash\n');
    assert.equal(await rows('--filter', "height > 9 AND name <> 'oak'"), 'name\nash\n');
    assert.equal(await rows('--bbox', '4.55,51,4.65,52'), 'name\nelm\n');
    assert.equal(await rows('--limit', '1', '--offset', '1'), 'name\nelm\n');
    assert.equal(await rows('_limit=1'), 'name\noak\n');
    const { out } = await type(['data', 'parks/trees@20200102030405000000', 'name=a=b', '--format', 'objects']);
    assert.deepEqual(JSON.parse(out), []);
  });

  it('is a table of the first rows at a terminal', async () => {
    const { out, err } = await type(['data', 'parks/trees'], { terminal: true });
    assert.equal(out.split('\n')[0]?.trim().split(/ +/).join(' '), 'geometry name height longitude latitude');
    assert.match(out, /^Point\(4\.5 51\.9\) +oak +12\.5 /m);
    assert.equal(err, '');
    const many = `n\n${Array.from({ length: 60 }, (_, i) => i).join('\n')}\n`;
    const { root } = await type(['version', 'add', 'parks/benches', '-', '--name', 'a.csv'], { files: { '-': many } });
    const cut = await type(['data', 'parks/benches'], { root, terminal: true });
    assert.equal(cut.out.trimEnd().split('\n').length, 51);
    assert.equal(cut.err, '50 of 60 rows. All of them: -o FILE, or --format csv\n');
    assert.equal(
      (await type(['data', 'parks/benches', '--limit', '55'], { root, terminal: true })).out.split('\n').length,
      57,
    );
    assert.match((await type(['data', 'parks/benches', 'n__gt=100'], { root, terminal: true })).err, /^No rows\.\n/);
    const narrow = await type(['data', 'parks/trees'], { terminal: true, columns: 30 });
    assert.match(narrow.err, /3 of 5 columns\. To see others: --fields longitude,latitude/);
  });

  it('obeys nothing in the rows, at a terminal', async () => {
    const nasty = 'name\n"A\u001b[31mred\u0007"\n';
    const { root } = await type(['version', 'add', 'parks/benches', '-', '--name', 'a.csv'], { files: { '-': nasty } });
    for (const more of [[], ['--format', 'csv'], ['--json']]) {
      const { out } = await type(['data', 'parks/benches', ...more], { root, terminal: true });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      assert.doesNotMatch(out, /[\x00-\x09\x0b-\x1f]/);
      assert.match(out, /red/);
    }
  });

  it('is written to a file, which tells the format', async () => {
    for (const [name, start] of [
      ['rows.csv', 'longitude,latitude,name'],
      ['rows.geojson', '{"type":"FeatureCollection"'],
      ['rows.ndjson', '{"'],
      ['rows.parquet', 'PAR1'],
    ] as const) {
      const { cwd, out, err, exitCode } = await data('-o', name);
      assert.equal(exitCode, 0, err);
      assert.equal(out, '');
      assert.match(err, new RegExp(`^Wrote rows of parks/trees@\\d+ to ${name} \\(\\w+, \\d+`));
      if (name !== 'rows.csv') assert.ok(readFileSync(join(cwd, name), 'latin1').startsWith(start), name);
      assert.deepEqual(readdirSync(cwd).sort(), ['catalogue-data', name].sort());
    }
    const { cwd } = await data('--format', 'csv', '--output', 'rows.txt');
    assert.match(readFileSync(join(cwd, 'rows.txt'), 'utf8'), /oak/);
  });

  it('leaves the file as it was where it fails', async () => {
    const root = await makeRoot();
    const cwd = join(root, '..');
    writeFileSync(join(cwd, 'rows.csv'), 'old');
    const wrong = await type(['data', 'parks/trees', 'hight=1', '-o', 'rows.csv'], { root });
    assert.equal(wrong.exitCode, 2);
    assert.equal(readFileSync(join(cwd, 'rows.csv'), 'utf8'), 'old');
    const nowhere = await type(['data', 'parks/trees', '-o', 'no/rows.csv'], { root });
    assert.equal(nowhere.exitCode, 1);
    assert.match(nowhere.err, /no\/rows\.csv: There is no such file or folder/);
  });

  it('says what to type instead', async () => {
    const cases: readonly [argv: string[], exitCode: number, message: RegExp][] = [
      [['heigth__gte=10'], 2, /^error: heigth__gte: Unknown column "heigth"\. Did you mean "height"\?/],
      [['height__gte=tall'], 2, /^error: height__gte: /],
      [['height__gtr=1'], 2, /^error: height__gtr: /],
      [['tall'], 2, /"tall" is not a filter\. Write column=value or column__lookup=value/],
      [['--fields', 'nam'], 2, /^error: --fields: Unknown column "nam"\. Did you mean "name"\?/],
      [['--ordering', 'geometry'], 2, /^error: --ordering: /],
      [['--bbox', '1,2'], 2, /^error: --bbox: /],
      [['--filter', 'height >'], 2, /^error: --filter: /],
      [['--format', 'xlsx'], 2, /Allowed choices are geojson/],
      [['-o', 'rows.xlsx'], 2, /can't be written as \.xlsx\. Say which: --format geojson\|/],
      [['-o', 'rows'], 2, /rows has no extension/],
      [['-o', 'rows.geojsn'], 2, /Did you mean \.geojson\?/],
    ];
    for (const [argv, expected, message] of cases) {
      const { exitCode, err, out } = await data(...argv);
      assert.equal(exitCode, expected, err);
      assert.match(err, message);
      assert.equal(out, '');
    }
    const none = await type(['data', 'parks/benches']);
    assert.deepEqual(
      [none.exitCode, none.err],
      [3, 'error: parks/benches has no version yet. Add one with: catalogue version add parks/benches FILE\n'],
    );
    assert.equal((await type(['data', 'parks/trees', '--format', 'parquet'], { terminal: true })).exitCode, 2);
  });
});

it('data -o FILE --json says what was written', async () => {
  const { out, cwd } = await data('-o', 'a.csv', '--json');
  assert.deepEqual(JSON.parse(out), { file: 'a.csv', format: 'csv', size: statSync(join(cwd, 'a.csv')).size });
});

describe('download', () => {
  const name = 'trees-20200102030405000000.csv';
  const part = `a.csv.${createHash('sha256').update(trees).digest('hex').slice(0, 12)}.part`;

  it('saves the bytes under a name of their own, and never over a file', async () => {
    const { root, cwd, out, err, exitCode } = await type(['download', 'parks/trees']);
    assert.deepEqual([exitCode, out], [0, `${name}\n`]);
    assert.equal(err, `Downloaded parks/trees@20200102030405000000 to ${name} (80 B, checksum verified).\n`);
    assert.equal(readFileSync(join(cwd, name), 'utf8'), trees);
    writeFileSync(join(cwd, name), 'mine');
    const again = await type(['download', 'parks/trees'], { root });
    assert.equal(again.exitCode, 5);
    assert.match(again.err, /The file .* exists\. Name another one with -o FILE, or replace it with --force/);
    assert.equal(readFileSync(join(cwd, name), 'utf8'), 'mine');
    assert.equal((await type(['download', 'parks/trees', '--force'], { root })).exitCode, 0);
    assert.equal(readFileSync(join(cwd, name), 'utf8'), trees);
  });

  it('saves them where it is told to', async () => {
    const { root, cwd } = await type(['download', 'parks/trees@latest', '-o', 'a.csv'], { files: { 'in/b': '' } });
    assert.equal(readFileSync(join(cwd, 'a.csv'), 'utf8'), trees);
    await type(['download', 'parks/trees', '-o', 'in'], { root });
    assert.equal(readFileSync(join(cwd, 'in', name), 'utf8'), trees);
    const piped = await type(['download', 'parks/trees', '-o', '-'], { root });
    assert.deepEqual([piped.out, piped.err], [trees, '']);
    const { out } = await type(['download', 'parks/trees', '-o', 'c.csv', '--json'], { root });
    assert.deepEqual(JSON.parse(out).file, 'c.csv');
  });

  it('goes on where it broke off', async () => {
    for (const length of [1, 40, trees.length]) {
      const root = await makeRoot();
      const { cwd, err, exitCode } = await type(['download', 'parks/trees', '-o', 'a.csv'], {
        root,
        files: { [part]: trees.slice(0, length) },
      });
      assert.equal(exitCode, 0, err);
      assert.match(err, new RegExp(`^Resuming after ${length} B of 80 B\\.\n`));
      assert.equal(readFileSync(join(cwd, 'a.csv'), 'utf8'), trees);
      assert.equal(existsSync(join(cwd, part)), false);
    }
    const longer = await type(['download', 'parks/trees', '-o', 'a.csv'], { files: { [part]: 'x'.repeat(100) } });
    assert.equal(longer.exitCode, 0, longer.err);
    assert.equal(readFileSync(join(longer.cwd, 'a.csv'), 'utf8'), trees);
  });

  it('touches no part of other programs', async () => {
    for (const checksum of [undefined, createHash('sha256').update(trees).digest('hex')]) {
      const ref = 'parks/trees@20200102030405000000';
      const withSum = { ...seed, versions: { [ref]: { ...seed.versions?.[ref], checksum } } };
      for (const foreign of ['other', 'x'.repeat(100)]) {
        const { cwd, exitCode, err } = await type(['download', 'parks/trees', '-o', 'a.csv'], {
          seed: withSum,
          files: { 'a.csv.part': foreign },
        });
        assert.equal(exitCode, 0, err);
        assert.equal(readFileSync(join(cwd, 'a.csv'), 'utf8'), trees);
        assert.deepEqual(readdirSync(cwd).sort(), ['a.csv', 'a.csv.part', 'catalogue-data']);
        assert.equal(readFileSync(join(cwd, 'a.csv.part'), 'utf8'), foreign);
      }
    }
  });

  it('replaces a file with its permissions, and one that a link names', async () => {
    const root = await makeRoot();
    const cwd = join(root, '..');
    mkdirSync(join(cwd, 'in'));
    symlinkSync(join('in', 'secret.csv'), join(cwd, 'link.csv'));
    for (const argv of [
      ['download', 'parks/trees', '--force', '-o', 'link.csv'],
      ['data', 'parks/trees', '-o', 'link.csv'],
    ])
      for (const mode of [0o600, 0o400, 0o664]) {
        rmSync(join(cwd, 'in/secret.csv'), { force: true });
        writeFileSync(join(cwd, 'in/secret.csv'), 'old');
        chmodSync(join(cwd, 'in/secret.csv'), mode);
        const { exitCode, err } = await type(argv, { root });
        assert.equal(exitCode, 0, err);
        assert.ok(lstatSync(join(cwd, 'link.csv')).isSymbolicLink());
        assert.match(readFileSync(join(cwd, 'in/secret.csv'), 'utf8'), /oak/);
        assert.equal(statSync(join(cwd, 'in/secret.csv')).mode & 0o777, mode, argv[0]);
        assert.deepEqual(readdirSync(join(cwd, 'in')), ['secret.csv']);
      }
  });

  it('keeps nothing whose checksum is another', async () => {
    const begun = await type(['download', 'parks/trees', '-o', 'a.csv'], { files: { [part]: 'other' } });
    assert.equal(begun.exitCode, 1);
    assert.match(
      begun.err,
      /The bytes are not those of parks\/trees@\d+: the checksum is .* was removed.* Try again\./,
    );
    assert.deepEqual(readdirSync(begun.cwd), ['catalogue-data']);
    const damaged = {
      ...seed,
      files: { 'namespaces/parks/datasets/trees/data/trees.csv': trees.replace('oak', 'elk') },
    };
    for (const target of ['a.csv', '-']) {
      const { exitCode, err, cwd } = await type(['download', 'parks/trees', '-o', target], { seed: damaged });
      assert.equal(exitCode, 1);
      assert.match(err, /The bytes are not those of parks\/trees@/);
      assert.deepEqual(readdirSync(cwd), ['catalogue-data']);
    }
  });

  it('keeps what has come where it is interrupted', async () => {
    const { exitCode, err, cwd } = await type(['download', 'parks/trees', '-o', 'a.csv'], {
      interrupted: Promise.resolve(),
    });
    assert.equal(exitCode, 130);
    assert.match(
      err,
      /Interrupted\. The first part is in a\.csv\.[0-9a-f]{12}\.part: the same command fetches the rest\./,
    );
    assert.equal(existsSync(join(cwd, 'a.csv')), false);
  });

  it('is interrupted at once, also if nothing more comes', async () => {
    const interruption = deferred();
    const source = new Readable({ read() {} });
    const faults: Partial<Catalogue> = {
      async payload(this: Catalogue, ref) {
        const payload = await this.payload(ref);
        await payload.close();
        source.push(trees.slice(0, 40));
        setTimeout(interruption.resolve, 200);
        return { ...payload, stream: () => source };
      },
    };
    const options = { faults, interrupted: interruption.promise };
    assert.equal((await type(['download', 'parks/trees', '-o', 'a.csv'], options)).exitCode, 130);
    assert.ok(source.destroyed);
  });

  /** A download of which half has come, and which gets the rest when that is asked for. */
  async function startHalf() {
    const root = await makeRoot();
    const file = join(root, '..', 'a.csv');
    const half = deferred();
    const rest = deferred();
    const faults: Partial<Catalogue> = {
      async payload(this: Catalogue, ref) {
        const payload = await this.payload(ref);
        await payload.close();
        async function* slowly() {
          yield Buffer.from(trees.slice(0, 40));
          half.resolve();
          await rest.promise;
          yield Buffer.from(trees.slice(40));
        }
        return { ...payload, stream: () => Readable.from(slowly(), { objectMode: false }) };
      },
    };
    const result = type(['download', 'parks/trees', '-o', 'a.csv'], { root, faults });
    await half.promise;
    const finish = () => {
      rest.resolve();
      return result;
    };
    return { root, file, finish };
  }

  it('is refused while another one into the same file runs', async () => {
    const { root, file, finish } = await startHalf();
    const second = await type(['download', 'parks/trees', '-o', 'a.csv'], { root });
    assert.equal(second.exitCode, 1);
    assert.match(second.err, /^error: Another download into a\.csv runs: .*\. Wait until it has ended\.\n$/);
    assert.deepEqual([(await finish()).exitCode, readFileSync(file, 'utf8')], [0, trees]);
    assert.deepEqual(readdirSync(join(file, '..')).sort(), ['a.csv', 'catalogue-data']);
  });

  it('replaces no file that was made meanwhile', async () => {
    const { root, file, finish } = await startHalf();
    writeFileSync(file, 'mine');
    const { exitCode, err } = await finish();
    assert.equal(exitCode, 5, err);
    assert.match(err, /The file a\.csv exists\. Name another one with -o FILE, or replace it with --force/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    await type(['download', 'parks/trees', '-o', 'a.csv', '--force'], { root });
    assert.equal(readFileSync(file, 'utf8'), trees);
  });

  it('says why there is nothing', async (t) => {
    const elsewhere = {
      ...seed,
      versions: { 'parks/trees@20200102030405000000': { id: 21, file: { url: 'https://example.org/trees.csv' } } },
    };
    const { base } = await served(elsewhere, t);
    for (const remote of [[], ['--remote', base]]) {
      const { exitCode, err } = await type(['download', 'parks/trees', ...remote], { seed: elsewhere });
      const reason = 'The payload is at another address: https://example.org/trees.csv';
      assert.deepEqual([exitCode, err], [3, `error: ${reason}\n`]);
    }
  });
});
