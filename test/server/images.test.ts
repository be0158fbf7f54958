/** Images by upload: kept in site_media/ under a name of their own, or not at all. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { maxImageBytes } from '../../src/catalogue/image.ts';
import { checkCatalogueFiles } from '../../src/files/checking/check.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { imagePath, storeImagesAndWrite } from '../../src/files/records/images.ts';
import { commitSingleStep } from '../../src/files/transaction.ts';
import { imageBytesHeld } from '../../src/server/multipart.ts';
import { serveAccounts } from '../support/accounts.ts';
import { homeOf, makeFolder, until } from '../support/folder.ts';
import { images, png } from '../support/images.ts';

const api = '/api/v1';
const datasets = `${api}/datasets/`;
const trees = `${api}/namespaces/parks/datasets/trees/`;
const parks = `${api}/namespaces/parks/`;
const bad = ['Upload a valid image. The file you uploaded was either not an image or a corrupted image.'];

type Part = string | Uint8Array | { readonly bytes: Uint8Array; readonly name: string };

function form(parts: Readonly<Record<string, Part | readonly string[]>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts))
    if (Array.isArray(value)) for (const item of value) data.append(name, item);
    else if (typeof value === 'string') data.append(name, value);
    else if (value instanceof Uint8Array) data.append(name, new Blob([new Uint8Array(value)]), 'photo.exe');
    else
      data.append(
        name,
        new Blob([new Uint8Array((value as { bytes: Uint8Array }).bytes)]),
        (value as { name: string }).name,
      );
  return data;
}

async function gallery(t: TestContext) {
  const server = await serveAccounts(t);
  const { token } = await server.accounts.addToken('bob');
  const send = (method: string, path: string, parts: Parameters<typeof form>[0], headers = {}) =>
    server.ask(path, { method, body: form(parts), headers }, token);
  assert.equal((await send('POST', datasets, { label: 'Trees', namespace: parks })).status, 201);
  const stored = () => {
    const all = readdirSync(server.folder.root, { recursive: true }).map(String);
    return all.filter((path) => /^site_media\/.*[^/]*\.[^/]*$/.test(path)).sort();
  };
  const fetched = async (address: string) => {
    const answer = await fetch(server.base + address);
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  return { ...server, token, send, stored, fetched };
}

it('an image that another request takes back meanwhile is stored all the same', async (t) => {
  const folder = makeFolder({ files: { 'groups/a.yaml': 'label: A\n' } }, t);
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  const path = imagePath(images.png);
  folder.write(path, images.png);
  await storeImagesAndWrite(files, { image: images.png }, false, async (fields, changes) => {
    assert.equal(fields.image, `/${path}`);
    folder.clear(path);
    const edit = { do: 'edit', path: 'groups/a.yaml', set: () => ({ label: 'B' }) } as const;
    await commitSingleStep(files.access(), { changes: [...changes, edit] }, { message: () => '' });
  });
  assert.deepEqual(readdirSync(folder.path('site_media/images')), [path.split('/').at(-1)]);
  assert.deepEqual(readFileSync(folder.path(path)), images.png);
});

describe('an image', () => {
  it('of every type is taken in and served as what it is, whatever it was called', async (t) => {
    const { send, fetched, stored, folder } = await gallery(t);
    for (const [extension, bytes] of Object.entries(images)) {
      const { status, body, text } = await send('PATCH', trees, { image: { bytes, name: '../../catalogue.yaml' } });
      assert.equal(status, 200, text);
      assert.match(body.image, new RegExp(`^/site_media/images/[0-9a-f]{32}\\.${extension}$`));
      const { answer, bytes: back } = await fetched(body.image);
      assert.equal(answer.headers.get('content-type'), extension === 'jpg' ? 'image/jpeg' : `image/${extension}`);
      assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.deepEqual(back, bytes);
    }
    // Those that were replaced stay: older commits name them.
    assert.equal(stored().length, 5);
    assert.deepEqual((await checkCatalogueFiles(folder.root)).problems, []);
  });

  it('comes with a new dataset, in all three fields, beside lists and what is deeper; the same bytes lie there once', async (t) => {
    const { send, stored, folder } = await gallery(t);
    const parts = {
      label: 'Ponds',
      namespace: parks,
      image: images.png,
      showcase_image: images.gif,
      thumbnail_image: images.png,
    };
    const { status, body } = await send('POST', datasets, { ...parts, keywords: ['water', 'fish'] });
    assert.equal(status, 201);
    assert.deepEqual(body.keywords, ['water', 'fish']);
    assert.equal(body.image, body.thumbnail_image);
    assert.match(body.showcase_image, /\.gif$/);
    assert.equal(stored().length, 2);
    const text = readFileSync(folder.path(`${homeOf('parks/ponds')}/dataset.yaml`), 'utf8');
    assert.ok(text.includes(`\nimage: ${body.image}\n`), text);
    const page = await (await fetch(`${body.url}?format=api`)).text();
    assert.ok(page.includes(`<a href="${body.image}">`), page);

    const put = await send('PUT', trees, { label: 'Trees', namespace: parks, image: images.png, keywords: '' });
    assert.deepEqual([put.status, put.body.image, put.body.keywords], [200, body.image, []]);
    assert.equal(stored().length, 2);
  });

  it('may still be named by a text, and taken away by a blank one', async (t) => {
    const { send, stored } = await gallery(t);
    const named = await send('PATCH', trees, { image: '/site_media/images/t.jpg' });
    assert.equal(named.body.image, '/site_media/images/t.jpg');
    assert.equal((await send('PATCH', trees, { image: '' })).body.image, '');
    // A browser sends an empty file without a name for a field that nobody has filled in.
    assert.equal((await send('PATCH', trees, { image: images.png })).status, 200);
    const form = (name: string) =>
      `--B\r\nContent-Disposition: form-data; name="${name}"; filename=""\r\n\r\n\r\n--B--\r\n`;
    const { ask, token } = await gallery(t);
    const blank = await ask(
      trees,
      { method: 'PATCH', body: form('image'), headers: { 'Content-Type': 'multipart/form-data; boundary=B' } },
      token,
    );
    assert.equal(blank.status, 200);
    assert.equal(stored().length, 1);
  });
});

describe('what is no image', () => {
  it('is refused in the words of Django REST Framework, together with all else that is wrong', async (t) => {
    const { send, stored } = await gallery(t);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    for (const bytes of [svg, Buffer.from('GIF is what it says'), images.png.subarray(0, 40)]) {
      const { status, body } = await send('PATCH', trees, { image: { bytes, name: 'a.png' } });
      assert.deepEqual([status, body], [400, { image: bad }]);
    }
    const both = await send('POST', datasets, {
      label: '',
      namespace: 'x',
      image: svg,
      thumbnail_image: new Uint8Array(),
    });
    assert.deepEqual(both.body, {
      label: ['This field may not be blank.'],
      namespace: ['Invalid hyperlink - No URL match.'],
      image: bad,
      thumbnail_image: ['The submitted file is empty.'],
    });
    const many = await send('PATCH', trees, { image: png(20_000, 20_000) });
    assert.equal(many.status, 400);
    assert.match(many.body.image[0], /pixels/);
    // Other fields are texts, and a file there is none.
    assert.deepEqual((await send('PATCH', trees, { description: images.png })).body, {
      description: ['Not a valid string.'],
    });
    assert.deepEqual((await send('PATCH', parks, { image: images.png })).status, 200);
    assert.deepEqual(stored(), []);
  });

  it('is 413 where it is too large, one or all together', async (t) => {
    const { send, stored } = await gallery(t);
    const large = Buffer.concat([images.png, Buffer.alloc(maxImageBytes)]);
    for (const parts of [
      { image: large },
      { image: large, showcase_image: large, thumbnail_image: large, description: large },
    ]) {
      const { status, body } = await send('PATCH', trees, parts);
      assert.equal(status, 413);
      assert.match(body.detail, /larger than \d+ bytes/);
    }
    assert.deepEqual(stored(), []);
  });
});

describe('a write that is refused', () => {
  it('leaves no image behind, and takes none away that was there', async (t) => {
    const { send, stored, ask, token, folder, accounts } = await gallery(t);
    const image = images.png;
    const { token: eve } = await accounts.addToken('eve');
    const refused = async (expected: number) => {
      const before = stored();
      assert.equal((await send('POST', datasets, { label: 'Trees', namespace: parks, image })).status, 400, 'taken');
      assert.equal((await send('PATCH', trees, { image }, { 'If-Match': '"old"' })).status, 412);
      assert.equal((await send('PATCH', trees, { image, namespace: `${api}/namespaces/water/` })).status, 403);
      assert.equal((await ask(trees, { method: 'PATCH', body: form({ image }) }, eve)).status, 403);
      assert.equal((await ask(trees, { method: 'PATCH', body: form({ image }) })).status, 401);
      folder.write(`${homeOf('parks/trees')}/dataset.yaml`, 'label: "not yet\n');
      const broken = await send('PATCH', trees, { image });
      assert.deepEqual([broken.status, /dataset\.yaml:1:/.test(broken.body.detail)], [409, true]);
      folder.write(`${homeOf('parks/trees')}/dataset.yaml`, 'label: Trees\n');
      assert.deepEqual(stored(), before);
      assert.equal(before.length, expected);
    };
    await refused(0);
    assert.equal((await send('PATCH', trees, { image })).status, 200);
    await refused(1);
    assert.equal((await ask(trees, { method: 'DELETE' }, token)).status, 204);
    assert.equal(stored().length, 1);
  });

  it('is one into a folder that lies elsewhere', async (t) => {
    const { send, folder } = await gallery(t);
    const elsewhere = makeFolder({}, t);
    await symlink(elsewhere.root, folder.path('site_media'));
    const { status, body } = await send('PATCH', trees, { image: images.png });
    assert.deepEqual([status, /is a link that leads out/.test(body.detail)], [409, true]);
    assert.deepEqual(readdirSync(elsewhere.root), ['catalogue.yaml']);
  });
});

it('the image of a private dataset is nowhere for who may not see that', async (t) => {
  const { send, ask, token, base } = await gallery(t);
  const made = await send('POST', datasets, {
    label: 'Plans',
    namespace: parks,
    visibility: 'private',
    image: images.png,
  });
  const address: string = made.body.image;
  const asks = async (as?: string) => {
    const { status, headers } = await ask(address, {}, as);
    return [status, headers.get('cache-control')];
  };
  const nowhere = await ask('/site_media/images/none.png');
  const hidden = await ask(address);
  assert.deepEqual([hidden.status, hidden.body], [nowhere.status, nowhere.body]);
  assert.deepEqual(await asks(token), [200, 'private, max-age=300']);
  // One that a public dataset shows as well is public.
  assert.equal((await send('PATCH', trees, { thumbnail_image: `${base}${address}` })).status, 200);
  assert.deepEqual(await asks(), [200, 'public, max-age=300']);
});

it('many at once keep what each dataset names', async (t) => {
  const { send, stored, folder, fetched } = await gallery(t);
  const names = Array.from({ length: 12 }, (_, i) => `D${i}`);
  const answers = await Promise.all(
    names.map((label, i) =>
      // Every other one is refused at the last moment: its name is taken.
      send('POST', datasets, { label: i % 2 ? 'Trees' : label, namespace: parks, image: png(3, 3, i >> 2) }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    names.map((_, i) => (i % 2 ? 400 : 201)),
  );
  assert.equal(stored().length, 3);
  for (const { status, body } of answers)
    if (status === 201) assert.equal((await fetched(body.image)).answer.status, 200);
  assert.deepEqual((await checkCatalogueFiles(folder.root)).problems, []);
});

it('who sends images all at once is asked to wait, before memory is full', async (t) => {
  const { send, base, token } = await gallery(t);
  const { hostname, port } = new URL(base);
  const head = `PATCH ${trees} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\nContent-Length: 99999999\r\nContent-Type: multipart/form-data; boundary=B\r\n\r\n`;
  const part = '--B\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n';
  const bytes = Buffer.alloc(10_000_000, 'x');
  const large = Buffer.concat([images.png, bytes, Buffer.from('IEND')]);
  const sent = async () => (await send('PATCH', trees, { image: large })).status;
  const sockets = Array.from({ length: 6 }, () => connect(Number(port), hostname));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.write(Buffer.concat([Buffer.from(head + part), bytes]));
  // The last bytes of a part may be the beginning of its end, and are held back.
  await until(() => imageBytesHeld() > 59_999_900, 60_000);
  assert.equal(await sent(), 503);
  for (const socket of sockets) socket.destroy();
  await until(() => imageBytesHeld() === 0);
  assert.equal(await sent(), 200);
  assert.equal(imageBytesHeld(), 0);
});
