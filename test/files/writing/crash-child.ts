/**
 * A writer for crash.test.ts, until it is killed: `<root> <namespace> <first number>`. It says what it has done once it
 * is done: `edited d1 7`, `made n8`, `begun n9` and soon `removed n9`, `published <slug> 10`, `counted`.
 */
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { commitSingleStep } from '../../../src/files/transaction.ts';

const [root = '', namespace = '', first] = process.argv.slice(2);
let number = Number(first);
// At once, and not when the event loop finds the time: what was said must have been heard.
const say = (...words: readonly unknown[]) => writeSync(1, `${words.join(' ')}\n`);

const files = await openFileCatalogue(root);
const catalogue = files.for();
const dataset = (slug: string) => ({ kind: 'dataset', namespace, slug }) as const;
// Everything is read before the first kill may come.
await catalogue.list('dataset', {});

async function edits(slug: string) {
  const n = ++number;
  await catalogue.edit(dataset(slug), { description: `${n} ${'x'.repeat(n % 5000)}`, keywords: [`k${n}`] });
  say('edited', slug, n);
}

async function makes() {
  const slug = `n${++number}`;
  const stays = number % 2 === 0;
  await catalogue.create('dataset', { namespace, slug, label: slug });
  say(stays ? 'made' : 'begun', slug);
  if (stays) return;
  await catalogue.remove(dataset(slug));
  say('removed', slug);
}

async function publishes() {
  const n = ++number;
  // Now and then a column comes or goes, so that the dataset's own record changes too.
  const text = n % 3 ? `a,b\n${n},2\n` : `a\n${n}\n`;
  const upload = { source: Readable.from([Buffer.from(text)]), fileName: 'a.csv' };
  const { version } = await catalogue.publish(dataset('versions'), upload);
  say('published', version.slug, n);
}

async function counts() {
  const set = ({ publisher }: { readonly publisher?: unknown }) => ({ publisher: String(Number(publisher ?? 0) + 1) });
  const path = 'namespaces/shared/datasets/counter/dataset.yaml';
  await commitSingleStep(files.access(), { changes: [{ do: 'edit', path, set }] }, { message: () => 'Count' });
  say('counted');
}

async function forever(work: () => Promise<void>) {
  for (;;) await work();
}

say('ready');
await Promise.all([() => edits('d1'), () => edits('d2'), makes, publishes, counts].map(forever));
