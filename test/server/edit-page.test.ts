/** The form that edits a dataset in a browser: what it shows, what it writes, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import type { Answer } from '../support/accounts.ts';
import { browse } from '../support/browse.ts';
import { type FolderContent, homeOf, until } from '../support/folder.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { serveFolder } from '../support/server.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const form = `${trees}?_edit`;
const file = `${homeOf('parks/trees')}/dataset.yaml`;
const yaml = `# Trees of the parks
label: Trees # as on the signs
description: |
  First line.

  Third line.
keywords: ["oak, common", beech]
licence: CC0-1.0
x-cadastre: 17 # of no concern to the catalogue
`;
const asPage = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');

/** The fields of the form on a page, as a browser sends them back. */
function fieldsOf({ text }: Answer): Record<string, string> {
  const [html = ''] = /<form method="post".*?<\/form>/s.exec(text) ?? [];
  const fields: Record<string, string> = {};
  for (const [, attributes = '', content = ''] of html.matchAll(
    /<(?:input|select|textarea) ((?:[^>"]|"[^"]*")*)>(?:([^<]*)<\/textarea>)?/g,
  )) {
    const attribute = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
    const name = attribute('name') ?? '';
    fields[name] = unescaped(attribute('value') ?? content.replace(/^\n/, '')).replaceAll('\n', '\r\n');
  }
  const [, choice = ''] = /<option(?=[^>]* selected)[^>]* value="(\w+)"/.exec(html) ?? [];
  return { ...fields, visibility: choice };
}

async function open(t: TestContext, settings: object = {}, more: FolderContent = {}) {
  const browser = await browse(t, settings, {
    datasets: { 'parks/hedges': { label: 'Hedges', visibility: 'private' } },
    ...more,
    files: { [file]: yaml, ...more.files },
  });
  const { visit, folder } = browser;
  const get = (path = form) => visit(path, { headers: asPage });
  const send = (fields: Record<string, string>, headers: Record<string, string> = {}, path = form) =>
    visit(path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...asPage, ...headers } });
  const written = () => readFileSync(folder.path(file), 'utf8');
  return { ...browser, get, send, written };
}

const main = ({ text }: Answer) => text.slice(text.indexOf('<main'), text.indexOf('</main>'));

describe('the form that edits a dataset', () => {
  it('shows the texts of the record, nobody keeps it, and no search engine lists it', async (t) => {
    const { signIn, get, fieldOf, visit } = await open(t);
    await signIn();
    const page = await get();
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /<title>Edit Trees –/);
    assert.match(page.text, /<meta name="robots" content="noindex"/);
    assert.equal(page.headers.get('cache-control'), 'private, no-store');
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('access-control-allow-origin'), null);
    assert.match(page.headers.get('vary') ?? '', /Accept.*Cookie.*Accept-Language/);
    const { csrfmiddlewaretoken, _etag, ...shown } = fieldsOf(page);
    assert.ok(csrfmiddlewaretoken && _etag);
    assert.deepEqual(shown, {
      label: 'Trees',
      description: 'First line.\r\n\r\nThird line.\r\n',
      keywords: 'oak, common, beech',
      licence: 'CC0-1.0',
      homepage: '',
      publisher: '',
      contact: '',
      issued: '',
      modified: '',
      visibility: 'public',
    });
    assert.match(page.text, /<datalist id="licences">.*value="CC-BY-4.0"/);
    for (const name of Object.keys(shown)) assert.match(page.text, new RegExp(`<label for="edit-${name}"`), name);
    assert.match(main(page), new RegExp(`<a href="${trees}">Cancel</a>`));
    assert.equal(fieldOf(page, '_etag'), _etag);
    const head = await visit(form, { method: 'HEAD', headers: asPage });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  });

  it('leads those who are not logged in to the log-in page, and back', async (t) => {
    const { get, signIn } = await open(t);
    const { status, headers } = await get();
    const location = headers.get('location') ?? '';
    assert.deepEqual([status, location], [303, `/auth/login/?next=${encodeURIComponent(form)}`]);
    assert.equal((await signIn(location)).headers.get('location'), form);
  });

  it('is refused to those who may not write, and not found where they may not see', async (t) => {
    const { get, send, signIn, cookies } = await open(t);
    const hedges = '/api/v1/namespaces/parks/datasets/hedges/?_edit';
    await signIn();
    assert.equal((await get(hedges)).status, 200);
    assert.equal((await get('/api/v1/namespaces/parks/datasets/none/?_edit')).status, 404);
    cookies.clear();
    await signIn('/auth/login/', 'eve');
    const csrfmiddlewaretoken = cookies.get('csrftoken') ?? '';
    for (const [path, status] of [
      [form, 403],
      [hedges, 404],
    ] as const) {
      for (const page of [await get(path), await send({ csrfmiddlewaretoken, label: 'Mine' }, {}, path)]) {
        assert.equal(page.status, status, path);
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
        assert.doesNotMatch(page.text, /Hedges|name="_etag"/);
      }
    }
  });

  it('is not there on a read-only server', async (t) => {
    const { signIn, cookies, folder } = await open(t);
    await signIn();
    const closed = await serveFolder(folder.root, { readOnly: true });
    t.after(() => closed.close());
    const headers = { ...asPage, Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const page = async (path: string) => {
      const response = await fetch(closed.base + path, { headers });
      return { status: response.status, text: await response.text() };
    };
    assert.equal((await page(form)).status, 403);
    assert.doesNotMatch((await page(trees)).text, /_edit/);
  });

  it('is in the language of the reader', async (t) => {
    const { signIn, visit } = await open(t);
    await signIn();
    const page = async (language: string) =>
      (await visit(form, { headers: { ...asPage, 'Accept-Language': language } })).text;
    assert.match(await page('de'), /<h1[^>]*>Trees bearbeiten<.*Beschreibung.*Speichern.*Abbrechen/s);
    assert.match(await page('fr'), /<h1[^>]*>Modifier Trees<.*Libellé.*Enregistrer.*Annuler/s);
  });

  it('leaves the other requests to a dataset as they are', async (t) => {
    const { ask, visit, get, signIn, send } = await open(t);
    assert.equal((await ask(form, { headers: { Accept: 'application/json' } })).body.label, 'Trees');
    const refused = await ask(trees, { method: 'POST', headers: asPage, body: new URLSearchParams({ label: 'x' }) });
    assert.equal(refused.status, 401);
    assert.doesNotMatch((await get(trees)).text, /_edit/);
    await signIn();
    const { csrfmiddlewaretoken = '' } = fieldsOf(await get());
    const post = await send({ label: 'x' }, { 'X-CSRFToken': csrfmiddlewaretoken }, trees);
    assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS']);
    assert.match(
      (await get(trees)).text,
      new RegExp(`<a class="btn" href="${form}"[^>]*>Edit</a>`.replace('?', '\\?')),
    );
    const options = await visit(form, { method: 'OPTIONS' });
    assert.equal(options.headers.get('allow'), 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS');
  });
});

describe('saving the form', () => {
  it('writes the fields that were changed, and nothing else of the record', async (t) => {
    const { signIn, get, send, written } = await open(t);
    await signIn();
    const fields = fieldsOf(await get());
    const answer = await send({
      ...fields,
      description: 'First line.\r\n\r\nFourth line.',
      keywords: 'oak, common, beech, elm,',
    });
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, trees], answer.text);
    assert.equal(answer.headers.get('cache-control'), 'private, no-store');
    const text = written();
    assert.match(text, /^# Trees of the parks\nlabel: Trees # as on the signs\n/);
    assert.match(text, /First line\.\n\n {2}Fourth line\./);
    assert.match(text, /x-cadastre: 17 # of no concern to the catalogue/);
    assert.doesNotMatch(text, /\r|homepage|visibility/);
    const { body } = await get(`${trees}?format=json`);
    assert.deepEqual(body.keywords, ['oak, common', 'beech', 'elm']);
  });

  it('writes nothing if nothing was changed', async (t) => {
    const { signIn, get, send, written } = await open(t);
    await signIn();
    const { status, headers } = await send(fieldsOf(await get()));
    assert.deepEqual([status, headers.get('location'), written()], [303, trees, yaml]);
  });

  it('shows what can’t be written at its field, with all that was typed', async (t) => {
    const { signIn, get, send, written } = await open(t);
    await signIn();
    const typed = {
      ...fieldsOf(await get()),
      label: ' ',
      modified: '31.1.2026',
      contact: '"><b>',
    };
    const page = await send(typed);
    assert.equal(page.status, 400);
    assert.match(main(page), /role="alert"><h2>Nothing is saved yet<\/h2><p>Correct these fields/);
    assert.match(main(page), /<a href="#edit-label">.*<a href="#edit-modified">/s);
    for (const name of ['label', 'modified'])
      assert.match(
        page.text,
        new RegExp(`id="edit-${name}"[^>]*aria-invalid="true"[^>]*aria-describedby="edit-${name}-error"`),
      );
    assert.match(page.text, /id="edit-label-error"[^>]*>This field may not be blank\./);
    assert.deepEqual(fieldsOf(page), typed);
    assert.equal(written(), yaml);
    const saved = await send({ ...fieldsOf(page), label: 'Old trees', modified: '' });
    assert.equal(saved.status, 303, saved.text);
    assert.match(written(), /label: Old trees # as on the signs/);
  });

  it('shows both sides where somebody else has changed the record, and writes when it is sent again', async (t) => {
    const { signIn, get, send, written, folder } = await open(t);
    await signIn();
    const typed = { ...fieldsOf(await get()), label: 'My trees' };
    folder.write(file, yaml.replace('Trees #', 'Their <i>trees</i> #').replace('CC0-1.0', 'CC-BY-4.0'));
    await until(async () => (await get(`${trees}?format=json`)).body.licence === 'CC-BY-4.0');
    const page = await send(typed);
    assert.equal(page.status, 412);
    const again = fieldsOf(page);
    assert.deepEqual([again.label, again.licence], ['My trees', 'CC-BY-4.0']);
    assert.match(
      page.text,
      /id="edit-label-now">.*It is now:<\/p><p class="now" dir="auto">Their &lt;i>trees&lt;\/i></s,
    );
    assert.match(page.text, /id="edit-licence-now"><p>Changed by somebody else meanwhile\. The field has the new text/);
    assert.doesNotMatch(page.text, /id="edit-(description|keywords)-now"/);
    assert.match(written(), /Their <i>/);
    assert.equal((await send(again)).status, 303);
    assert.match(written(), /label: My trees # as on the signs\n.*licence: CC-BY-4\.0/s);
  });

  it('takes the same change of somebody else, and a new version, as no conflict', async (t) => {
    const { signIn, get, send, written, folder } = await open(t);
    await signIn();
    const typed = { ...fieldsOf(await get()), licence: 'CC-BY-4.0', label: 'Old trees' };
    folder.write(file, yaml.replace('CC0-1.0', 'CC-BY-4.0'));
    folder.write(`${homeOf('parks/trees')}/data/a.csv`, 'name\noak\n');
    folder.write(`${homeOf('parks/trees')}/versions/v1.yaml`, 'file: {name: a.csv, format: csv, size: 9}\nrows: 1\n');
    await until(async () => {
      const { body } = await get(`${trees}?format=json`);
      return body.licence === 'CC-BY-4.0' && body.versions.length === 1;
    });
    const { status, text } = await send(typed);
    assert.equal(status, 303, text);
    assert.match(written(), /label: Old trees #/);
  });

  it('keeps what was typed when the session has ended, or was begun anew', async (t) => {
    const { signIn, get, send, written, cookies } = await open(t);
    await signIn();
    // Longer than what a log-in may be.
    const description = 'мир '.repeat(10_000).trim();
    const typed = { ...fieldsOf(await get()), label: 'Typed <b>for long</b>', description };
    cookies.clear();
    const signedOut = await send(typed);
    assert.equal(signedOut.status, 403);
    assert.match(
      main(signedOut),
      /role="alert">.*You are no longer logged in.*<a href="\/auth\/login\/\?next=[^"]*_edit"/s,
    );
    assert.doesNotMatch(signedOut.text, /<b>for long/);
    assert.doesNotMatch(main(signedOut), /Parks/);
    const kept = fieldsOf(signedOut);
    assert.deepEqual([kept.label, kept.description], [typed.label, description]);
    await signIn();
    const old = await send(kept);
    assert.equal(old.status, 403);
    assert.match(main(old), /role="alert">.*of an earlier login.*save again/s);
    assert.equal(written(), yaml);
    const saved = await send(fieldsOf(old));
    assert.equal(saved.status, 303, saved.text);
    assert.match(written(), /label: Typed <b>for long<\/b> #/);
  });

  it('is refused from pages of others, and in other forms', async (t) => {
    const { signIn, get, send, visit, written } = await open(t);
    await signIn();
    const typed = { ...fieldsOf(await get()), label: 'Hacked' };
    for (const Origin of ['https://evil.example', 'null']) assert.equal((await send(typed, { Origin })).status, 403);
    for (const csrfmiddlewaretoken of ['', 'x'.repeat(43)])
      assert.equal((await send({ ...typed, csrfmiddlewaretoken })).status, 403);
    const asJson = { method: 'POST', headers: { ...asPage, 'Content-Type': 'application/json' } };
    assert.equal((await visit(form, { ...asJson, body: JSON.stringify(typed) })).status, 415);
    assert.equal((await send({ ...typed, description: 'x'.repeat(3_000_000) })).status, 413);
    for (const page of [await send({ ...typed, dry_run: 'true' }), await send(typed, {}, `${form}&dry_run=true`)])
      assert.equal(page.status, 400);
    assert.equal(written(), yaml);
  });

  it('escapes what people wrote, and changes none of it', async (t) => {
    const datasets = Object.fromEntries(
      Object.values(hostileTexts).map((text, i) => [
        `parks/d${i}`,
        { label: text.slice(0, 200), description: text, keywords: [text.slice(0, 100)], publisher: text },
      ]),
    );
    const { signIn, get, send, folder } = await open(t, {}, { datasets });
    await signIn();
    for (const [name, { label }] of Object.entries(datasets)) {
      const path = `/api/v1/namespaces/${name.replace('/', '/datasets/')}/?_edit`;
      const record = () => readFileSync(folder.path(`${homeOf(name)}/dataset.yaml`), 'utf8');
      const before = record();
      const page = await get(path);
      assert.equal(page.status, 200, label);
      assert.doesNotMatch(main(page), /<(?:script|img|iframe|base|meta|style)\b/i);
      const answer = await send(fieldsOf(page), {}, path);
      assert.deepEqual([answer.status, record()], [303, before], label);
    }
  });

  it('becomes a commit of the user who saved', async (t) => {
    const { signIn, get, send, folder } = await open(t, { git: { commit: true } });
    const git = (...words: string[]) => execFileSync('git', ['-C', folder.root, ...words], { encoding: 'utf8' });
    git('init', '-q');
    git('-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '-q', '--allow-empty', '-m', 'Begin');
    await signIn();
    const page = await get();
    assert.match(main(page), /It becomes a commit in your name/);
    assert.equal((await send({ ...fieldsOf(page), label: 'Old trees' })).status, 303);
    await until(() => /^bob/.test(git('log', '-1', '--format=%an %s')));
  });
});
