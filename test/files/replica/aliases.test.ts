/** Former addresses in records that are written through a replica: permitted and refused ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { given, outcomes, succeed, write } from './replica-support.ts';

const thief = 'namespaces/parks/datasets/thief/dataset.yaml';
const dataset = (...aliases: readonly string[]) => `label: Thief\naliases: [${aliases.join(', ')}]\n`;

describe('aliases that are written', { concurrency: 4 }, () => {
  it('a dataset claims no address in a namespace of others, whatever is there', async (test) => {
    const { as } = await given(test, { namespaces: { hush: { id: 4, label: 'Hush', visibility: 'private' } } });
    for (const address of ['water/ponds', 'water/nothing', 'hush/deep', 'nowhere/x', 'Parks/x'])
      assert.match(
        (await outcomes(as('bob'), write(thief, dataset('old', address))))[0] ?? '',
        /^NotPermitted/,
        address,
      );
    assert.match(
      (await outcomes(as('bob'), write(thief, dataset('water/ponds'))))[0] ?? '',
      /namespace of the alias water\/ponds: leave it out of the aliases/,
    );
    await succeed(as('bob'), write(thief, dataset('old', 'parks/older', 'secret/oldest')));
    await succeed(as('alice'), write('namespaces/parks/datasets/a/dataset.yaml', dataset('water/ponds')));
  });

  it('what stands there already stays, as what staff have moved', async (test) => {
    const { as, seen } = await given(test, { datasets: { 'parks/thief': { label: 'T', aliases: ['water/old'] } } });
    await succeed(as('bob'), write(thief, dataset('water/old', 'mine'), seen(thief)));
    assert.match(
      (await outcomes(as('bob'), write(thief, dataset('water/older'), seen(thief))))[0] ?? '',
      /^NotPermitted/,
    );
  });

  it('what was renamed elsewhere is sent with its former names, a namespace and what was in it', async (test) => {
    const { as, seen, text } = await given(test);
    const [from, to] = ['namespaces/parks/namespace.yaml', 'namespaces/gardens/namespace.yaml'];
    await succeed(as('bob'), { do: 'move', path: from, to, ifMatch: seen(from) });
    await succeed(as('bob'), write(to, `${text(to)}aliases: [parks]\n`, seen(to)));
    await succeed(as('bob'), write('namespaces/secret/datasets/oaks/dataset.yaml', dataset('parks/oaks')));
  });

  it('a namespace or a query claims no name that another has or had', async (test) => {
    const { as, seen, text } = await given(test, {
      namespaces: {
        hush: { id: 4, label: 'Hush', visibility: 'private' },
        water: { id: 2, label: 'Water', aliases: ['sea'] },
      },
      queries: { deep: { id: 7, label: 'Deep', dataset: 'water/ponds' } },
    });
    const parks = 'namespaces/parks/namespace.yaml';
    for (const name of ['water', 'hush', 'sea'])
      assert.match(
        (await outcomes(as('bob'), write(parks, `${text(parks)}aliases: [${name}]\n`, seen(parks))))[0] ?? '',
        /^ConflictError: The name/,
        name,
      );
    await succeed(as('bob'), write(parks, `${text(parks)}aliases: [gardens]\n`, seen(parks)));
    const query = (alias: string) => write('queries/q.yaml', `label: Q\ndataset: parks/trees\naliases: [${alias}]\n`);
    assert.match((await outcomes(as('bob'), query('deep')))[0] ?? '', /^ConflictError: The name/);
    await succeed(as('bob'), query('q-before'));
  });
});
