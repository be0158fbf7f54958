/** Parts of pages in docs/ that are made of the program or of measured figures, between two comments. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (page: string) => fileURLToPath(new URL(`../../docs/${page}`, import.meta.url));

/** The text of a page in docs/. */
export const readDocs = (page: string): string => readFileSync(pathOf(page), 'utf8');

/** Rows of cells as Markdown. */
export const tableOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** A text as a cell of a table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

/**
 * Compares the text between two comments with what it should be; with `UPDATE_DOCS=1`, writes it.
 * @param mark name in the comments: `<!-- mark -->` and `<!-- /mark -->`
 * @param test word that runs the test
 */
export function assertGenerated(page: string, mark: string, expected: string, test = 'docs/references'): void {
  const text = readDocs(page);
  const part = new RegExp(`(<!-- ${mark} -->\n)[\\s\\S]*(<!-- /${mark} -->)`);
  assert.match(text, part, `docs/${page}`);
  const shown = text.replace(part, (_, a, b) => `${a}${expected}\n${b}`);
  if (process.env.UPDATE_DOCS) writeFileSync(pathOf(page), shown);
  else assert.equal(text, shown, `docs/${page}: to write this part: UPDATE_DOCS=1 npm test -- ${test}`);
}
