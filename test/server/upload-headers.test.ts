/** What the headers of an upload say of its payload: media type with parameters, file name, checksum. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf } from '../support/folder.ts';

const trees = '/api/v1/namespaces/parks/datasets/trees/';
const versions = `${trees}version/`;
const csv = 'name,height\noak,12\n';

async function nursery(t: TestContext) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('bob');
  const dataset = { label: 'Trees', namespace: '/api/v1/namespaces/parks/' };
  await server.send('POST', '/api/v1/datasets/', dataset, token);
  const post = (bytes: string | Buffer, headers: Readonly<Record<string, string>>, query = '') =>
    server.ask(`${versions}${query}`, { method: 'POST', body: Buffer.from(bytes), headers }, token);
  const rows = async () => (await server.ask(`${trees}data.objects`)).body;
  const kept = async () => {
    const names = await readdir(server.folder.path(homeOf('parks/trees')), { recursive: true });
    return names.filter((name) => /^(data|versions)\/./.test(name));
  };
  return { ...server, token, post, rows, kept };
}

describe('the media type of an upload', () => {
  it('is not that of a form, which curl --data-binary sends by itself', async (t) => {
    const { post, kept } = await nursery(t);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await post(csv, form);
    const remedy =
      'Send the media type of the file, such as Content-Type: text/csv, or its name: ?name=trees.csv, or a multipart form: curl -F file=@trees.csv.';
    const detail = `Unsupported media type "application/x-www-form-urlencoded" in request. ${remedy}`;
    assert.deepEqual([status, body], [415, { detail }]);
    assert.deepEqual(await kept(), []);
    const named = await post(csv, form, '?name=trees.csv');
    assert.deepEqual([named.status, named.body.format, named.body.rows], [201, 'csv', 1]);
    const other = await post('x', form, '?name=trees.txt&replace=true');
    assert.deepEqual([other.status, other.body.media_type], [201, 'application/octet-stream']);
  });

  it('is missed, with a warning, if the bytes alone do not say what they are', async (t) => {
    const { post } = await nursery(t);
    const json = await post('[{"a":1}]', {});
    assert.deepEqual([json.status, json.body.format, json.body.warnings], [201, 'json', undefined]);
    const types: Record<string, string>[] = [
      {},
      { 'Content-Type': 'application/octet-stream' },
      { 'Content-Type': 'text/plain;charset=UTF-8' },
    ];
    for (const [at, headers] of types.entries()) {
      const { status, body } = await post(`${csv}elm,${at}\n`, headers, '?replace=true');
      assert.deepEqual([status, body.rows], [201, null]);
      assert.match(body.warnings.at(-1), /^Neither a media type nor a file name says what these bytes are: /);
    }
    const named = await post('x', {}, '?name=notes.txt');
    assert.deepEqual([named.status, named.body.warnings], [201, undefined]);
  });

  it('names the encoding of texts', async (t) => {
    const { post, rows } = await nursery(t);
    const koi = Buffer.concat([Buffer.from('name\n'), Buffer.from([0xcd, 0xcf, 0xd3, 0x0a])]);
    const first = await post(koi, { 'Content-Type': 'text/csv; charset=koi8-r' });
    assert.deepEqual([first.status, first.body.reading], [201, { encoding: 'koi8-r' }]);
    assert.deepEqual(await rows(), [{ name: 'мос' }]);
    // UTF-8, which is recognized, takes the place of what the dataset remembers.
    await post('name\nмост\n', { 'Content-Type': 'text/csv; charset="UTF-8"' });
    assert.deepEqual(await rows(), [{ name: 'мост' }]);
    // An option says more.
    await post(koi, { 'Content-Type': 'text/csv; charset=nonsense' }, '?encoding=koi8-r');
    assert.deepEqual(await rows(), [{ name: 'мос' }]);
    const { status, body } = await post('name\nx\n', { 'Content-Type': 'text/csv; charset=nonsense' });
    assert.deepEqual([status, body], [400, { encoding: ['There is no encoding "nonsense".'] }]);
    // JSON is always UTF-8, and what isn't text has no encoding.
    const json = await post('[{"name":"é"}]', { 'Content-Type': 'application/json; charset=binary' });
    assert.equal(json.status, 201, json.text);
  });

  it('says whether CSV has a header', async (t) => {
    const { post, rows } = await nursery(t);
    const absent = await post('1,2\n3,4\n', { 'Content-Type': 'text/csv; charset=utf-8; header=absent' });
    assert.deepEqual([absent.status, absent.body.rows, absent.body.reading], [201, 2, { header: false }]);
    const present = await post(csv, { 'Content-Type': 'text/csv; charset=utf-8; header=present' }, '?force=true');
    assert.deepEqual([present.status, present.body.rows], [201, 1]);
    assert.deepEqual(await rows(), [{ name: 'oak', height: 12 }]);
  });

  it('has its parameters in the part of a form, too', async (t) => {
    const { ask, rows, token } = await nursery(t);
    const data = new FormData();
    const shiftJis = Buffer.concat([Buffer.from('name\n'), Buffer.from([0x83, 0x65, 0x83, 0x58, 0x0a])]);
    data.append('file', new Blob([shiftJis], { type: 'text/csv; charset=shift_jis' }), 'j.csv');
    assert.equal((await ask(versions, { method: 'POST', body: data }, token)).status, 201);
    assert.deepEqual(await rows(), [{ name: 'テス' }]);
  });
});

describe('the file name of an upload', () => {
  it('is that of Content-Disposition, in each form of RFC 6266', async (t) => {
    const { post, ask } = await nursery(t);
    const forms = {
      'attachment; filename=trees.csv': 'trees.csv',
      'attachment; filename="trees 2.csv"': 'trees 2.csv',
      "attachment; filename=x.bin; filename*=UTF-8''B%C3%A4ume.csv": 'Bäume.csv',
      'filename="trees 3.csv"': 'trees 3.csv',
    };
    for (const [at, [disposition, name]] of Object.entries(forms).entries()) {
      const { status, body } = await post(`${csv}elm,${at}\n`, { 'Content-Disposition': disposition });
      assert.deepEqual([status, body.format], [201, 'csv'], disposition);
      const { source } = JSON.parse(Buffer.from(body.metadata, 'base64').toString());
      assert.equal(source, name);
    }
    assert.equal((await ask(`${trees}version/`)).body.count, 4);
  });
});

describe('the checksum of an upload', () => {
  const digestOf = (text: string) => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
  const type = { 'Content-Type': 'text/csv' };

  it('is compared with Repr-Digest', async (t) => {
    const { post, kept } = await nursery(t);
    const wrong = await post(csv, { ...type, 'Repr-Digest': digestOf('other') });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.checksum[0], /^The bytes have the checksum/);
    const garbage = await post(csv, { ...type, 'Repr-Digest': 'sha-256=:x:' });
    assert.deepEqual([garbage.status, Object.keys(garbage.body)], [400, ['detail']]);
    assert.deepEqual(await kept(), []);
    assert.equal((await post(csv, { ...type, 'Repr-Digest': `sha-512=:eA==:, ${digestOf(csv)}` })).status, 201);
    // Other algorithms are ignored (RFC 9530, section 3).
    assert.equal((await post(`${csv}elm,1\n`, { ...type, 'Repr-Digest': 'sha-512=:eA==:' })).status, 201);
  });
});
