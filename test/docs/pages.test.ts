/**
 * What the pages in docs/ say is true: their commands write what stands below them, commands in the text exist, blocks of
 * code can be parsed, and links lead somewhere. `UPDATE_DOCS=1` writes the output of the commands into the pages.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { parse as parseYaml } from 'yaml';
import { schemas } from '../../src/catalogue/schemas.ts';
import { isRelative, linksAndIds } from '../../src/pages/documentation-markdown.ts';
import { commandsIn } from '../support/examples.ts';
import { until } from '../support/folder.ts';
import { declaredCommands, findUnknownWords } from './declared-commands.ts';
import { plainCommand, Terminal } from './terminal.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const pages = readdirSync(join(checkout, 'docs')).filter((name) => name.endsWith('.md'));

/** Keys of all kinds of records. */
const keys = new Set(Object.values(schemas).flatMap(({ properties = {} }) => Object.keys(properties)));

/** What differs from one run to the next, and what stands for it. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/(?<=^id: )\d+/gm, '<id>'],
  [/\b\d{20}\b/g, '<timestamp>'],
  [/(?<=\()[0-9a-f]{7,}(?=\))/g, '<commit>'],
  [/(?<=^|token )[0-9a-f]{12}(?= )/gm, '<token>'],
  [/\b\d{4}-\d{2}-\d{2}\b(T[\d:.]+Z)?/g, '<date>'],
  [/\b\d+ (B|kB)\b/g, '<size>'],
  [/(?<=Wrote )\d+(?= files)/g, '<count>'],
];
const steady = (text: string) => varying.reduce((done, [part, name]) => done.replace(part, name), text).trimEnd();

/** The catalogue that the commands of a page begin with: an empty folder if they make one, else the example catalogue. */
async function prepare(terminal: Terminal, page: string, commands: readonly { readonly command: string }[]) {
  if (/^catalogue init\b|^printf\b/.test(commands[0]?.command ?? '')) return;
  // Its sources lie in the folder.
  if (page === 'importing.md') {
    cpSync(join(checkout, 'test/fixtures/catalogues'), terminal.cwd, { recursive: true });
    await terminal.run('catalogue init --title Imported');
    return;
  }
  cpSync(join(checkout, 'catalogue-data'), terminal.root, {
    recursive: true,
    filter: (path) => !path.endsWith('.catalogue'),
  });
  // The rows that the page's examples find.
  const [, rows] = /^```json\n(\{"type":"FeatureCollection".*?)^```$/ms.exec(read(`docs/${page}`)) ?? [];
  if (rows === undefined) return;
  writeFileSync(join(terminal.cwd, 'trees.geojson'), rows);
  await terminal.run('catalogue namespace add lab --label Laboratory');
  await terminal.run('catalogue publish trees.geojson --to lab/trees --label Trees');
}

describe('commands of docs/', () => {
  for (const page of pages) {
    const commands = commandsIn(read(`docs/${page}`));
    if (commands.length === 0) continue;
    it(page, async (test) => {
      const terminal = new Terminal();
      test.after(() => terminal.end());
      await prepare(terminal, page, commands);
      let text = read(`docs/${page}`);
      let position = 0;
      const shown: string[] = [];
      for (const { command, expected } of commands) {
        const isExpected = (output: string) => steady(output) === steady(expected);
        let output = await terminal.run(command);
        // A server notices a change of its files a moment later.
        if (command.startsWith('curl ') && !isExpected(output) && !process.env.UPDATE_DOCS)
          await until(async () => {
            output = await terminal.run(command);
            return isExpected(output);
          }, 5_000).catch(() => {});
        shown.push(`$ ${command}\n${output}`);
        const [old, written] = [expected, isExpected(output) ? expected : output.trim() && `${output.trimEnd()}\n`];
        const at = text.indexOf(`$ ${command}\n${old}`, position);
        position = at + `$ ${command}\n`.length + written.length;
        text = `${text.slice(0, at)}$ ${command}\n${written}${text.slice(at + `$ ${command}\n${old}`.length)}`;
      }
      if (process.env.UPDATE_DOCS) writeFileSync(join(checkout, 'docs', page), text);
      assert.deepEqual(
        shown.map(steady),
        commands.map(({ command, expected }) => steady(`$ ${command}\n${expected}`)),
      );
    });
  }
});

const texts = ['README.md', ...pages.map((page) => `docs/${page}`)].map((path) => [path, read(path)] as const);
const declared = await declaredCommands();

describe('docs/ and README.md', () => {
  it('name commands and options that exist', () => {
    const wrong = texts.flatMap(([path, text]) =>
      commandLinesIn(text).flatMap((line) =>
        findUnknownWords(declared, line).map((word) => `${path}: ${line}: ${word}`),
      ),
    );
    assert.deepEqual(wrong, []);
  });

  it('hold code that can be parsed', () => {
    for (const [path, text] of texts)
      for (const [, language = '', code = ''] of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
        const where = `${path}: ${code.slice(0, 60)}`;
        if (language === 'json') assert.doesNotThrow(() => JSON.parse(code), where);
        // A workflow of GitHub Actions has keys of its own.
        if (language === 'yaml' && !code.startsWith('on:'))
          for (const key of Object.keys(parseYaml(code))) assert.ok(keys.has(key), `${where}: ${key}`);
        if (language === 'ts' || language === 'js')
          assert.doesNotThrow(() => transformSync(code, { loader: language }), where);
        assert.match(language, /^(console|sh|json|yaml|ts|js|nginx|html|text)$/, where);
      }
  });

  it('run the program that is installed, and never one of its name from a registry', () => {
    for (const [path, text] of texts) assert.doesNotMatch(text, /\bnpx (dataset-)?catalogue\b/, path);
    const [, workflow = ''] = /^```yaml\n(on:.*?)^```$/ms.exec(read('docs/exporting.md')) ?? [];
    const { steps } = parseYaml(workflow).jobs.export as { steps: readonly { readonly run?: string }[] };
    const [install, ...rest] = steps.flatMap(({ run = [] }) => run);
    assert.equal(install, 'npm ci');
    for (const run of rest) assert.match(run, /^node_modules\/\.bin\/catalogue /);
  });

  it('link to pages, headings and files that exist', () => {
    const missing = texts.flatMap(([path, text]) =>
      linksAndIds(text)
        .links.filter((link) => isRelative(link) || link.startsWith('#'))
        .filter((link) => {
          const { pathname, hash } = new URL(link, `file:///${path}`);
          const target = decodeURIComponent(pathname.slice(1));
          if (!existsSync(join(checkout, target))) return true;
          return hash !== '' && !linksAndIds(read(target)).ids.has(decodeURIComponent(hash.slice(1)));
        })
        .map((link) => `${path}: ${link}`),
    );
    assert.deepEqual(missing, []);
  });

  it('list every page: docs/README.md by subject, and README.md as it does', () => {
    const index = read('docs/README.md');
    const listed = [...index.matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name = '']) => name);
    assert.deepEqual(listed.sort(), pages.filter((page) => page !== 'README.md').sort());
    const list = index.slice(index.indexOf('\n## ')).replaceAll('](', '](docs/').replaceAll('\n## ', '\n### ');
    const readme = read('README.md');
    const shown = readme.replace(/(?<=\n## Documentation\n\n[^\n]*\n).*?(?=\n## )/s, () => list);
    if (process.env.UPDATE_DOCS) writeFileSync(join(checkout, 'README.md'), shown);
    else assert.equal(readme, shown, 'to write the list: UPDATE_DOCS=1 npm test -- docs/pages');
  });
});

/** Commands of the program: in blocks for a shell, and in the text as code. */
function commandLinesIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(sh|console|text)\n(.*?)^```$/gms)].flatMap(([, language, block = '']) =>
    block.split('\n').flatMap((line) => (language === 'console' ? (/^\$ (.*)/.exec(line)?.[1] ?? []) : line)),
  );
  const inline = [...text.replace(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline].flatMap((line) => {
    const [, command = ''] = /(?:^|&& | -- |exec catalogue |\* )(catalogue [-\w].*)$/.exec(line) ?? [];
    const [first = ''] = command.split(/ (?:\||&|&&|>|<) |\)|;| {2,}#/);
    return first && plainCommand(first) ? [first] : [];
  });
}
