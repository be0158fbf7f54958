import { anonymous } from '../../src/catalogue/permissions.ts';
import { openFolder } from '../../src/files/file-catalogue.ts';
import { promises } from './catalogue.ts';

promises('A folder of files', async (test, folder) => {
  const files = await openFolder(folder.root);
  test.after(() => files.close());
  const looked = () => files.refresh([{ folder: '' }]);
  return { catalogue: files.for(), open: files.for(anonymous), looked };
});

promises('A folder of files that is followed', async (test, folder) => {
  const files = await openFolder(folder.root, { watch: true });
  test.after(() => files.close());
  const looked = () => files.refresh([{ folder: '' }]);
  return { catalogue: files.for(), open: files.for(anonymous), looked };
});
