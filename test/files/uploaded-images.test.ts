/** Images that were uploaded for records that are private: nobody else sees them, also once nothing shows them. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { it } from 'node:test';
import { NotFoundError } from '../../src/catalogue/errors.ts';
import { anonymous } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { homeOf, makeFolder } from '../support/folder.ts';
import { png } from '../support/images.ts';

const image = `images/${'0123456789abcdef'.repeat(2)}.png`;
const other = `images/${'fedcba9876543210'.repeat(2)}.png`;
/** On some disks, this is the file with the name in small letters. */
const inOtherCase = `images/${'0123456789ABCDEF'.repeat(2)}.PNG`;
const record = `${homeOf('parks/plans')}/dataset.yaml`;

it('an upload is shown as long as a record shows it that the viewer sees', async (t) => {
  const folder = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks', owners: ['gardeners'] } },
      queries: { tall: { id: 1, label: 'Tall', dataset: 'parks/trees', description: `![](/site_media/${other})` } },
      datasets: { 'parks/trees': { id: 1, label: 'Trees' } },
      files: {
        [record]: `id: 2\nlabel: Plans\nvisibility: private\nimage: /site_media/${image}\n`,
        [`site_media/${image}`]: png(1, 1),
        [`site_media/${other}`]: png(1, 1),
        'site_media/logo.png': png(1, 1),
        [`site_media/${inOtherCase}`]: png(1, 1),
      },
    },
    t,
  );
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  await files.load();
  const owner = { username: 'bob', staff: false, groups: ['gardeners'] };
  const sees = async (viewer: Parameters<typeof files.for>[0], path = image) => {
    try {
      await (await files.for(viewer).media(path)).close();
      return true;
    } catch (error) {
      assert.ok(error instanceof NotFoundError);
      return false;
    }
  };
  assert.deepEqual([await sees(anonymous), await sees(owner), await sees(undefined)], [false, true, true]);
  assert.deepEqual([await sees(anonymous, inOtherCase), await sees(undefined, inOtherCase)], [false, true]);
  folder.write(record, 'id: 2\nlabel: Plans\nvisibility: private\n');
  await files.refresh([{ folder: '' }]);
  assert.deepEqual([await sees(anonymous), await sees(owner), await sees(undefined)], [false, false, true]);
  rmSync(folder.path(homeOf('parks/plans')), { recursive: true });
  await files.refresh([{ folder: '' }]);
  assert.deepEqual([await sees(anonymous), await sees(undefined)], [false, true]);
  folder.write(record, `id: 2\nlabel: Plans\nvisibility: public\nimage: /site_media/${image}\n`);
  await files.refresh([{ folder: '' }]);
  assert.equal(await sees(anonymous), true);
  assert.deepEqual([await sees(anonymous, other), await sees(anonymous, 'logo.png')], [true, true]);
});

it('an upload is shown while it is the logo of the settings', async (t) => {
  const folder = makeFolder({ files: { [`site_media/${image}`]: png(1, 1) } }, t);
  folder.write('catalogue.yaml', `logo: /site_media/${image}\n`);
  const files = await openFileCatalogue(folder.root);
  t.after(() => files.close());
  await files.load();
  const shown = files.for(anonymous);
  await (await shown.media(image)).close();
  folder.write('catalogue.yaml', 'logo: ""\n');
  await files.refresh([{ folder: '' }]);
  await assert.rejects(files.for(anonymous).media(image), NotFoundError);
});
