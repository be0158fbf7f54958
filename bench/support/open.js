/**
 * One start in a process of its own, with the compiled code. Usage: open.js alone|check|cold|warm FOLDER
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

async function open() {
  const { openFileCatalogue } = await import('../../dist/files/file-catalogue.js');
  const start = performance.now();
  const catalogue = await openFileCatalogue(root, { cache: true });
  await catalogue.load();
  const time = performance.now() - start;
  globalThis.gc?.();
  await catalogue.close();
  return time;
}

async function check() {
  const start = performance.now();
  const { checkFolder } = await import('../../dist/files/folder.js');
  const { problems } = await checkFolder(root);
  if (problems.length) throw new Error(problems[0].message);
  return performance.now() - start;
}

const time = await { alone, check, cold: open, warm: open }[how]();
console.log(JSON.stringify({ seconds: time / 1000, memory: process.memoryUsage().rss / 1e6 }));
