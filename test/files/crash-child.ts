/**
 * A writer for crash.test.ts, until it is killed: `<root> <namespace> <first number>`. It says what it has done once it
 * is done: `edited d1 7`, `made n8`, `begun n9` and soon `removed n9`, `published <slug> 10`, `counted`.
 */
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { openFolder } from '../../src/files/file-catalogue.ts';
import { editRecord } from '../../src/files/pen.ts';

const [root = '', namespace = '', first = '0'] = process.argv.slice(2);
let number = Number(first);
// At once, and not when the event loop finds the time: what was said must have been heard.
const say = (...words: readonly (string | number)[]) => writeSync(1, `${words.join(' ')}\n`);

const catalogue = (await openFolder(root)).for();
const dataset = (slug: string) => ({ kind: 'dataset', namespace, slug }) as const;
// Everything is read before the first kill may come.
await catalogue.list('dataset', {});

async function edits(slug: string): Promise<void> {
  const n = ++number;
  await catalogue.edit(dataset(slug), { description: `${n} ${'x'.repeat(n % 5000)}`, keywords: [`k${n}`] });
  say('edited', slug, n);
}

async function makes(): Promise<void> {
  const slug = `n${++number}`;
  const stays = number % 2 === 0;
  await catalogue.create('dataset', { namespace, slug, label: slug });
  say(stays ? 'made' : 'begun', slug);
  if (stays) return;
  await catalogue.remove(dataset(slug));
  say('removed', slug);
}

async function publishes(): Promise<void> {
  const n = ++number;
  // Now and then a column comes or goes, so that the dataset's own record changes too.
  const text = n % 3 ? `a,b\n${n},2\n` : `a\n${n}\n`;
  const upload = { source: Readable.from([Buffer.from(text)]), fileName: 'a.csv' };
  const { version } = await catalogue.publish(dataset('versions'), upload);
  say('published', version.slug, n);
}

async function counts(): Promise<void> {
  const increment = ({ contact }: Readonly<Record<string, unknown>>) => ({ contact: String(Number(contact ?? 0) + 1) });
  await editRecord(root, 'namespaces/shared/datasets/counter/dataset.yaml', increment, ['label', 'contact']);
  say('counted');
}

async function forever(work: () => Promise<void>): Promise<never> {
  for (;;) await work();
}

say('ready');
await Promise.all([() => edits('d1'), () => edits('d2'), makes, publishes, counts].map(forever));
