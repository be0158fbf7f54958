/** Edits by which many datasets are seen or written by more people, or fewer: the command says how many, and of whom. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { makeRoot, seed, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const content = {
  ...seed,
  groups: { gardeners: { id: 5, label: 'Gardeners' }, walkers: { id: 6, label: 'Walkers' } },
  users: { alice: { id: 1, staff: true }, bob: { id: 2, groups: ['walkers'] } },
  namespaces: {
    ...seed.namespaces,
    parks: { id: 1, label: 'Parks', owners: ['gardeners'], readers: ['walkers'] },
    roads: { id: 3, label: 'Roads', visibility: 'private' },
    lakes: { id: 4, label: 'Lakes', visibility: 'private', readers: ['gardeners'] },
  },
  datasets: {
    ...seed.datasets,
    'parks/plans': { id: 14, label: 'Plans', visibility: 'private' },
    'roads/signs': { id: 15, label: 'Signs' },
    'lakes/depths': { id: 16, label: 'Depths', visibility: 'private' },
  },
} as const;

/** Lines, and the sentences that follow from them. */
const lines: readonly (readonly [line: string, ...sentences: string[]])[] = [
  [
    'namespace edit parks --visibility private',
    'With this, only owners and readers may see 2 of its 3 datasets, as the others before.',
  ],
  ['namespace edit roads --visibility public --slug streets', 'With this, everybody may see its dataset.'],
  ['namespace edit lakes --visibility public'],
  ['namespace edit lakes --visibility private'],
  [
    'namespace edit parks --visibility public --reader walkers --reader user:bob',
    'With this, everybody may see 2 of its 3 datasets. The others are private themselves.',
    'With this, user:bob may see its private dataset.',
  ],
  ['namespace edit lakes --reader gardeners --owner walkers', 'With this, walkers may write in lakes.'],
  ['namespace edit parks --label Gardens'],
  // As a walker, he owns the lakes already.
  ['group edit gardeners --member bob', 'With this, bob may write in parks.'],
  [
    'group edit gardeners --member bob --member alice --slug keepers',
    'With this, alice may write in parks, and see all of lakes.',
  ],
  ['group edit keepers --member alice'],
  ['user edit bob --group walkers --group keepers', 'With this, bob may write in parks.'],
  ['user edit bob --group walkers'],
  ['group edit keepers --member bob --member alice', 'With this, bob may write in parks.'],
  ['dataset edit parks/plans --visibility public'],
  [
    'dataset edit parks/plans --reader walkers',
    'Everybody may see it, not only readers. To show it to owners and readers only: catalogue dataset edit parks/plans --visibility private',
  ],
  ['dataset edit parks/plans --visibility private --reader user:alice'],
  [
    'namespace edit streets --slug roads --reader walkers',
    'Everybody may see roads with its datasets, not only readers. To show it to owners and readers only: catalogue namespace edit streets --visibility private',
  ],
  [
    'dataset edit lakes/depths --visibility public',
    'The namespace lakes is private: only owners and readers may see the dataset, until that is public.',
  ],
  ['dataset edit lakes/depths --label Depth'],
  [
    'dataset edit lakes/depths --namespace parks',
    'The namespace parks is public, and lakes is not: everybody may see the dataset there.',
  ],
];

describe('an edit that changes who may see or write many datasets', () => {
  it('says so, in a folder and on a remote, and before it is made', async () => {
    const [here, there] = await Promise.all([makeRoot(content), makeRoot(content)]);
    const files = await openFileCatalogue(there);
    const { token } = await files.accounts.addToken('alice');
    await files.close();
    const server = await serveFolder(there);
    const env = { CATALOGUE_REMOTE: server.base, CATALOGUE_TOKEN: token };
    try {
      for (const [line, ...sentences] of lines)
        for (const dry of [['--dry-run'], []])
          for (const options of [{ root: here }, { root: there, env }]) {
            const { exitCode, err } = await type([...line.split(' '), ...dry], options);
            assert.equal(exitCode, 0, err);
            const said = err.split('\n').filter((text) => /^(With this|Everybody may|The namespace)/.test(text));
            const expected = sentences.map((text) =>
              dry.length > 0 ? text : text.replace('namespace edit streets', 'namespace edit roads'),
            );
            assert.deepEqual(said, expected, `${line} ${dry.join(' ')}`);
          }
    } finally {
      await server.close();
    }
  });
});
