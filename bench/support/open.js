/**
 * One start in a process of its own, with the compiled code. Usage: open.js alone|cold|warm FOLDER
 * `alone` only finds, reads and parses the files: what every start must do at least.
 */
import { readdirSync, readFileSync } from 'node:fs';

const [, , how, root] = process.argv;

async function alone() {
  const { parseRecordText } = await import('../../dist/text/parse.js');
  const start = performance.now();
  const read = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith('.')) read(path);
      else if (entry.name.endsWith('.yaml')) parseRecordText(readFileSync(path, 'utf8'), 'yaml');
    }
  };
  read(root);
  return performance.now() - start;
}

/** As a server starts: until every record is read, before the folders are watched. */
async function open() {
  const { openFileCatalogue } = await import('../../dist/files/file-catalogue.js');
  const start = performance.now();
  const catalogue = await openFileCatalogue(root, { watch: true });
  const time = performance.now() - start;
  const memory = process.memoryUsage().rss;
  await catalogue.close();
  return { time, memory };
}

const { time, memory } = how === 'alone' ? { time: await alone(), memory: process.memoryUsage().rss } : await open();
console.log(JSON.stringify({ seconds: time / 1000, memory: memory / 1e6 }));
