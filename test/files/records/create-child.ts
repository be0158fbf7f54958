/** One of several processes that create the same dataset at once: prints "created", or the error. */
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';

const [root = '', kind = 'dataset', slug = ''] = process.argv.slice(2);
const view = (await openFileCatalogue(root)).for();
await view.list('dataset', {});
process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  try {
    await view.create(kind as 'dataset' | 'namespace', {
      label: 'x',
      slug,
      ...(kind === 'dataset' && { namespace: 'parks' }),
    });
    process.stdout.write('created\n');
  } catch (error) {
    process.stdout.write(`${(error as Error).name}\n`);
  }
  process.exit(0);
});
