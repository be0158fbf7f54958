/**
 * Every command on a remote whose answers are distorted: each field with values of every type, odd headers, cut and
 * endless bodies, redirects. A command ends, with one sentence and the right exit code.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type FolderContent, homeOf } from '../support/folder.ts';
import { harmful, naughty } from '../support/naughty.ts';
import { makeRoot, type PromptOptions, type Result, seed, type } from '../support/prompt.ts';
import { type Answer, type Replaying, replay, send } from '../support/replaying.ts';
import { serveFolder } from '../support/server.ts';

const older = 'name,height\noak,12\nelm,9\n';
const newer = 'name,height\noak,13\nfir,3\n';
const record = (name: string, text: string) => ({
  checksum: createHash('sha256').update(text).digest('hex'),
  file: { name, format: 'csv', size: text.length },
});
const paths = homeOf('parks/paths');
const content: FolderContent = {
  ...seed,
  datasets: {
    ...seed.datasets,
    'parks/paths': {
      id: 14,
      label: 'Paths',
      reading: { types: { height: 'float' } },
      readers: ['gardeners', 'user:bob'],
    },
  },
  versions: {
    ...seed.versions,
    'parks/paths@20210101000000000000': { id: 22, ...record('older.csv', older), notes: 'First' },
    'parks/paths@20220101000000000000': { id: 23, ...record('newer.csv', newer), bbox: [4, 51, 5, 52] },
  },
  files: {
    ...seed.files,
    [`${paths}/data/older.csv`]: older,
    [`${paths}/data/newer.csv`]: newer,
    [`${homeOf('parks/broken')}/dataset.yaml`]: 'label: Broken\nid: one\n',
  },
  groups: { gardeners: { id: 41, label: 'Gardeners' } },
  users: { alice: { id: 51, staff: true, name: 'Alice' }, bob: { id: 52, groups: ['gardeners'] } },
  queries: { tall: { id: 61, label: 'Tall', dataset: 'parks/trees', parameters: { height__gte: '10' } } },
};

const lines = [
  'namespace list',
  'namespace show parks',
  'dataset list',
  'dataset list parks --keyword nature',
  'dataset show parks/trees',
  'dataset show parks/paths',
  'version list parks/paths',
  'version show parks/paths@latest',
  'column list parks/trees',
  'query list',
  'query show tall',
  'group list',
  'group show gardeners',
  'user list',
  'user show alice',
  'data parks/trees',
  'data tall',
  'diff parks/paths@20210101000000000000 parks/paths@latest',
  'check',
  'download parks/trees -o -',
  'download parks/trees -o FILE',
  'token list',
  'token add bob --label Nightly',
  'trash list',
  'trash empty --dry-run',
  'dataset edit parks/trees --label Oaks --dry-run',
  'dataset remove parks/benches --yes',
  'dataset edit parks/trees --homepage nonsense',
  'query add oaks --dataset parks/trees name=oak --dry-run',
  'column edit parks/trees height --unit cm --dry-run',
  'version add parks/trees newer.csv --dry-run',
  'publish newer.csv --to parks/trees --label Oaks --dry-run',
  'namespace edit parks --slug gardens --dry-run',
  'open parks/trees --print',
  'completion fish -- dataset show pa',
  'doctor',
  'clone BASE FOLDER',
];

describe('a server that distorts its answers', () => {
  let server: Replaying;
  let root = '';
  let token = '';
  let runs = 0;
  /** The answers of each command line, by method and URL. */
  const asked = new Map<string, Set<string>>();
  let close = async () => {};

  /** Types a command line, and fails if it doesn't end. */
  async function typed(line: string, options: PromptOptions = {}): Promise<Result> {
    const folder = `clone-${runs++}`;
    const argv = line
      .replace('BASE', server.base)
      .replace('FOLDER', folder)
      .replace('FILE', `${folder}.csv`)
      .split(' ');
    const env = { CATALOGUE_REMOTE: server.base, CATALOGUE_TOKEN: token };
    const withRemote = line === 'doctor' || line.startsWith('clone') ? { CATALOGUE_DATA: '', ...env } : env;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`This doesn't end: ${line}`)), 60_000);
    });
    return Promise.race([type(argv, { answer: true, ...options, root, env: withRemote }), late]).finally(() =>
      clearTimeout(timer),
    );
  }

  /** The messages without the line that is overwritten. */
  const withoutProgress = (err: string) => err.replaceAll('\r', '');

  function assertHandled(line: string, { exitCode, err, out }: Result, what: string): void {
    const about = `catalogue ${line}\n${what}\nexit code ${exitCode}\n${err}`;
    assert.doesNotMatch(err, /defect of the program|\n\s+at /, about);
    assert.ok([0, 1, 2, 3, 4, 5, 6].includes(exitCode), about);
    assert.ok((err.match(/^error: /gm) ?? []).length <= 1, about);
    if (!line.startsWith('data') && !line.startsWith('download'))
      assert.doesNotMatch(withoutProgress(err) + out, harmful, about);
  }

  before(async () => {
    const there = await makeRoot(content);
    const catalogue = await openFileCatalogue(there);
    token = (await catalogue.accounts.addToken('alice')).token;
    await catalogue.close();
    const upstream = await serveFolder(there);
    server = await replay(upstream.base);
    root = await makeRoot({});
    writeFileSync(join(dirname(root), 'newer.csv'), newer);
    for (const line of lines) {
      const own = new Set<string>();
      asked.set(line, own);
      server.distort = (answer, response, request) => {
        own.add(`${request.method} ${request.url}`);
        send(answer, response, request);
      };
      const { exitCode, err } = await typed(line);
      assert.ok([0, 1, 2].includes(exitCode), `${line}: ${err}`);
    }
    server.stopRecording();
    await upstream.close();
    close = async () => server.close();
  });
  after(() => close());
  beforeEach(() => {
    server.distort = send;
  });

  const isJson = ({ headers }: Answer) => /^application\/(?:\w+\+)?json/.test(headers['content-type'] ?? '');
  const isLines = ({ headers }: Answer) => /ndjson/.test(headers['content-type'] ?? '');

  /** The documents in an answer: one, or one for each line. */
  function documentsOf(answer: Answer): unknown[] {
    const text = answer.body.toString();
    if (isLines(answer))
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    return isJson(answer) && text !== '' ? [JSON.parse(text)] : [];
  }
  const withDocuments = (answer: Answer, documents: readonly unknown[]): Answer => ({
    ...answer,
    body: Buffer.from(documents.map((one) => JSON.stringify(one)).join('\n') + (isLines(answer) ? '\n' : '')),
  });

  /** Paths of all values in the documents; of a list, only of its first item. */
  function placesIn(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
    const inner = Array.isArray(value)
      ? value.slice(0, 1).flatMap((item, i) => placesIn(item, [...path, i]))
      : Object.entries(value ?? {}).flatMap(([name, item]) =>
          typeof value === 'object' ? placesIn(item, [...path, name]) : [],
        );
    return path.length ? [path, ...inner] : inner;
  }

  function replaced(value: unknown, [first, ...rest]: readonly (string | number)[], by: unknown): unknown {
    if (first === undefined) return by;
    if (Array.isArray(value)) return value.map((item, i) => (i === first ? replaced(item, rest, by) : item));
    const object = value as Record<string, unknown>;
    return { ...object, [first]: replaced(object[first], rest, by) };
  }

  const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  const odd: readonly unknown[] = [
    null,
    true,
    -1,
    1e300,
    '',
    'nonsense',
    '9999-99-99T99:99:99Z',
    [{ toString: 1 }],
    { toString: 1 },
    nested(500),
  ];

  /** What an answer of a route is, or has a list of: its fields are parsed by the same code in each route that has them. */
  const kindOf = (route: string) =>
    route
      .replace(/\/(datasets|namespaces)\/X\/$/, '/$1/')
      .replace(/\/(queries|groups|users)\/\w+\/$/, '/$1/')
      .replace(/\/version\/(?:latest|N)\/$/, '/version/')
      .replace(/^.*\/(?=\w+\/$)/, '');

  it('is endured by every command, whatever the field', async () => {
    const covered = new Set<string>();
    const known = new Set<string>();
    let turn = Math.floor(Math.random() * odd.length);
    const next = (count: number) => Array.from({ length: count }, () => odd[turn++ % odd.length]);
    for (const [line, keys] of asked)
      for (const key of keys) {
        const answer = server.answers.get(key);
        if (!answer) continue;
        const documents = documentsOf(answer);
        const route = key
          .replace(/\?.*/, '')
          .replace(/\/\d+\//, '/N/')
          .replace(/(datasets|namespaces)\/\w+/g, '$1/X');
        for (const [n, place] of placesIn(documents).entries()) {
          const field = place.map((one) => (typeof one === 'number' ? 0 : one)).join('/');
          const where = `${route} ${field}`;
          const inKind = /^0\/(?:count|next|previous|results)$/.test(field)
            ? field
            : `${kindOf(route)} ${field.replace(/^0\/results\/0/, '0')}`;
          // All values once for each field of a kind, two for each of a route, and a few for each command.
          const values = covered.has(where) ? next(n % 9 ? 0 : 1) : known.has(inKind) ? next(2) : odd;
          covered.add(where);
          known.add(inKind);
          for (const value of values) {
            const distorted = withDocuments(answer, replaced(documents, place, value) as readonly unknown[]);
            server.distort = (given, response, request) =>
              send(`${request.method} ${request.url}` === key ? distorted : given, response, request);
            const terminal = runs % 2 === 0 || /^(?:data|diff)/.test(line);
            const result = await typed(line, { terminal });
            assertHandled(line, result, `${key} ${place.join('/')} = ${JSON.stringify(value).slice(0, 100)}`);
          }
        }
      }
  });

  /** Answers that are wrong as a whole. Each is given to some commands, all of them together to every one. */
  const wrong: Readonly<Record<string, typeof send>> = {
    'JSON as a page': (answer, response, request) =>
      send({ ...answer, headers: { ...answer.headers, 'content-type': 'text/html' } }, response, request),
    'no headers': ({ status, body }, response, request) => send({ status, headers: {}, body }, response, request),
    'odd headers': (answer, response, request) => {
      const odd = {
        etag: 'W/"\xe9"',
        link: '<>; rel=',
        'last-modified': 'x',
        'x-total-count': '{}',
        'content-range': 'x',
      };
      const more = { 'content-disposition': 'x; =', 'content-language': '-', 'retry-after': 'x', 'content-type': '/' };
      send({ ...answer, headers: { ...answer.headers, ...odd, ...more } }, response, request);
    },
    'another coding': (answer, response, request) =>
      send({ ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } }, response, request),
    'half of the body': (answer, response, request) =>
      send({ ...answer, body: answer.body.subarray(0, answer.body.length / 2) }, response, request),
    'less than the length': ({ status, headers, body }, response) => {
      response.writeHead(status, { ...headers, 'content-length': String(body.length + 9) });
      response.write(body, () => response.destroy());
    },
    'a length that is none': ({ body }, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: -7x\r\n\r\n${body}`);
    },
    'an empty body': (answer, response, request) => send({ ...answer, body: Buffer.of() }, response, request),
    'no answer': (_answer, response) => void response.destroy(),
    'a deep nesting': (answer, response, request) =>
      send({ ...answer, body: Buffer.from(`${'{"results":['.repeat(100_000)}`) }, response, request),
    'a deep nesting in an error': (answer, response, request) => {
      const body = Buffer.from(`{"label":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
      send({ ...answer, status: 400, body }, response, request);
    },
    'an error without a meaning': (answer, response, request) =>
      send({ ...answer, status: 409, body: Buffer.from('{"detail":{"toString":1}}') }, response, request),
    'a redirect to another server': (_answer, response) =>
      void response.writeHead(302, { location: 'http://evil.example/' }).end(),
    'a redirect to nowhere': (_answer, response) => void response.writeHead(308, { location: 'http://[' }).end(),
    'a redirect to itself': (_answer, response, { url = '' }) => void response.writeHead(308, { location: url }).end(),
    'an endless body': (answer, response, request) => {
      const { 'content-length': _, ...headers } = answer.headers;
      response.writeHead(answer.status, headers);
      if (request.method === 'HEAD') return void response.end();
      const chunk = Buffer.alloc(1 << 20, answer.body.length ? answer.body : ' ');
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
  };
  const few = [
    'dataset list',
    'dataset show parks/trees',
    'data parks/trees',
    'download parks/trees -o FILE',
    'clone BASE FOLDER',
  ];
  for (const [what, distort] of Object.entries(wrong))
    it(`is endured: ${what}`, async () => {
      server.distort = distort;
      await Promise.all(few.map(async (line) => assertHandled(line, await typed(line), what)));
      // The first answers are right.
      for (const line of few) {
        const [, ...later] = asked.get(line) ?? [];
        server.distort = (answer, response, request) =>
          (later.includes(`${request.method} ${request.url}`) ? distort : send)(answer, response, request);
        assertHandled(line, await typed(line), `${what}, after the first answer`);
      }
    });

  it('is endured: rows without an end, or that are none', async () => {
    for (const what of [
      'an endless body',
      'half of the body',
      'another coding',
      'a deep nesting',
      'less than the length',
    ])
      for (const line of ['data parks/trees', 'diff parks/paths@20210101000000000000 parks/paths@latest']) {
        server.distort = (answer, response, request) =>
          (/\/(?:data|diff)/.test(request.url ?? '') ? (wrong[what] ?? send) : send)(answer, response, request);
        const result = await typed(line, { terminal: true });
        assertHandled(line, result, what);
        assert.ok([1, 6].includes(result.exitCode), `${line}: ${what}: ${result.exitCode}`);
      }
  });

  it('shows its texts harmlessly', async () => {
    for (const line of asked.keys())
      for (const terminal of [true, false]) {
        const text = naughty.join('');
        const spoil = (value: unknown): unknown => {
          if (Array.isArray(value)) return value.map(spoil);
          if (typeof value !== 'object' || value === null) return value;
          const own = /^(?:label|name|unit|notes|description|licence|publisher|pointer|message|detail|author|by)$/;
          return Object.fromEntries(
            Object.entries(value).flatMap(([name, inner]) =>
              own.test(name) && typeof inner === 'string' ? [[name, inner + text]] : [[name, spoil(inner)]],
            ),
          );
        };
        server.distort = (answer, response, request) =>
          send(
            isJson(answer) || isLines(answer) ? withDocuments(answer, documentsOf(answer).map(spoil)) : answer,
            response,
            request,
          );
        const { out, err } = await typed(line, { terminal });
        const bytes = /^download/.test(line) || (!terminal && /^data/.test(line));
        if (!bytes) assert.doesNotMatch(out + withoutProgress(err), harmful, line);
        assert.doesNotMatch(err, /^(?:error: All files|Downloaded everything|Done)/m, line);
      }
  });
});
