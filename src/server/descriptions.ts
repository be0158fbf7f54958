/**
 * Long descriptions in Markdown, rendered in a worker thread before the page that shows them: markdown-it reads a text at once, and
 * 100 kB of items, cells or brackets take it half a second.
 */
import { UnavailableError } from '../catalogue/errors.ts';
import { moduleBeside } from '../data/module-beside.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { keepRendered, takesLong } from '../pages/markdown.ts';
import type { PageContext } from '../pages/page-context.ts';
import { proseTexts } from '../pages/prose.tsx';
import type { Representation } from './route.ts';

const threads = new WorkerPool({ size: 1 });
const tasks = moduleBeside(import.meta.url, './descriptions-thread');

/** Renders the description of a page, if that takes long; the page then finds the text that is kept. */
export async function renderDescription(
  { description = '' }: Pick<Representation, 'description'>,
  { locale }: PageContext,
): Promise<void> {
  const texts = proseTexts(locale);
  if (!takesLong(description, texts)) return;
  type Tasks = typeof import('./descriptions-thread.ts');
  const render = threads.run<Tasks, 'renderMarkdown'>(tasks, 'renderMarkdown', [description, texts]);
  try {
    keepRendered(description, texts, await render);
  } catch (error) {
    // If the thread has died, the page renders the text itself.
    if (!(error instanceof UnavailableError)) throw error;
  }
}
