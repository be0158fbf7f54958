/**
 * Two branches are merged by git itself, and what comes out is right: in random variants of what two people do to the
 * same catalogue, with the program and by hand; and what can't be merged is told by git, never settled silently.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Dataset } from '../../../src/catalogue/types.ts';
import { checkCatalogueFiles } from '../../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { prepareFolder } from '../../../src/files/scaffold.ts';
import { homeOf } from '../../support/folder.ts';
import { randomIntegers } from '../../support/random.ts';
import { makeRepository, type Repository, repositoryAt } from '../../support/repository.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const variants = Number(process.env.VARIANTS ?? 15);

const datasets = ['trees', 'lakes', 'roads'] as const;
const columns = ['a', 'b', 'c', 'd', 'e'] as const;
const refTo = (slug: string) => ({ kind: 'dataset', namespace: 'lab', slug }) as const;
const recordOf = (slug: string) => `${homeOf(`lab/${slug}`)}/dataset.yaml`;
let count = 0;
/** Bytes that no other version has. */
const payload = (names: readonly string[]) => ({
  source: Readable.from([Buffer.from(`${names.join()}\n${names.map(() => ++count).join()}\n`)]),
  fileName: 'data.csv',
});

const one = await makeRepository({ namespaces: { lab: { id: 1, label: 'Lab' } } }, { after });
const linked = `${one.top}-linked`;
after(() => rmSync(linked, { recursive: true, force: true }));
await using(one, async (catalogue) => {
  for (const slug of datasets) {
    const words = { keywords: ['first', 'last'], licence: 'MIT', publisher: 'Lab' };
    await catalogue.create('dataset', { label: slug, slug, namespace: 'lab', ...words });
    await catalogue.publish(refTo(slug), payload(columns));
  }
});
await prepareFolder(one.root);
one.commit('Base');
one.git('tag', 'base');
one.git('worktree', 'add', '--quiet', '-b', 'other', linked);
const other = repositoryAt(linked, join(linked, 'data'));

async function using<T>({ root }: Repository, work: (catalogue: Catalogue) => Promise<T>): Promise<T> {
  const files = await openFileCatalogue(root);
  try {
    return await work(files.for());
  } finally {
    await files.close();
  }
}

/** Does what two people do from the same start on, each on a branch, and has git merge it. */
async function merged(ours: () => Promise<void>, theirs: () => Promise<void>): Promise<void> {
  for (const { git } of [one, other]) {
    git('reset', '--quiet', '--hard', 'base');
    git('clean', '-fdqx');
  }
  await ours();
  await theirs();
  for (const { git } of [one, other]) {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'Work');
  }
  one.git('merge', '--quiet', '--no-edit', 'other');
}

/** One of two who work at the same time. */
interface Person {
  readonly name: 'ann' | 'bob';
  readonly repository: Repository;
  /** By dataset: the columns that are this one's to describe. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** By dataset: whether this one may edit its fields, and change which columns there are. */
  readonly leads: Readonly<Record<string, boolean>>;
}

type Expectation = (catalogue: Catalogue) => Promise<void>;
/** What must be so in the end, and what it is about: what one does later to the same counts. */
type Outcome = readonly [about: string, Expectation];
type Deed = (person: Person, random: (below: number) => number) => Promise<Outcome | null>;

const datasetNow = (catalogue: Catalogue, slug: string): Promise<Dataset> => catalogue.get<'dataset'>(refTo(slug));
const describes = (slug: string, column: string, text: string): Outcome => [
  `${slug}.${column}`,
  async (catalogue) => {
    const found = (await datasetNow(catalogue, slug)).columns.find(({ name }) => name === column);
    if (found) assert.equal(found.description, text, `${slug}: description of ${column}`);
  },
];

/** What people do. Each says what must be so in the end, whatever the other did. */
const deeds: Readonly<Record<string, Deed>> = {
  async 'adds a dataset'({ name, repository }, random) {
    const slug = `${name}-${++count}`;
    const label = `New ${random(1000)}`;
    await using(repository, async (catalogue) => {
      await catalogue.create('dataset', { label, slug, namespace: 'lab' });
      if (random(2)) await catalogue.publish(refTo(slug), payload(columns));
    });
    return [slug, async (catalogue) => assert.equal((await datasetNow(catalogue, slug)).label, label)];
  },
  async 'adds a dataset by hand'({ name, repository }, random) {
    const slug = `${name}-${++count}`;
    const id = 1 + random(2 ** 31 - 2);
    repository.write(recordOf(slug), `# Mine\nlabel: By hand\nid: ${id}\n`);
    return [slug, async (catalogue) => assert.equal((await datasetNow(catalogue, slug)).id, id)];
  },
  async 'adds a namespace, a query and a group'({ name, repository }) {
    const slug = `${name}-${++count}`;
    await using(repository, async (catalogue) => {
      await catalogue.create('group', { label: 'G', slug });
      await catalogue.create('namespace', { label: 'N', slug, owners: [slug] });
      await catalogue.create('query', { label: 'Q', slug, dataset: 'lab/trees' });
    });
    const ref = { kind: 'namespace', slug } as const;
    return [slug, async (catalogue) => assert.deepEqual((await catalogue.get<'namespace'>(ref)).owners, [slug])];
  },
  async 'publishes a version'({ repository, leads, columns }, random) {
    const slug = datasets[random(3)] as string;
    const { version } = await using(repository, async (catalogue) => {
      const now = (await datasetNow(catalogue, slug)).columns.map(({ name }) => name);
      if (leads[slug] && random(2)) now.push(`new_${++count}`);
      // A column that goes while another describes it is a conflict.
      else if (leads[slug] && now.length > 2 && random(3) === 0) {
        const own = now.findIndex((name) => columns[slug]?.includes(name));
        if (own >= 0) now.splice(own, 1);
      }
      return catalogue.publish(refTo(slug), payload(now));
    });
    const stays: Expectation = async (catalogue) => {
      const kept = (await datasetNow(catalogue, slug)).versions.find((one) => one.slug === version.slug);
      assert.deepEqual([kept?.checksum, kept?.ready], [version.checksum, true]);
    };
    return [version.slug, stays];
  },
  async 'describes a column'({ repository, columns }, random) {
    const slug = datasets[random(3)] as string;
    const name = columns[slug]?.[random(columns[slug].length)] ?? '';
    const description = random(2) ? `Text ${++count}` : `Two\nlines: ${++count} #`;
    return using(repository, async (catalogue) => {
      if (!(await datasetNow(catalogue, slug)).columns.some((column) => column.name === name)) return null;
      await catalogue.edit(refTo(slug), { columns: [{ name, description, ...(random(2) && { unit: 'm' }) }] });
      return describes(slug, name, description);
    });
  },
  async 'describes a column by hand'({ repository, columns }, random) {
    const slug = datasets[random(3)] as string;
    const name = columns[slug]?.[random(columns[slug].length)] ?? '';
    const path = join(repository.root, recordOf(slug));
    const text = readFileSync(path, 'utf8');
    const description = `By hand ${++count}`;
    // As one does in an editor: on a line of its own, or in place of what is there.
    const lines = text.replace(
      new RegExp(`(\\n {4}name: ${name}\\n)( {4}description: (?:\\|-?\\n(?: {6}.*\\n)+|.*\\n))?`),
      `$1    description: ${description}\n`,
    );
    if (lines === text) return null;
    writeFileSync(path, lines);
    return describes(slug, name, description);
  },
  async 'edits fields'({ repository, leads }, random) {
    const slug = datasets[random(3)] as string;
    if (!leads[slug]) return null;
    const input = [
      { label: `L${++count}` },
      { licence: 'CC0-1.0', contact: `c${++count}@example.org` },
      { keywords: ['other'] },
    ][random(3)] as object;
    await using(repository, (catalogue) => catalogue.edit(refTo(slug), { ...input }));
    return null;
  },
  async 'says something of a version'({ name, repository }, random) {
    if (name === 'bob') return null;
    const slug = datasets[random(3)] as string;
    const notes = `Note ${++count}`;
    const version = await using(repository, async (catalogue) => {
      const { versions } = await datasetNow(catalogue, slug);
      return catalogue.edit<'version'>(
        { ...refTo(slug), kind: 'version', dataset: slug, slug: versions.at(-1)?.slug ?? '' },
        { notes },
      );
    });
    const said: Expectation = async (catalogue) => {
      const { versions } = await datasetNow(catalogue, slug);
      assert.equal(versions.find((one) => one.slug === version.slug)?.notes, notes);
    };
    return [`notes of ${version.slug} in ${slug}`, said];
  },
};

describe('two branches', () => {
  for (let variant = 0; variant < variants; variant++)
    it(`merge: SEED=${seed + variant}`, async () => {
      const random = randomIntegers(seed + variant);
      const mine = Object.fromEntries(datasets.map((slug) => [slug, columns.map(() => random(2) === 0)]));
      const first = Object.fromEntries(datasets.map((slug) => [slug, random(2) === 0]));
      const person = (name: Person['name'], repository: Repository): Person => ({
        name,
        repository,
        columns: Object.fromEntries(
          datasets.map((slug) => [slug, columns.filter((_, i) => mine[slug]?.[i] === (name === 'ann'))]),
        ),
        leads: Object.fromEntries(datasets.map((slug) => [slug, first[slug] === (name === 'ann')])),
      });
      const story: string[] = [];
      const expected = new Map<string, Expectation>();
      const works = (who: Person) => async () => {
        for (let steps = 1 + random(6); steps > 0; steps--) {
          const [what, deed] = Object.entries(deeds)[random(Object.keys(deeds).length)] as [string, Deed];
          story.push(`${who.name} ${what}`);
          const outcome = await deed(who, random);
          if (outcome) expected.set(...outcome);
        }
      };
      try {
        await merged(works(person('ann', one)), works(person('bob', other)));
        const { problems } = await checkCatalogueFiles(one.root);
        // A record with columns of the other branch's version is a warning: those that are shown are the newest version's.
        const isStale = ({ code, severity }: (typeof problems)[number]) => code === 'column' && severity === 'warning';
        assert.deepEqual(
          problems.filter((problem) => !isStale(problem)),
          [],
        );
        await using(one, async (catalogue) => {
          for (const expectation of expected.values()) await expectation(catalogue);
        });
        // The columns of the newest version win, where each branch had its own.
        const { problems: left } = await checkCatalogueFiles(one.root, { deep: true, fix: true });
        assert.deepEqual(left, []);
      } catch (error) {
        const { message } = error as Error;
        throw new Error(`${story.join(', ')}:\n${message}\n${one.git('diff')}`, { cause: error });
      }
    });
});

type Edit = (catalogue: Catalogue) => Promise<unknown>;
const edits =
  (input: object): Edit =>
  (catalogue) =>
    catalogue.edit(refTo('trees'), { ...input });
const publishes =
  (...names: string[]): Edit =>
  (catalogue) =>
    catalogue.publish(refTo('trees'), payload(names));

/** What one does, what the other, and whether it is for a person to settle. */
const pairs: readonly (readonly [ours: string, theirs: string, conflict: boolean, Edit, Edit])[] = [
  ['a label', 'a licence', false, edits({ label: 'L' }), edits({ licence: 'CC0-1.0' })],
  ['a publisher', 'the licence above it', true, edits({ publisher: 'P' }), edits({ licence: 'CC0-1.0' })],
  [
    'a contact',
    'who may see it, both new in one place',
    true,
    edits({ contact: 'b@b.example' }),
    edits({ visibility: 'private' }),
  ],
  ['the same field', 'in the same way', false, edits({ licence: 'CC0-1.0' }), edits({ licence: 'CC0-1.0' })],
  ['the same field', 'in another way', true, edits({ licence: 'CC0-1.0' }), edits({ licence: 'CC-BY-4.0' })],
  [
    'a keyword at the end',
    'another',
    true,
    edits({ keywords: ['first', 'last', 'x'] }),
    edits({ keywords: ['first', 'last', 'y'] }),
  ],
  [
    'the description of the last column',
    'a new column',
    false,
    edits({ columns: [{ name: 'e', description: 'D' }] }),
    publishes(...columns, 'f'),
  ],
  [
    'the label of the last column',
    'a new column',
    true,
    edits({ columns: [{ name: 'e', label: 'L' }] }),
    publishes(...columns, 'f'),
  ],
  ['a new column', 'the same one', false, publishes(...columns, 'f'), publishes(...columns, 'f')],
  ['a new column', 'another', true, publishes(...columns, 'f'), publishes(...columns, 'g')],
  [
    'a column’s description',
    'its end',
    true,
    edits({ columns: [{ name: 'b', description: 'D' }] }),
    publishes('a', 'c', 'd', 'e'),
  ],
  ['a field', 'its dataset’s end', true, edits({ label: 'L' }), (catalogue) => catalogue.remove(refTo('trees'))],
  ['a field', 'its dataset’s new name', false, edits({ label: 'L' }), edits({ slug: 'woods' })],
  ['a version', 'its dataset’s new name', true, publishes(...columns), edits({ slug: 'woods' })],
];

describe('of two edits', () => {
  for (const [ours, theirs, conflict, mine, others] of pairs)
    it(`${ours} and ${theirs} ${conflict ? 'are for a person to settle' : 'are merged'}`, async () => {
      const work = merged(
        async () => void (await using(one, mine)),
        async () => void (await using(other, others)),
      );
      if (conflict) {
        await assert.rejects(work, (error: { status?: number }) => error.status === 1);
        assert.match(one.git('status', '--porcelain'), /^(AA|AU|DU|UD|UU) data\/namespaces\/lab\/datasets\/\w+\//m);
        one.git('merge', '--abort');
      } else {
        await work;
        assert.deepEqual((await checkCatalogueFiles(one.root, { deep: true })).problems, []);
      }
    });

  it('of one payload, none gets into the other: its bytes are never mixed', async () => {
    const path = `${homeOf('lab/trees')}/data/by-hand.csv`;
    const writes =
      ({ write }: Repository, text: string) =>
      async () =>
        write(path, `a\n${text}\nz\n`);
    await assert.rejects(merged(writes(one, 'ours'), writes(other, 'theirs')));
    assert.equal(readFileSync(join(one.root, path), 'utf8'), 'a\nours\nz\n');
    assert.match(one.git('status', '--porcelain'), /^AA .*by-hand\.csv$/m);
    one.git('merge', '--abort');
  });
});
