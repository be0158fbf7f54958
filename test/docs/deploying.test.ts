/** The files in deploy/ are right: the unit, the Containerfile and the site for nginx; and "npm start" ends with npm. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { defaultIngestLimits } from '../../src/data/ingest/ingest-pool.ts';
import { packedNames } from '../support/checkout.ts';
import { homeOf, makeLastingFolder, until } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { run, start, temporaryFolder } from '../support/program.ts';
import { selfSigned } from '../support/self-signed.ts';
import { serveFolder } from '../support/server.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(checkout, name), 'utf8');
const has = (program: string) => spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status === 0;
const answers = (port: number) => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok);

describe('the command that starts the server', () => {
  const home = temporaryFolder();
  after(home.remove);

  const unit = /^ExecStart=\S+\/catalogue (.*)$/m.exec(read('deploy/catalogue.service'))?.[1]?.split(' ') ?? [];
  const container = JSON.parse(/^CMD (\[.*\])$/m.exec(read('deploy/Containerfile'))?.[1] ?? '[]') as string[];
  for (const [name, words] of Object.entries({ 'catalogue.service': unit, Containerfile: container }))
    it(`is right in deploy/${name}, and SIGTERM ends it`, async () => {
      assert.equal(words[0], 'serve');
      const folder = join(home.path, name);
      assert.equal((await run(['init', folder], { cwd: home.path })).exitCode, 0);
      const port = await freePort();
      const args = words.map((word) => (word === '8000' ? String(port) : /^\/(data|var)/.test(word) ? folder : word));
      const child = start(args, { cwd: home.path });
      await until(() => answers(port), 20_000);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });

  it('copies into the container what test/pack.test.ts makes the package of', () => {
    const copied = [...read('deploy/Containerfile').matchAll(/^COPY ([a-z].*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    assert.deepEqual(copied.sort(), [...packedNames].sort());
  });

  it('finds in the container what git needs for remotes over HTTPS and SSH, and for Git LFS', () => {
    // Without these, that git has only where recommended packages are installed, as they are not here.
    const [, installed = ''] =
      /apt-get install -y --no-install-recommends (.*?) &&/.exec(read('deploy/Containerfile')) ?? [];
    assert.deepEqual(installed.split(' '), ['git', 'git-lfs', 'ca-certificates', 'openssh-client']);
  });

  it('is built as an image that keeps its health check: Podman drops it from images of the OCI', () => {
    assert.match(read('deploy/Containerfile'), /^HEALTHCHECK /m);
    for (const name of ['deploy/Containerfile', 'docs/deploying.md']) {
      const builds = read(name).match(/podman build .*/g) ?? [];
      assert.equal(builds.length, 1, name);
      assert.match(builds[0] ?? '', /^podman build --format docker /, name);
    }
  });

  it('is a unit that systemd takes', { skip: !has('systemd-analyze') }, () => {
    const path = join(home.path, 'units/catalogue.service');
    mkdirSync(join(home.path, 'units'));
    writeFileSync(path, read('deploy/catalogue.service').replace('/usr/local/bin/catalogue', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('is also "npm start": a signal to npm ends the server', async () => {
    const port = await freePort();
    const npm = spawn('npm', ['start', '--', '--port', String(port), '--data', join(home.path, 'Containerfile')], {
      cwd: checkout,
      stdio: 'ignore',
    });
    await until(() => answers(port), 30_000);
    npm.kill('SIGTERM');
    await until(
      () =>
        answers(port).then(
          () => false,
          () => true,
        ),
      20_000,
    );
  });
});

it('docs/deploying.md installs copies of the package: the unit sees no home folders, where a clone would be', () => {
  assert.match(read('deploy/catalogue.service'), /^ProtectHome=yes$/m);
  const blocks = [...read('docs/deploying.md').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const installs = blocks.flatMap((block) => block.match(/^npm install .*$/gm) ?? []);
  assert.ok(installs.length >= 2);
  for (const line of installs) assert.match(line, /^npm install --global (\.\/)?dataset-catalogue-[\d.]+\.tgz$/);
  assert.ok(blocks.some((block) => /^npm install.*^cp .*catalogue\.service/ms.test(block)));
});

it('deploy/nginx.conf waits for the answer to an upload as long as the server may read a file of 300 MB', () => {
  const [, hours = '0'] = /^ *proxy_read_timeout (\d+)h;$/m.exec(read('deploy/nginx.conf')) ?? [];
  const { seconds, secondsPerMb } = defaultIngestLimits;
  assert.ok(Number(hours) * 3600 >= seconds + 300 * secondsPerMb, `${hours} hours`);
});

it('both configurations of nginx wait for an hour for the first byte of a file that is made as a whole', () => {
  for (const name of ['nginx.conf', 'nginx-several-servers.conf'])
    assert.match(read(`deploy/${name}`), /^ *proxy_read_timeout 1h;$/m, name);
});

it('deploy/nginx.conf passes on no position, by which clients would make a server fetch from git', () => {
  assert.match(read('deploy/nginx.conf'), /^ *proxy_set_header X-Catalogue-Min-Position "";$/m);
});

it('both configurations of nginx take the links of the longest query string', () => {
  for (const name of ['nginx.conf', 'nginx-several-servers.conf'])
    assert.match(read(`deploy/${name}`), /^ *proxy_buffer_size 32k;\n *proxy_buffers 8 32k;$/m, name);
});

describe('deploy/nginx.conf', { skip: !has('nginx') && 'nginx is not installed' }, () => {
  const csv = 'a/b\n1\n2\n';
  const ckanId = '9e47911d-bd85-40f0-b6ae-a0f66015a4aa';
  const home = temporaryFolder();
  let secure: number;
  let end: () => Promise<void>;

  before(async () => {
    const folder = makeLastingFolder({
      settings: { base_url: 'https://data.example.org/open-data', trust_proxy: true },
      namespaces: { parks: { label: 'Parks' } },
      datasets: {
        'parks/trees': { label: 'Trees', columns: [{ name: 'a/b', type: 'integer' }] },
        'parks/street_trees': { id: 7, label: 'Street trees', source: { from: 'ckan', id: ckanId } },
        'parks/own': { id: 8, label: 'Own' },
      },
      versions: {
        'parks/trees@1': {
          file: { name: 'a.csv', format: 'csv' },
          checksum: createHash('sha256').update(csv).digest('hex'),
        },
      },
      files: { [`${homeOf('parks/trees')}/data/a.csv`]: csv },
    });
    const { base, close } = await serveFolder(folder.root);
    const [plain, port] = [await freePort(), await freePort()];
    secure = port;
    for (const [name, pem] of Object.entries(selfSigned)) writeFileSync(join(home.path, `${name}.pem`), pem);
    const site = read('deploy/nginx.conf')
      .replace(/^ +listen \[::\].*\n/gm, '')
      .replace('listen 80', `listen 127.0.0.1:${plain}`)
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace(/\S+fullchain\.pem/, join(home.path, 'cert.pem'))
      .replace(/\S+privkey\.pem/, join(home.path, 'key.pem'))
      .replace('http://127.0.0.1:8000', base);
    const [list = '', formerPortal = ''] = ['sh', 'nginx'].map((language) => {
      const [, block = ''] =
        read('docs/importing.md').split('## Moving from CKAN')[1]?.split(`\`\`\`${language}\n`) ?? [];
      return (block.split('```')[0] ?? '')
        .replace('/etc/nginx', home.path)
        .replace('catalogue-data/namespaces/city', join(folder.root, 'namespaces/parks'))
        .replace('namespaces/city', 'namespaces/parks')
        .replace('listen 443', `listen 127.0.0.1:${port}`);
    });
    assert.deepEqual(spawnSync('sh', ['-c', list], { encoding: 'utf8' }).stderr, '');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${home.path}/${name};`,
    );
    const path = join(home.path, 'nginx.conf');
    writeFileSync(
      path,
      `daemon off; pid ${home.path}/pid; error_log stderr; events {} http { access_log off; ${paths.join(' ')}\n${site}\n${formerPortal}}`,
    );
    const nginx = spawn('nginx', ['-p', home.path, '-c', path], {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    nginx.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    await until(() => ask('/open-data/readyz').then(({ status }) => status === 200), 10_000).catch(() =>
      assert.fail(said),
    );
    end = async () => {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      await close();
      folder.remove();
      home.remove();
    };
  });
  after(() => end());

  const ask = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: secure, path, headers: { Host: 'data.example.org', ...headers } };
      request({ ...options, rejectUnauthorized: false }, async (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
      })
        .on('error', reject)
        .end();
    });

  it('passes addresses on without the path, and as they are', async () => {
    const trees = '/open-data/api/v1/namespaces/parks/datasets/trees/';
    const { status, body } = await ask(trees);
    assert.equal(status, 200);
    assert.equal(JSON.parse(body).url, `https://data.example.org${trees}`);
    assert.equal(JSON.parse((await ask(`${trees}columns/a%2Fb/`)).body).name, 'a/b');
    assert.equal((await ask(`${trees}data.csv?a%2Fb__gte=2`)).body.trim(), 'a/b\r\n2');
    const long = encodeURIComponent(`"a/b" NOT IN (${Array(600).fill('1234567').join(',')})`);
    const rows = await ask(`${trees}data.csv?_limit=1&_filter=${long}`);
    assert.equal(rows.status, 200, rows.body);
    assert.match(String(rows.headers.link), /rel="next"/);
    assert.equal((await ask(trees.slice(0, -1))).headers.location, trees);
    assert.equal(
      (await ask('/open-data')).headers.location?.replace(/:\d+/, ''),
      'https://data.example.org/open-data/',
    );
  });

  it('leads from the addresses of a former portal in CKAN to the datasets', async () => {
    const at = (path: string) => ask(path, { Host: 'ckan.example.org' });
    const trees = 'https://data.example.org/open-data/api/v1/namespaces/parks/datasets/street_trees/';
    for (const path of [
      '/dataset/street_trees',
      '/de/dataset/street_trees?activity_id=1',
      `/dataset/${ckanId}/resource/11/download/trees.csv`,
    ]) {
      const { status, headers } = await at(path);
      assert.deepEqual([status, headers.location], [301, trees], path);
      assert.equal((await ask(new URL(trees).pathname)).status, 200);
    }
    assert.equal((await at('/dataset/')).headers.location, 'https://data.example.org/open-data/');
  });

  it('answers other spellings of the path with 404, and not with the home page', async () => {
    const list = 'open-data/api/v1/datasets/';
    assert.equal((await ask(`/${list}`)).status, 200);
    for (const path of [`//${list}`, '/open%2Ddata/api/v1/datasets/', `/x/../${list}`, `/./${list}`])
      assert.equal((await ask(path)).status, 404, path);
  });

  it('serves the documentation with its links under the path, and parts of files', async () => {
    const { body } = await ask('/open-data/docs/', { Accept: 'text/html' });
    assert.match(body, /href="\/open-data\/docs\/filters\/"/);
    const part = await ask('/open-data/api/v1/namespaces/parks/datasets/trees/download/', { Range: 'bytes=0-2' });
    assert.deepEqual([part.status, part.body], [206, 'a/b']);
    assert.equal((await ask('/open-data/metrics')).status, 404);
  });
});
