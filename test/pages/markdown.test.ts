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

it('a table of very many cells is shown as text: each short row would get all of them', () => {
  const head = (count: number) => `${'|a'.repeat(count)}|\n${'|-'.repeat(count)}|\n`;
  for (const [columns, rows] of [
    [250, 1500],
    [20, 2500],
  ] as const) {
    const text = `Before\n\n${head(columns)}${'x\n'.repeat(rows)}\nAfter\n`;
    assert.doesNotMatch(html(text), /<table/);
    assert.match(html(text), /<code>\|a\|a[^<]*\nx\nx\n[^<]*<\/code>.*<p>After<\/p>/s);
  }
  assert.equal(html(`${head(20)}${'x\n'.repeat(400)}`).match(/<td/g)?.length, 8000);
  // Lines that look like the second one of a table begin none by themselves.
  assert.equal(html('---\n'.repeat(12_000)).match(/<hr>/g)?.length, 12_000);
});

it('the first paragraph is the first of prose: headings, badges and tables say little in a list', () => {
  const prose = 'Counts of *trees* by district.';
  const plain = 'Counts of trees by district.';
  for (const beginning of [
    '# Trees\n\n',
    'Trees\n=====\n',
    '# Trees\n## About\n',
    '[![ok](https://a.example/b.svg)](https://c.example/)\n\n',
    '| a |\n|---|\n| b |\n\n',
  ])
    assert.equal(firstParagraph(`${beginning}${prose}\n\nMore.`), plain, beginning);
  assert.equal(firstParagraph('## Columns\n\n- `a`: first\n- `b`: second'), 'a: first');
  assert.equal(firstParagraph('# Trees'), 'Trees');
  assert.equal(firstParagraph('![Map](https://a.example/m.png)'), 'Map');
});

it('the part of a text that is not folded ends with its first paragraph, also below headings', () => {
  const parts = (text: string) => {
    const { first, rest } = renderMarkdown(text, { tableLabel: 'Table', codeLabel: 'Code' });
    return [first, rest].map((part) => part.replace(/<[^>]+>/g, '').trim());
  };
  assert.deepEqual(parts('# Trees\n\nCounted.\n\nMore.'), ['Trees\nCounted.', 'More.']);
  assert.deepEqual(parts('Counted.\n\nMore.'), ['Counted.', 'More.']);
  assert.deepEqual(parts('# Trees\n\n- a\n\nMore.'), ['', 'Trees\n\na\n\nMore.']);
  assert.deepEqual(parts('# Trees'), ['', 'Trees']);
});

it('a text is rendered once, for each language', () => {
  const table = '|a|\n|-|\n|1|\n';
  const texts = { tableLabel: 'Table', codeLabel: 'Code' };
  const rendered = renderMarkdown(table, texts);
  assert.equal(renderMarkdown(table, { ...texts }), rendered);
  assert.match(rendered.first + rendered.rest, /aria-label="Table"/);
  const { first, rest } = renderMarkdown(table, { ...texts, tableLabel: 'Tabelle' });
  assert.match(first + rest, /aria-label="Tabelle"/);
});

it('an address that is defined once fills no page, however often it is used', () => {
  const address = `https://a.example/${'y'.repeat(9_000)}`;
  const uses = (text: string) => html(`[a]: ${address}\n\n${text.repeat(15_000)}`);
  for (const [text, expected] of [
    [
      '[a] ',
      /^<p><a href="https:\/\/a\.example\/y{9000}" rel="nofollow ugc">a<\/a> .* <a rel="nofollow ugc">a<\/a><\/p>$/,
    ],
    ['![b][a] ', /^<p><a href="https:\/\/a\.example\/y{9000}" rel="nofollow ugc">b<\/a> .* b<\/p>$/],
    [
      '![][a] ',
      /^<p><a href="https:\/\/a\.example\/y{9000}" rel="nofollow ugc">https:\/\/a\.example\/y{9000}<\/a> .*<\/a> *!\[\]<\/p>$/,
    ],
    [
      '[![][a]](https://b.example/) ',
      /^<p><a href="https:\/\/b\.example\/" rel="nofollow ugc">https:\/\/a\.example\/y{9000}<\/a> .*<a rel="nofollow ugc"><\/a> .*<\/p>$/,
    ],
  ] as const) {
    const found = uses(text);
    assert.ok(found.length < 2_000_000, `${found.length} characters`);
    assert.match(found.trim(), expected);
  }
  const links = html('[a]: https://a.example/\n\n'.concat('[a] '.repeat(9_000)));
  assert.equal(links.split('href="https://a.example/"').length, 9_001);
});
