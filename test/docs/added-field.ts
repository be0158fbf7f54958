/** The field of src/README.md's recipe, wherever fields are: run by `recipes.test.ts` in a copy that has it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { type } from '../support/prompt.ts';

const api = '/api/v1';
const trees = `${api}/namespaces/parks/datasets/trees/`;
const ref = { kind: 'dataset', namespace: 'parks', slug: 'trees' } as const;
/** The field, of which these sources know nothing where they are compiled. */
const funderOf = (dataset: object) => (dataset as { readonly funder?: string }).funder;
const seed = {
  namespaces: { parks: { id: 1, label: 'Parks' } },
  datasets: {
    'parks/trees': { id: 2, label: 'Trees', contact: 'c', funder: 'European Union', visibility: 'public' },
    'parks/lawns': { id: 3, label: 'Lawns' },
  },
};

describe('over HTTP', () => {
  it('it is read, written, filtered by, searched and described', async (t) => {
    const { send, ask, base, accounts, folder } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    const post = (body: object) => send('POST', `${api}/datasets/`, body, token);
    const namespace = `${api}/namespaces/parks/`;

    const made = await post({ label: 'Trees', namespace, funder: ' European Union ' });
    assert.deepEqual([made.status, made.body.funder], [201, 'European Union']);
    assert.equal((await post({ label: 'Lawns', namespace })).body.funder, '');
    const wrong = await post({ label: 'Ponds', namespace, funder: [] });
    assert.deepEqual([wrong.status, wrong.body], [400, { funder: ['Not a valid string.'] }]);
    const keys = Object.keys((await ask(trees)).body);
    assert.deepEqual(keys.slice(keys.indexOf('contact')).slice(0, 3), ['contact', 'funder', 'visibility']);
    assert.equal((await send('PATCH', trees, { funder: 'EU' }, token)).body.funder, 'EU');
    assert.match(
      readFileSync(join(folder.root, 'namespaces/parks/datasets/trees/dataset.yaml'), 'utf8'),
      /^funder: EU$/m,
    );
    const form = new URLSearchParams({ funder: 'European Union' });
    assert.equal((await ask(trees, { method: 'PATCH', body: form }, token)).body.funder, 'European Union');

    for (const query of ['funder=European+Union', 'search=european'])
      assert.equal((await ask(`${api}/datasets/?${query}`)).body.count, 1, query);

    const options = await ask(`${api}/datasets/`, { method: 'OPTIONS' }, token);
    assert.deepEqual(options.body.actions.POST.funder, {
      type: 'string',
      required: false,
      read_only: false,
      label: 'Funder',
    });
    const schema = await ask('/schemas/dataset.json');
    assert.deepEqual(JSON.parse(schema.text).properties.funder, {
      title: 'Funder',
      description: 'Who paid for it.',
      type: 'string',
    });
    const page = await fetch(`${base}/schemas/dataset.json`, { headers: { Accept: 'text/html' } });
    assert.match(await page.text(), /<code>funder<\/code>.*Who paid for it\./);
  });

  it('it is read and written by the client', async (t) => {
    const { base, accounts } = await serveAccounts(t);
    const { token } = await accounts.addToken('alice');
    const remote = await openRemoteCatalogue(base, { token });
    t.after(() => remote.close());
    const made = await remote.create('dataset', { label: 'Trees', namespace: 'parks', funder: 'EU' });
    assert.equal(funderOf(made), 'EU');
    await remote.edit<'dataset'>(ref, { funder: 'State' });
    assert.equal(funderOf(await remote.get<'dataset'>(ref)), 'State');
    const { items } = await remote.list('dataset', { filters: { funder: ['State'] } });
    assert.deepEqual(
      items.map(({ slug }) => slug),
      ['trees'],
    );
  });
});

describe('at the prompt', () => {
  it('it is an option, a filter, a line and a member of the JSON', async () => {
    assert.match((await type(['dataset', 'add', '--help'])).out, /^ {2}--funder <text> +Who paid for it\.$/m);
    assert.match(
      (await type(['dataset', 'list', '--help'])).out,
      /^ {2}--funder <funder> +Only those of this funder\./m,
    );
    const { root, catalogue } = await type(['dataset', 'edit', 'parks/lawns', '--funder', 'EU'], { seed });
    assert.equal(funderOf(await catalogue.get<'dataset'>({ ...ref, slug: 'lawns' })), 'EU');
    const listed = JSON.parse((await type(['dataset', 'list', '--json'], { root })).out) as { funder: string }[];
    assert.deepEqual(
      listed.map(({ funder }) => funder),
      ['EU', 'European Union'],
    );
    assert.match((await type(['dataset', 'list', '--funder', 'EU'], { root })).out, /^parks\/lawns\t[^\n]*\n$/);
    assert.match((await type(['dataset', 'show', 'parks/trees'], { root })).out, /^funder\tEuropean Union$/m);
    const added = await type(['dataset', 'add', 'parks/ponds', '--label', 'Ponds', '--funder', 'EU'], { root });
    assert.equal(funderOf(await added.catalogue.get<'dataset'>({ ...ref, slug: 'ponds' })), 'EU');
  });

  it('it is checked, and a typing error of it is noticed', async () => {
    const datasets = {
      'parks/trees': { label: 'Trees', funder: 7 },
      'parks/lawns': { label: 'Lawns', fundr: 'EU' },
    } as never;
    const { out, exitCode } = await type(['check'], { seed: { namespaces: seed.namespaces, datasets } });
    assert.notEqual(exitCode, 0);
    assert.match(out, /funder must be text, but reads as 7/);
    assert.match(out, /"fundr".*"funder"/);
  });
});
