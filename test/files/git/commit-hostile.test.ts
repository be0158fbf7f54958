/** Users whose names git does not accept: their writes are committed all the same. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { gitEnv, makeRepository } from '../../support/repository.ts';
import { write } from '../replica/replica-support.ts';

const content = {
  settings: { git: { commit: true } },
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] } },
  groups: { gardeners: { id: 1, label: 'Gardeners' } },
  users: { bob: { id: 2, name: '...', email: ' <">', groups: ['gardeners'] } },
};

it('who has a name that git takes for none, and who changes more than a command line holds', async (test) => {
  const { root, git } = await makeRepository(content, test);
  const before = { ...process.env };
  Object.assign(process.env, gitEnv);
  test.after(() => Object.assign(process.env, before));
  const log: string[] = [];
  const files = await openFileCatalogue(root, { log: (line) => log.push(line) });
  test.after(() => files.close());
  const bob = files.for({ username: 'bob', staff: false, groups: ['gardeners'] });
  const slug = (i: number) => `${'d'.repeat(150)}${i}`;
  const changes = Array.from({ length: 1000 }, (_, i) =>
    write(`namespaces/parks/datasets/${slug(i)}/dataset.yaml`, `id: ${i + 10}\nlabel: D${i}\n`),
  );
  const outcomes = await bob.replica.apply(changes);
  assert.ok(outcomes.every(({ done }) => done));
  await files.commits.idle();
  assert.deepEqual(log, []);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('log', '-1', '--format=%an <%ae>|%s').trim(), 'bob <bob@localhost>|Change 1000 records');
  assert.match(git('log', '-1', '--format=%b'), new RegExp(`Add dataset parks/${slug(999)}`));
});
