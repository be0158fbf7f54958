import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { anonymous, localAdmin, type Viewer } from '../../src/catalogue/permissions.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { createApp } from '../../src/server/app.ts';
import { promises } from './catalogue.ts';
import { replicaPromises } from './replica.ts';
import { trashPromises } from './trash.ts';

/** Serves a catalogue as the one sees it who has the token "keeper". */
async function serve(test: TestContext, catalogueFor: (viewer: Viewer) => Catalogue): Promise<string> {
  const accounts = {
    viewerByToken: async (token: string) => (token === 'keeper' ? { ...localAdmin, username: 'a.b+c@d' } : null),
  };
  const server = createServer(createApp(catalogueFor, { accounts: accounts as never }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function both(test: TestContext, base: string) {
  const catalogue = await openRemoteCatalogue(base, { token: 'keeper' });
  const open = await openRemoteCatalogue(base);
  test.after(() => Promise.all([catalogue.close(), open.close()]));
  return { catalogue, open };
}

const remoteCatalogue: Parameters<typeof promises>[1] = async (test, folder) => {
  const files = await openFileCatalogue(folder.root, { watch: true });
  test.after(() => files.close());
  const base = await serve(test, (viewer) => files.for(viewer));
  return { ...(await both(test, base)), looked: () => files.refresh([{ folder: '' }]) };
};

promises('A remote catalogue', remoteCatalogue);
replicaPromises('a remote catalogue', remoteCatalogue);
trashPromises('a remote catalogue', remoteCatalogue);

promises('A remote catalogue, served by another', async (test, folder) => {
  const files = await openFileCatalogue(folder.root, { watch: true });
  test.after(() => files.close());
  const first = await both(test, await serve(test, (viewer) => files.for(viewer)));
  const base = await serve(test, (viewer) => (viewer === anonymous ? first.open : first.catalogue));
  return { ...(await both(test, base)), looked: () => files.refresh([{ folder: '' }]) };
});
