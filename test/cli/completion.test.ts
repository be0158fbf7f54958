import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findShellByName, splitCommandLine } from '../../src/cli/completion/shells.ts';
import { makeRoot, type PromptOptions, seed, type } from '../support/prompt.ts';

const root = await makeRoot({
  ...seed,
  groups: { gardeners: { label: 'Gardeners' } },
  users: { alice: { id: 1, name: 'Alice Liddell' } },
  queries: { tall: { label: 'Tall trees', dataset: 'parks/trees' } },
  files: { ...seed.files, 'namespaces/parks/datasets/broken/dataset.yaml': 'label: [' },
});

/** What is offered for a command line as it stands. */
async function offered(line: string, options: PromptOptions = {}): Promise<string[]> {
  const replaced = line.slice(line.lastIndexOf(' ') + 1).replace(/^"/, '');
  const argv = ['completion', 'bash', '--', `catalogue ${line}`, replaced];
  const { out, err, exitCode } = await type(argv, { root, ...options });
  assert.deepEqual([exitCode, err], [0, ''], line);
  const [how = '', ...words] = out.slice(0, -1).split('\n');
  return how === '' || how === 'open' ? words : [`<${how}>`];
}
const version = '20200102030405000000';

describe('completion', () => {
  const table: readonly [line: string, offer: readonly string[]][] = [
    ['name', ['namespace']],
    ['dataset ', ['add', 'list', 'show', 'edit', 'remove']],
    ['--json dataset sh', ['show']],
    ['dataset lost ', []],
    ['namespace show ', ['parks', 'water']],
    ['dataset show ', ['parks/', 'water/']],
    ['dataset show parks/', ['parks/benches', 'parks/broken', 'parks/trees']],
    ['dataset show "parks/t', ['parks/trees']],
    ['dataset show parks/trees ', []],
    ['dataset add wa', ['water/']],
    ['namespace add ', []],
    ['version show parks/trees@', ['parks/trees@latest', `parks/trees@${version}`]],
    ['user show ', ['alice']],
    ['group edit ', ['gardeners']],
    ['query remove ', ['tall']],
    ['column edit parks/trees he', ['height']],
    ['data parks/trees n', ['name=', 'name__']],
    ['data parks/trees geometry__w', ['geometry__within=']],
    ['data parks/trees height__gt', ['height__gt=', 'height__gte=']],
    ['query edit tall he', ['height=', 'height__']],
    ['query add x --dataset parks/trees he', ['height=', 'height__']],
    ['data parks/trees --fields name,l', ['name,longitude', 'name,latitude']],
    ['data parks/trees --ordering -h', ['-height']],
    ['data parks/trees --format geo', ['geojson', 'geojsonl']],
    ['data parks/trees --format=c', ['--format=csv', '--format=csvt']],
    ['data parks/trees --lim', ['--limit']],
    ['data parks/trees --limit 3 --lim', []],
    ['data parks/trees -o ', ['<files>']],
    ['version add parks/trees ', ['<files>']],
    ['--data ', ['<folders>']],
    ['namespace edit parks --owner ', ['gardeners']],
    ['dataset edit parks/trees --namespace w', ['water']],
    ['dataset list --keyword a --keyw', ['--keyword']],
    ['dataset show -- parks/b', ['parks/benches', 'parks/broken']],
    ['pull parks/benches parks/t', ['parks/trees']],
    ['diff pa', ['parks/']],
    ['clone x ', ['<folders>']],
    ['data @', ['@tall']],
    ['dataset show @', []],
    ['download @', []],
    ['version add @', []],
    ['diff parks/trees @', ['@latest', `@${version}`]],
    ['diff parks/trees wa', ['water/']],
    ['check --changed --for', ['--format']],
    ['check --changed --format g', ['github']],
    ['check --changed --chan', []],
    ['serve --follow-git --follow-', ['--follow-interval']],
    ['completion ', ['bash', 'zsh', 'fish']],
  ];
  for (const [line, offer] of table)
    it(`of "catalogue ${line}"`, async () => {
      assert.deepEqual(await offered(line), offer);
    });

  it('knows the remotes by name', async () => {
    const env = { XDG_CONFIG_HOME: `${root}-config` };
    await type(['remote', 'add', 'prod', 'https://data.example.org'], { root, env });
    assert.deepEqual(await offered('--remote p', { env }), ['prod']);
    assert.deepEqual(await offered('login ', { env }), ['prod']);
    assert.deepEqual(await offered('serve --follow-git ', { env }), []);
  });

  it('writes names so that bash expands nothing in them', () => {
    const word = `h$(touch x)'"\``;
    const answer = (line: string) =>
      findShellByName('bash').answer({ candidates: [{ word, description: '' }] }, [line, 'h'])[1] ?? '';
    for (const quote of ['"', "'"]) {
      const line = `data a/b ${quote}`;
      assert.deepEqual(splitCommandLine(`${line}${answer(`${line}h`)}`).words.at(-1), word, quote);
    }
    assert.match(answer('data a/b "h'), /\\\$\(touch x\)'\\"\\`$/);
  });

  it('reads no record to list names', async () => {
    const { opened } = await type(['completion', 'bash', '--', 'catalogue dataset show parks/', ''], { root });
    assert.deepEqual(opened, []);
  });

  it('is silent where there is no catalogue', async () => {
    assert.deepEqual(await offered('--data nowhere dataset show '), []);
  });

  it('gives bash what stands behind the last character that parts words for it', async () => {
    const ask = async (line: string, rest: string) =>
      (await type(['completion', 'bash', '--', `catalogue ${line}`, rest], { root })).out;
    assert.equal(await ask('version show parks/trees@20', '@20'), `\n@${version}\n`);
    assert.equal(await ask('data parks/trees --format=cs', 'cs'), '\ncsv\ncsvt\n');
    assert.equal(await ask('data parks/trees height__gte', 'height__gte'), 'open\nheight__gte=\n');
  });

  it('describes in zsh and fish', async () => {
    const ask = async (...argv: string[]) => (await type(['completion', ...argv], { root })).out;
    assert.equal(await ask('fish', '--', 'dataset', 'show', 'parks/t'), '\nparks/trees\tTrees\n');
    assert.equal(await ask('zsh', '--', 'namespace', 'show', ''), '\n-parks:Parks department\n-water:Water works\n');
    assert.match(await ask('zsh', '--', 'dataset', 'show', ''), /^\n\+parks\/:Parks department\n/);
    assert.match(await ask('fish', '--', 'version', 'show', 'parks/trees@2'), /\tnot ready|\t\d+ years ago\n/);
  });

  it('has a script for each shell, and for no other', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      assert.match((await type(['completion', shell])).out, new RegExp(`^#.*\\n[^]*completion ${shell} -- `));
    const { exitCode, err } = await type(['completion', 'tcsh']);
    assert.equal(exitCode, 2);
    assert.match(err, /no completion for tcsh. Choose one: catalogue completion bash\|zsh\|fish/);
  });
});

describe('words', () => {
  it('are taken apart as a shell does', () => {
    const table: readonly [line: string, words: readonly string[], quote: string][] = [
      ['a b', ['a', 'b'], ''],
      ['a  b ', ['a', 'b', ''], ''],
      [String.raw`a\ b "c d" 'e\f'g`, ['a b', 'c d', String.raw`e\fg`], ''],
      ['a "b c', ['a', 'b c'], '"'],
      ["a '", ['a', ''], "'"],
      ['', [''], ''],
    ];
    for (const [line, words, quote] of table) assert.deepEqual(splitCommandLine(line), { words, quote }, line);
  });
});
