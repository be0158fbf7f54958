/** A folder of payloads without permission. These tests have a process of their own, whose user changes meanwhile. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { UnavailableError } from '../../../src/catalogue/errors.ts';
import { homeOf } from '../../support/folder.ts';
import { images } from '../../support/images.ts';
import { asOtherUser } from '../../support/owners.ts';
import { makeRoot, type } from '../../support/prompt.ts';
import { makeWorkshop } from '../../support/published.ts';
import { serveFolder } from '../../support/server.ts';

it('payloads in a folder without permission are unavailable, and reported once', async () => {
  const root = await makeRoot();
  chmodSync(join(root, homeOf('parks/trees'), 'data'), 0);
  await asOtherUser(root, async () => {
    const server = await serveFolder(root);
    const dataset = `${server.base}/api/v1/namespaces/parks/datasets/trees/`;
    const get = async (path: string, accept = '*/*') => {
      const response = await fetch(dataset + path, { headers: { accept } });
      return { status: response.status, text: await response.text() };
    };
    try {
      for (const path of ['data.csv', 'data/', 'download/', 'version/latest/download/', 'data.geojson']) {
        const { status, text } = await get(path);
        assert.deepEqual([path, status], [path, 503], text);
        assert.match(text, /can't be read \(EACCES\)/);
        assert.ok(!text.includes(root));
      }
      for (const accept of ['application/json', 'text/html']) assert.equal((await get('', accept)).status, 200, accept);
      const lines = [...server.startLog, ...server.log].filter((line) => line.startsWith('namespaces/'));
      assert.deepEqual([lines.length, /can't be read/.test(lines[0] ?? '')], [1, true], lines.join('\n'));
    } finally {
      await server.close();
    }
  });
  chmodSync(join(root, homeOf('parks/trees'), 'data'), 0o755);
});

it('publishing is unavailable without permission to write in the folder of payloads', async (t) => {
  const trees = 'name,height\noak,12.5\n';
  const workshop = await makeWorkshop();
  t.after(() => workshop.remove());
  await workshop.publish('trees', 'trees.csv', trees);
  const data = join(workshop.root, 'namespaces/lab/datasets/trees/data');
  chmodSync(data, 0);
  await asOtherUser(workshop.root, () =>
    assert.rejects(workshop.publish('trees', 'trees.csv', `${trees}ash,10\n`), (error: Error) => {
      assert.ok(error instanceof UnavailableError, error.stack);
      assert.match(error.message, /^namespaces\/lab\/datasets\/trees can't be written: permission is denied/);
      return true;
    }),
  );
  chmodSync(data, 0o755);
});

it("what can't be written is named by its path in the catalogue", async () => {
  const root = await makeRoot();
  const folders = [homeOf('parks/trees'), 'namespaces/parks/datasets', 'users', 'site_media', ''];
  for (const folder of [...folders, '.catalogue']) mkdirSync(join(root, folder), { recursive: true });
  const picture = join(dirname(root), 'tree.png');
  writeFileSync(picture, images.png);
  await asOtherUser(root, async () => {
    for (const folder of folders) chmodSync(join(root, folder), 0o555);
    try {
      for (const [line, place] of [
        ['dataset edit parks/trees --label Oaks', `${homeOf('parks/trees')}/dataset.yaml`],
        ['dataset edit parks/trees --image PICTURE', 'site_media/images/[0-9a-f]+\\.png'],
        ['dataset add parks/new --label New', `${homeOf('parks/new')}/dataset.yaml`],
        ['dataset remove parks/trees --yes', homeOf('parks/trees')],
        ['user add bob', 'users/bob.yaml'],
      ] as const) {
        const { err, exitCode } = await type(line.replace('PICTURE', picture).split(' '), { root });
        assert.match(err, new RegExp(`^error: ${place} can't be written: permission is denied\\. `), line);
        assert.equal(exitCode, 1);
      }
    } finally {
      for (const folder of folders) chmodSync(join(root, folder), 0o755);
    }
  });
});
