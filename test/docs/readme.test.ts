/** What README.md says is true: its commands are run, in their order and in one terminal, and write what it says. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandsIn } from '../support/examples.ts';
import { until } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/program.ts';
import { Session } from './session.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter((block) => block[1] === language)
    .map((block) => block[2] ?? '');

/** What differs from one run to the next, and what stands for it. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/(?<=^id: )\d+/gm, '<id>'],
  [/\b\d{20}\b/g, '<timestamp>'],
  [/(?<=\()[0-9a-f]{7,}(?=\))/g, '<commit>'],
  [/\b\d{4}-\d{2}-\d{2}\b/g, '<date>'],
];
const steady = (text: string) => varying.reduce((done, [part, name]) => done.replace(part, name), text).trimEnd();

/** Commands with the output that is expected of each. */
const examples = commandsIn(readme);

describe('README.md', () => {
  const home = temporaryFolder();
  let session: Session;
  let start: ReturnType<typeof spawn>;
  const ports = new Map<string, string>();
  // Only as a whole number: a port such as 33333 is also a part of 13.833333333333334.
  const replaceNumber = (text: string, number: string, by: string) =>
    text.replace(new RegExp(`(?<!\\d)${number}(?!\\d)`, 'g'), by);
  const withPorts = (text: string) => [...ports].reduce((done, [said, real]) => replaceNumber(done, said, real), text);
  const asSaid = (text: string) => [...ports].reduce((done, [said, real]) => replaceNumber(done, real, said), text);

  before(async () => {
    for (const said of ['8000', '8001']) ports.set(said, String(await freePort()));
    start = spawn('npm', ['start', '--', '--port', ports.get('8000') ?? ''], {
      cwd: checkout,
      stdio: 'ignore',
      detached: true,
    });
    await until(async () => (await fetch(withPorts('http://localhost:8000/readyz'))).ok, 60_000);
    const person = { NAME: 'A. Person', EMAIL: 'person@example.org' };
    // As "npm install --global ." makes it.
    const programs = join(home.path, 'bin');
    mkdirSync(programs);
    symlinkSync(join(checkout, 'bin/catalogue.js'), join(programs, 'catalogue'));
    session = new Session(checkout, {
      PATH: `${programs}:${process.env.PATH}`,
      TMPDIR: home.path,
      XDG_CONFIG_HOME: join(home.path, 'configuration'),
      NO_COLOR: '1',
      GIT_PAGER: 'cat',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: person.NAME,
      GIT_AUTHOR_EMAIL: person.EMAIL,
      GIT_COMMITTER_NAME: person.NAME,
      GIT_COMMITTER_EMAIL: person.EMAIL,
    });
  });
  after(async () => {
    await session.end();
    if (start.pid) process.kill(-start.pid, 'SIGTERM');
    await once(start, 'close');
    home.remove();
  });

  it('has the commands that install it and start it (test/pack.test.ts runs the first)', () => {
    const isInstall = (block: string) => block.includes('npm install --global');
    assert.deepEqual(
      blocks('sh').filter((block) => !isInstall(block)),
      ['npm ci && npm start\n', 'npm ci && npm test\n'],
    );
  });

  for (const { command, expected } of examples)
    it(command, async () => {
      const isExpected = (output: string) => steady(asSaid(output)) === steady(expected);
      // A person is slower than a machine: what is asked again a moment later has been seen.
      const asks = command.startsWith('curl ') ? 20 : 1;
      let output = '';
      for (let asked = 0; asked < asks && (asked === 0 || !isExpected(output)); asked++)
        output = await session.run(withPorts(command), isExpected, 10_000 / asks);
      assert.equal(steady(asSaid(output)), steady(expected));
    });
});
