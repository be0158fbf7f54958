/** Names that mean harm, from a remote, as a real terminal gets them from the built program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { harmful, naughty } from '../support/naughty.ts';
import { temporaryFolder } from '../support/program.ts';
import { programFolder, terminal } from '../support/terminal.ts';

const evil = naughty.join('');
const version = {
  ...{ id: 1, label: evil, slug: 'v1', notes: evil, format: 'csv', ready: true, rows: 1, size: 5 },
  ...{ dataset: 'http://x/api/v1/namespaces/parks/datasets/trees/', datetime: '2020-01-01T00:00:00Z', checksum: '' },
};
const dataset = {
  ...{ id: 1, label: evil, slug: 'trees', namespace: 'http://x/api/v1/namespaces/parks/', description: evil },
  ...{ versions: [version], columns: [{ name: evil, type: 'string', label: evil, unit: evil }] },
};
const answers: readonly (readonly [path: RegExp, status: number, value: unknown])[] = [
  [/\/version\/v1\/data/, 200, [{ [evil]: evil }]],
  [/\/version\/(?:v1|latest)\/$/, 200, version],
  [/\/datasets\/trees\/$/, 200, dataset],
  [/\/datasets\/$/, 200, { count: 1, next: null, previous: null, results: [dataset] }],
  [/./, 403, { detail: evil }],
];

describe('at a terminal, a hostile remote', () => {
  const home = temporaryFolder();
  const server = createServer(({ url = '' }, response) => {
    const [, status, value] = answers.find(([path]) => path.test(url.replace(/\?.*/, ''))) ?? [/./, 500, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
  before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  after(() => {
    server.closeAllConnections();
    server.close();
    home.remove();
  });
  const skip = spawnSync('script', ['--version']).status !== 0 && !process.env.CI && 'script is not installed';

  const lines = [
    'dataset list',
    'dataset show parks/trees',
    'version list parks/trees',
    'data parks/trees',
    'group list',
  ];
  for (const line of [...lines, 'data parks/trees --format json', 'dataset remove parks/trees'])
    it(`can do nothing with ${line}`, { skip }, async () => {
      const { CATALOGUE_DATA: _data, ...env } = process.env;
      const program = terminal(`catalogue ${line}`, {
        cwd: home.path,
        env: {
          ...{ ...env, TERM: 'xterm', CATALOGUE_REMOTE: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
          ...{ PATH: [programFolder(home.path), process.env.PATH].join(delimiter), XDG_CONFIG_HOME: home.path },
        },
      });
      if (line.includes('remove')) {
        await program.until('[y/N]');
        program.type('n\n');
      } else await program.until('Roses');
      await program.end();
      // The colours of the program itself and ends of lines are left.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      const raw = program.raw().replace(/\x1b\[(?:1|2|22|31|32|33|39)m|\r/g, '');
      // A question has sequences of readline.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      assert.doesNotMatch(raw, line.includes('remove') ? /\x1b[\]P_^(c78]|[\x07\x08\x9b]/ : harmful);
      assert.doesNotMatch(raw, /^error: All files/m);
    });
});
