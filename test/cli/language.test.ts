/** Slugs in the language of the catalogue, whatever way a record is made. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FolderContent, makeFolder } from '../support/folder.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const content: FolderContent = {
  settings: { title: 'Stadt', language: 'de' },
  namespaces: { stadt: { id: 1, label: 'Stadt' } },
  datasets: { 'stadt/alte-baume': { id: 2, label: 'Alte Bäume' } },
  users: { ann: { id: 1, staff: true } },
};
const label = 'Öffentliche Bäume';
const slug = 'oeffentliche-baeume';
const files = { 'Öffentliche Bäume.csv': 'a\n1\n', 'Alte Bäume.csv': 'a\n1\n' };

describe('a slug in German', () => {
  it('is made by add, edit and publish in a folder', async () => {
    const root = await makeRoot(content);
    assert.equal((await type(['dataset', 'add', 'stadt', '--label', label], { root })).out, `stadt/${slug}\n`);
    assert.equal((await type(['namespace', 'add', '--label', 'Ämter'], { root })).out, 'aemter\n');
    const published = await type(['publish', 'Öffentliche Bäume.csv', '--to', 'stadt'], { root, files });
    assert.match(published.out, new RegExp(`^stadt/${slug}@`), published.err);
    const taken = await type(['dataset', 'add', 'stadt', '--label', label], { root });
    assert.match(taken.err, new RegExp(`There is a dataset stadt/${slug} already`));
  });

  it('is made by a server, for its API and for publish with --remote', async () => {
    const { base, folder } = await served(content);
    const root = folder.root;
    const secret = (await type(['token', 'add', 'ann', '--label', 'test'], { root })).out.trim();
    const headers = { authorization: `Token ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ label, namespace: `${base}/api/v1/namespaces/stadt/` });
    const response = await fetch(`${base}/api/v1/datasets/`, { method: 'POST', headers, body });
    assert.equal(((await response.json()) as { slug: string }).slug, slug);
    assert.equal((await fetch(`${base}/api/v1/`)).headers.get('content-language'), 'de');
    const remote = { env: { CATALOGUE_TOKEN: secret, CATALOGUE_REMOTE: base, CATALOGUE_DATA: '' }, files };
    const published = await type(['publish', 'Öffentliche Bäume.csv', '--to', 'stadt'], remote);
    assert.match(published.out, new RegExp(`^stadt/${slug}@`), published.err);
  });

  it('of an older dataset, as it was made before the language was set, stays', async () => {
    const root = await makeRoot(content);
    const published = await type(['publish', 'Alte Bäume.csv', '--to', 'stadt'], { root, files });
    assert.match(published.out, /^stadt\/alte-baume@/, published.err);
  });

  it('is made by the library, without reading the whole folder', async (test) => {
    const folder = makeFolder(content, test);
    const { openCatalogue } = await import('../../src/index.ts');
    const catalogue = await openCatalogue(folder.root);
    test.after(() => catalogue.close());
    assert.equal(await catalogue.language(), 'de');
    const { namespace } = await catalogue.create('dataset', { label, namespace: 'stadt' });
    const ref = { kind: 'dataset', namespace, slug } as const;
    const edited = await catalogue.edit<'dataset'>(ref, { label: 'Grüne Bäume', slug: '' });
    assert.equal(edited.slug, 'gruene-baeume');
  });
});

describe('a catalogue whose language is no tag', () => {
  it('is served, and check says so', async () => {
    const root = await makeRoot({ ...content, settings: { language: 'Deutsch' } });
    const { out, exitCode } = await type(['check'], { root });
    assert.match(out, /catalogue\.yaml:1:11: warning: language "Deutsch" is not a BCP 47 language tag, such as de/);
    assert.equal(exitCode, 0);
    assert.equal((await type(['dataset', 'add', 'stadt', '--label', 'Bäume'], { root })).out, 'stadt/baume\n');
  });
});
