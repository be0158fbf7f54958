/** Who may see what: what one may not see leaves no trace. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { resolveAlias } from '../../src/catalogue/aliases.ts';
import { type ListedKind, listPage } from '../../src/catalogue/listing.ts';
import {
  anonymous,
  localAdmin,
  mayWrite,
  restrictSnapshotToVisible,
  type Viewer,
} from '../../src/catalogue/permissions.ts';
import { represent, toJson } from '../../src/catalogue/represent.ts';
import type { Snapshot } from '../../src/catalogue/snapshot.ts';
import { type Content, snapshotOf } from '../support/snapshot.ts';

const label = 'x';
const kinds: readonly ListedKind[] = ['namespace', 'dataset', 'version', 'group', 'user', 'query'];
const links = { base: '', suffix: '' };

/** Everything that a snapshot can tell anybody, as text. */
function told(snapshot: Snapshot): string {
  const lists = kinds.map((kind) => {
    const { count, items } = listPage(snapshot, kind, { pageSize: 1000 });
    return [count, ...items.map((item) => toJson(represent[kind](item as never, links)))].join('\n');
  });
  return [...lists, JSON.stringify([...snapshot.diagnostics]), ...snapshot.folders.keys()].join('\n');
}

const member: Viewer = { username: 'ann', staff: false, groups: ['editors'] };

describe('visibleTo', () => {
  const snapshot = snapshotOf({
    namespaces: {
      parks: { label },
      secret: { label, visibility: 'private', owners: ['editors'] },
      mine: { label, owners: ['editors'] },
    },
    datasets: {
      'parks/trees': { label },
      'parks/hidden': { label, visibility: 'private', aliases: ['formerly'] },
      'secret/inner': { label },
      'mine/draft': { label, visibility: 'private' },
      'orphan/lost': { label },
    },
    versions: { 'parks/hidden@20200101000000000000': {}, 'secret/inner@20200101000000000001': {} },
    queries: {
      open: { label, dataset: 'parks/trees' },
      own: { label, dataset: 'mine/draft' },
      veiled: { label, dataset: 'parks/hidden' },
      moved: { label, dataset: 'parks/formerly' },
      dangling: { label, dataset: 'parks/none' },
    },
    problems: {
      'catalogue.yaml': 'odd',
      'queries/veiled.yaml': 'odd',
      // Of which datasets these are now isn't known.
      'queries/open.yaml': 'odd',
      'queries/own.yaml': 'odd',
      'queries/broken.yaml': 'odd',
      'namespaces/parks/datasets/trees/dataset.yaml': 'odd',
      'namespaces/parks/datasets/new/dataset.yaml': 'odd',
      'namespaces/parks/datasets/hidden': 'odd',
      'namespaces/parks/datasets/hidden/dataset.yaml': 'odd',
      'namespaces/parks/datasets/hidden/versions/1.yaml': 'odd',
      'namespaces/secret': 'odd',
      'namespaces/secret/namespace.yaml': 'odd',
      'namespaces/secret/datasets/inner/dataset.yaml': 'odd',
      'namespaces/orphan': 'odd',
      'namespaces/my notes': 'odd',
    },
  });
  const table: readonly (readonly [string, Viewer, Record<'datasets' | 'queries' | 'problems', string[]>])[] = [
    [
      'one who is not signed in',
      anonymous,
      {
        datasets: ['trees'],
        queries: ['open'],
        problems: [
          'catalogue.yaml',
          'namespaces/my notes',
          'namespaces/parks/datasets/new/dataset.yaml',
          'namespaces/parks/datasets/trees/dataset.yaml',
        ],
      },
    ],
    [
      'a member of a group that owns',
      member,
      {
        datasets: ['draft', 'trees', 'inner'],
        queries: ['open', 'own'],
        problems: [
          'catalogue.yaml',
          'namespaces/my notes',
          'namespaces/parks/datasets/new/dataset.yaml',
          'namespaces/parks/datasets/trees/dataset.yaml',
          'namespaces/secret',
          'namespaces/secret/datasets/inner/dataset.yaml',
          'namespaces/secret/namespace.yaml',
          'queries/own.yaml',
        ],
      },
    ],
  ];
  for (const [who, viewer, expected] of table)
    it(who, () => {
      const visible = restrictSnapshotToVisible(viewer, snapshot);
      const slugs = (kind: ListedKind) => listPage(visible, kind, {}).items.map(({ slug }) => slug);
      assert.deepEqual(slugs('dataset'), expected.datasets);
      assert.deepEqual(slugs('query'), expected.queries);
      assert.deepEqual([...visible.diagnostics.keys()].sort(), expected.problems);
    });

  it('a query whose dataset is gone, which may have been private, is for whoever owns the namespace', () => {
    const queries = { 'of-mine': { label, dataset: 'mine/gone' }, stray: { label, dataset: 'none/gone' } };
    const whole = snapshotOf({ namespaces: { mine: { label, owners: ['editors'] } }, queries });
    const seen = (viewer: Viewer) => [...restrictSnapshotToVisible(viewer, whole).queries.keys()];
    assert.deepEqual(seen(anonymous), []);
    assert.deepEqual(seen(member), ['of-mine']);
    assert.deepEqual(seen(localAdmin), ['of-mine', 'stray']);
  });

  it('a query of a private dataset is hidden if the dataset has the former address of a public one', () => {
    const whole = snapshotOf({
      namespaces: { parks: { label, owners: ['editors'] } },
      datasets: { 'parks/trees-2025': { label, aliases: ['trees'] }, 'parks/trees': { label, visibility: 'private' } },
      queries: { secret: { label, dataset: 'parks/trees' } },
    });
    const seen = (viewer: Viewer) => [...restrictSnapshotToVisible(viewer, whole).queries.keys()];
    assert.deepEqual(seen(anonymous), []);
    assert.deepEqual(seen(member), ['secret']);
  });

  it('a former address of what is hidden leads nowhere', () => {
    const old = { kind: 'dataset', namespace: 'parks', slug: 'formerly' } as const;
    assert.ok(resolveAlias(snapshot, old));
    assert.equal(resolveAlias(restrictSnapshotToVisible(anonymous, snapshot), old), undefined);
  });

  it('takes nothing out for nothing: the same object', () => {
    const open = snapshotOf({ namespaces: { parks: { label } }, datasets: { 'parks/trees': { label } } });
    assert.equal(restrictSnapshotToVisible(anonymous, open), open);
    assert.equal(restrictSnapshotToVisible(localAdmin, open), open);
  });

  it('who keeps the folder sees all but folders that are no namespace', () => {
    assert.deepEqual(
      listPage(restrictSnapshotToVisible(localAdmin, snapshot), 'dataset', {}).items.map(({ slug }) => slug),
      ['draft', 'hidden', 'trees', 'inner'],
    );
  });

  it('what stays visible stays the same object', () => {
    const visible = restrictSnapshotToVisible(anonymous, snapshot);
    assert.equal(
      visible.folders.get('parks')?.datasets.get('trees'),
      snapshot.folders.get('parks')?.datasets.get('trees'),
    );
    assert.equal(restrictSnapshotToVisible(anonymous, snapshot).folders.get('parks'), visible.folders.get('parks'));
  });
});

describe('mayWrite', () => {
  const { folders } = snapshotOf({ namespaces: { mine: { label, owners: ['editors'] }, yours: { label } } });
  it('staff everything, members what their group owns, others nothing', () => {
    assert.equal(mayWrite(localAdmin, undefined), true);
    assert.equal(mayWrite(member, folders.get('mine')), true);
    assert.equal(mayWrite(member, folders.get('yours')), false);
    assert.equal(mayWrite(member, undefined), false);
    assert.equal(mayWrite(anonymous, folders.get('mine')), false);
  });
});

describe('the private', () => {
  const visibility = fc.constantFrom('public' as const, 'private' as const);
  const flags = fc.array(fc.tuple(visibility, fc.array(visibility, { maxLength: 4 })), { maxLength: 4 });

  it('is nowhere in what one who may not see it is told, nor is that anything is', () => {
    fc.assert(
      fc.property(flags, (namespaces) => {
        const secrets: string[] = [];
        const whole = contentOf(namespaces, secrets);
        const visible = restrictSnapshotToVisible(anonymous, snapshotOf(whole));
        const text = told(visible);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
        // The same catalogue without what is private in it tells the same.
        const open = (record: Readonly<Record<string, unknown>> = {}) =>
          Object.fromEntries(
            Object.entries(record).filter(([name]) => !secrets.some((secret) => name.includes(secret))),
          );
        const without = Object.fromEntries(Object.entries(whole).map(([part, record]) => [part, open(record)]));
        assert.equal(text, told(restrictSnapshotToVisible(anonymous, snapshotOf(without as Content))));
      }),
    );
  });
});

/** A catalogue with namespaces and datasets of these visibilities; what is private has "secret" and a number in its name. */
function contentOf(
  flags: readonly (readonly ['public' | 'private', readonly ('public' | 'private')[]])[],
  secrets: string[],
) {
  const content = {
    namespaces: {} as Record<string, object>,
    datasets: {} as Record<string, object>,
    versions: {} as Record<string, object>,
    queries: { dangling: { label, dataset: 'none/none' } } as Record<string, object>,
    problems: { 'users/x.yaml': 'odd', 'namespaces/readme.md': 'odd' } as Record<string, string>,
  };
  let number = 0;
  const name = (hidden: boolean) => {
    const slug = `${hidden ? 'secret' : 'open'}${number++}-`;
    if (hidden) secrets.push(slug);
    return slug;
  };
  for (const [visibility, datasets] of flags) {
    const namespace = name(visibility === 'private');
    content.namespaces[namespace] = { label: namespace, visibility };
    content.problems[`namespaces/${namespace}`] = namespace;
    content.problems[`namespaces/${namespace}/namespace.yaml`] = namespace;
    for (const of of datasets) {
      const slug = name(of === 'private');
      const ref = `${namespace}/${slug}`;
      content.datasets[ref] = { label: slug, description: namespace, visibility: of, aliases: [`was-${slug}`] };
      content.versions[`${ref}@20200101000000000000`] = { notes: slug };
      content.queries[`of-${namespace}${slug}`] = { label: slug, dataset: ref };
      content.queries[`moved-${namespace}${slug}`] = { label: slug, dataset: `${namespace}/was-${slug}` };
      content.problems[`namespaces/${namespace}/datasets/${slug}`] = slug;
      content.problems[`namespaces/${namespace}/datasets/${slug}/dataset.yaml`] = slug;
      content.problems[`queries/of-${namespace}${slug}.yaml`] = slug;
    }
  }
  return content as Content;
}
