/**
 * One start in a process of its own, with the compiled code. Usage: open.js alone|check|cold|warm FOLDER
 * `alone` only finds, reads and parses the files: what every start must do at least.
 */
import { readdirSync, readFileSync } from 'node:fs';

const [, , how, root] = process.argv;

async function alone() {
  const { CORE_SCHEMA, load } = await import('js-yaml');
  const start = performance.now();
  const read = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith('.')) read(path);
      else if (entry.name.endsWith('.yaml')) load(readFileSync(path, 'utf8'), { schema: CORE_SCHEMA });
    }
  };
  read(root);
  return measured(start);
}

function measured(start) {
  return { time: performance.now() - start, memory: process.memoryUsage().rss };
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

async function check() {
  const start = performance.now();
  const { checkFolder } = await import('../../dist/files/folder.js');
  const { problems } = await checkFolder(root);
  if (problems.length) throw new Error(problems[0].message);
  return measured(start);
}

const { time, memory } = await { alone, check, cold: open, warm: open }[how]();
console.log(JSON.stringify({ seconds: time / 1000, memory: memory / 1e6 }));
