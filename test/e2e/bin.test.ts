import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run, temporaryFolder } from '../support/program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

describe('bin/catalogue.js', () => {
  const home = temporaryFolder();
  after(home.remove);
  const at = (path: string) => join(home.path, path);
  const program = at('bin/catalogue.js');
  const whichRuns = async () => (await run([], { cwd: home.path, program })).out;

  before(() => {
    cpSync(join(checkout, 'bin'), at('bin'), { recursive: true });
    writeFileSync(at('package.json'), '{"type": "module"}');
    writeFileSync(at('tsconfig.json'), '{"compilerOptions": {"jsx": "react", "jsxFactory": "String"}}');
    mkdirSync(at('node_modules'));
    for (const [folder, extension] of [['src', 'ts'] as const, ['dist', 'js'] as const]) {
      mkdirSync(at(`${folder}/cli`), { recursive: true });
      writeFileSync(at(`${folder}/cli/context.${extension}`), 'export const processContext = () => {};');
      writeFileSync(at(`${folder}/cli/main.${extension}`), `export const main = () => { console.log('${folder}'); };`);
    }
  });
  beforeEach(() => {
    rmSync(at('node_modules/tsx'), { force: true });
    symlinkSync(join(checkout, 'node_modules/tsx'), at('node_modules/tsx'), 'junction');
    age('dist/cli/main.js', 10);
    for (const path of ['src', 'src/cli', 'src/cli/main.ts', 'src/cli/context.ts']) age(path, 20);
  });
  const age = (path: string, seconds: number) => {
    const time = Date.now() / 1000 - seconds;
    utimesSync(at(path), time, time);
  };

  it('runs what was compiled', async () => {
    assert.equal(await whichRuns(), 'dist\n');
  });

  it('runs the sources where one was changed, added or removed since', async () => {
    for (const path of ['src/cli/context.ts', 'src/cli', 'src']) {
      age(path, 5);
      assert.equal(await whichRuns(), 'src\n', path);
      age(path, 20);
    }
  });

  it('runs what was compiled where nothing else can run', async () => {
    age('src/cli/context.ts', 5);
    rmSync(at('node_modules/tsx'));
    assert.equal(await whichRuns(), 'dist\n');
  });

  it('compiles pages as its own tsconfig.json says, in any folder', async () => {
    age('src/cli/context.ts', 5);
    writeFileSync(at('src/cli/page.tsx'), 'export const page = () => <i />;');
    const main = at('src/cli/main.ts');
    const text = readFileSync(main);
    writeFileSync(main, "import { page } from './page.tsx'; export const main = () => { console.log(page()); };");
    assert.equal((await run([], { cwd: tmpdir(), program })).out, 'i\n');
    writeFileSync(main, text);
  });

  it('runs the sources where nothing was compiled', async () => {
    rmSync(at('dist'), { recursive: true });
    assert.equal(await whichRuns(), 'src\n');
  });
});
