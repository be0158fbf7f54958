/** Descriptions in Markdown: what becomes of pictures, links and tables. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstParagraph, renderMarkdown } from '../../src/pages/markdown.ts';

const html = (text: string): string => {
  const { first, rest } = renderMarkdown(text, { tableLabel: 'Table', codeLabel: 'Code' });
  return first + rest;
};
const link = (href: string, text: string) => `<a href="${href}" rel="nofollow ugc">${text}</a>`;

it('a picture is a link to it, or in a link the text of that link', () => {
  assert.equal(html('![Map](https://a.example/m.png)'), `<p>${link('https://a.example/m.png', 'Map')}</p>\n`);
  assert.equal(
    html('[![Build](https://a.example/b.svg)](https://ci.example/) and ![x<y](https://a.example/c.svg)'),
    `<p>${link('https://ci.example/', 'Build')} and ${link('https://a.example/c.svg', 'x&lt;y')}</p>\n`,
  );
});

it('columns of a table are aligned by a class: the policy of pages admits no style in an attribute', () => {
  const table = html('| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |\n');
  assert.match(table, /<th>a<\/th>\s<th class="num">b<\/th>/);
  assert.match(table, /<td class="num">2<\/td>/);
  assert.doesNotMatch(table, /style/);
});

it('the first paragraph of a long text without blanks ends with a whole character', () => {
  assert.equal(firstParagraph(`a${'😀'.repeat(20)}`, 10), `a${'😀'.repeat(4)}…`);
  assert.equal(firstParagraph('One two three four', 10), 'One two…');
});
