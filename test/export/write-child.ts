/** A process that writes 2 MiB into the folder of an export, for folder.test.ts: `<folder>`. Prints the error, and whether the rest of the stream is ended. */
import { FolderWriter } from '../../src/export/folder-writer.ts';

const writer = new FolderWriter(process.argv[2] ?? '');
writer.beginUnit('a unit', ['rows.csv']);
let isEnded = false;
const rest: AsyncIterator<Buffer> = {
  next: async () => ({ done: true, value: undefined }),
  return: async () => {
    isEnded = true;
    return { done: true, value: undefined };
  },
};
await writer.writeStream('rows.csv', [Buffer.alloc(2 * 1024 * 1024, 'x')], rest).then(
  (size) => console.log(`${size} bytes`),
  (error) => console.log(error.code ?? String(error), isEnded ? 'The rest is ended.' : ''),
);
writer.close();
