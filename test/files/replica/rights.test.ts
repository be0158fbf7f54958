/** Permissions for changes of records through a replica. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { RecordChange } from '../../../src/catalogue/replica.ts';
import { given, outcomes, people, write } from './replica-support.ts';

const trees = 'namespaces/parks/datasets/trees/dataset.yaml';
const ponds = 'namespaces/water/datasets/ponds/dataset.yaml';
const dataset = (id: number) => `id: ${id}\nlabel: New\n`;

describe('who may change records', { concurrency: 4 }, () => {
  type Given = Awaited<ReturnType<typeof given>>;
  const owners = 'alice bob localAdmin';
  const staff = 'alice localAdmin';
  const cases: Readonly<Record<string, [may: string, change: (context: Given) => RecordChange]>> = {
    'edit a dataset': [owners, ({ seen }) => write(trees, dataset(11), seen(trees))],
    'edit the dataset of others': [staff, ({ seen }) => write(ponds, dataset(13), seen(ponds))],
    'add a dataset': [owners, () => write('namespaces/parks/datasets/oaks/dataset.yaml', dataset(20))],
    'add a dataset with others': [staff, () => write('namespaces/water/datasets/wells/dataset.yaml', dataset(20))],
    'add a private dataset': [
      owners,
      () => write('namespaces/secret/datasets/a/dataset.yaml', 'label: A\nvisibility: private\n'),
    ],
    'add a version': [owners, () => write('namespaces/parks/datasets/trees/versions/v1.yaml', 'ready: false\n')],
    'add a namespace': [staff, () => write('namespaces/roads/namespace.yaml', dataset(20))],
    'give a namespace to nobody': [
      owners,
      ({ seen }) => write('namespaces/parks/namespace.yaml', dataset(1), seen('namespaces/parks/namespace.yaml')),
    ],
    'add a query': [owners, () => write('queries/q.yaml', 'label: Q\ndataset: parks/trees\n')],
    'add a query about others': [staff, () => write('queries/q.yaml', 'label: Q\ndataset: water/ponds\n')],
    'turn a query to others': [
      staff,
      ({ seen }) => write('queries/tall.yaml', 'label: Q\ndataset: water/ponds\n', seen('queries/tall.yaml')),
    ],
    'add a group': [staff, () => write('groups/g.yaml', 'label: G\n')],
    'add a user': [staff, () => write('users/u.yaml', 'staff: true\n')],
    'edit oneself': [staff, ({ seen }) => write('users/bob.yaml', 'staff: true\n', seen('users/bob.yaml'))],
    'write the settings': ['', ({ seen }) => write('catalogue.yaml', 'title: Mine\n', seen('catalogue.yaml'))],
    'remove a dataset': [owners, ({ seen }) => ({ do: 'remove', path: trees, ifMatch: seen(trees) })],
    'remove the dataset of others': [staff, ({ seen }) => ({ do: 'remove', path: ponds, ifMatch: seen(ponds) })],
    'remove a user': [staff, ({ seen }) => ({ do: 'remove', path: 'users/eve.yaml', ifMatch: seen('users/eve.yaml') })],
    'move a dataset': [
      owners,
      ({ seen }) => ({
        do: 'move',
        path: trees,
        to: 'namespaces/secret/datasets/trees/dataset.yaml',
        ifMatch: seen(trees),
      }),
    ],
    'move a dataset to others': [
      staff,
      ({ seen }) => ({
        do: 'move',
        path: trees,
        to: 'namespaces/water/datasets/trees/dataset.yaml',
        ifMatch: seen(trees),
      }),
    ],
  };
  for (const [what, [may, change]] of Object.entries(cases))
    it(what, async (test) => {
      for (const name of Object.keys(people) as (keyof typeof people)[]) {
        const context = await given(test);
        const { path } = change(context);
        const before = existsSync(context.folder.path(path)) ? context.text(path) : null;
        const [told = ''] = await outcomes(context.as(name), change(context));
        assert.match(told, may.split(' ').includes(name) ? /^done$/ : /^NotPermittedError/, name);
        if (told !== 'done')
          assert.equal(existsSync(context.folder.path(path)) ? context.text(path) : null, before, name);
      }
    });
});
