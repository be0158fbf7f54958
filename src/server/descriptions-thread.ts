/** Rendering Markdown in a worker thread (`descriptions.ts`). */
export { renderMarkdown } from '../pages/markdown.ts';
