/**
 * A writer for crash.test.ts, until it is killed, in several catalogues at the same time: `<namespace> <first number> <root>…`. It says
 * what it has done once it is done, behind the number of the catalogue: `0 edited d1 7`, `0 made n8`, `1 begun n9` and soon
 * `1 removed n9`, `0 published <slug> 10`, `1 counted`.
 */
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { commitSingleStep } from '../../../src/files/transaction.ts';

const [namespace = '', first, ...roots] = process.argv.slice(2);
let number = Number(first);
// At once, and not when the event loop finds the time: what was said must have been heard.
const say = (...words: readonly unknown[]) => writeSync(1, `${words.join(' ')}\n`);

const dataset = (slug: string) => ({ kind: 'dataset', namespace, slug }) as const;

const opened = await Promise.all(
  roots.map(async (root, i) => {
    const files = await openFileCatalogue(root);
    const catalogue = files.for();
    // Everything is read before the first kill may come.
    await catalogue.list('dataset', {});
    return { files, catalogue, say: (...words: readonly unknown[]) => say(i, ...words) };
  }),
);
type Opened = (typeof opened)[number];

async function edits({ catalogue, say }: Opened, slug: string) {
  const n = ++number;
  await catalogue.edit(dataset(slug), { description: `${n} ${'x'.repeat(n % 5000)}`, keywords: [`k${n}`] });
  say('edited', slug, n);
}

async function makes({ catalogue, say }: Opened) {
  const slug = `n${++number}`;
  const stays = number % 2 === 0;
  await catalogue.create('dataset', { namespace, slug, label: slug });
  say(stays ? 'made' : 'begun', slug);
  if (stays) return;
  await catalogue.remove(dataset(slug));
  say('removed', slug);
}

async function publishes({ catalogue, say }: Opened) {
  const n = ++number;
  // Now and then a column comes or goes, so that the dataset's own record changes too.
  const text = n % 3 ? `a,b\n${n},2\n` : `a\n${n}\n`;
  const upload = { source: Readable.from([Buffer.from(text)]), fileName: 'a.csv' };
  const { version } = await catalogue.publish(dataset('versions'), upload);
  say('published', version.slug, n);
}

async function counts({ files, say }: Opened) {
  const set = ({ publisher }: { readonly publisher?: unknown }) => ({ publisher: String(Number(publisher ?? 0) + 1) });
  const path = 'namespaces/shared/datasets/counter/dataset.yaml';
  await commitSingleStep(files.access(), { changes: [{ do: 'edit', path, set }] }, { message: () => 'Count' });
  say('counted');
}

async function forever(work: () => Promise<void>) {
  for (;;) await work();
}

say('ready');
await Promise.all(
  opened.flatMap((one) =>
    [() => edits(one, 'd1'), () => edits(one, 'd2'), () => makes(one), () => publishes(one), () => counts(one)].map(
      forever,
    ),
  ),
);
