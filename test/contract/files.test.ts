import { anonymous } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { type Opened, promises } from './catalogue.ts';
import { replicaPromises } from './replica.ts';
import { trashPromises } from './trash.ts';

type Open = Parameters<typeof promises>[1];

const opened =
  (watch: boolean): Open =>
  async (test, folder): Promise<Opened> => {
    const files = await openFileCatalogue(folder.root, { watch });
    test.after(() => files.close());
    return { catalogue: files.for(), open: files.for(anonymous), looked: () => files.refresh([{ folder: '' }]) };
  };

promises('A folder of files', opened(false));
promises('A folder of files that is followed', opened(true));
replicaPromises('a folder', opened(false));
replicaPromises('a folder that is followed', opened(true));
trashPromises('a folder', opened(false));
trashPromises('a folder that is followed', opened(true));
