/** The accent colour of a catalogue: readable in both schemes, or a problem of the file with its place. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { accentColours, contrastOf, isReadableAccent, nearestReadableAccent } from '../../src/catalogue/colour.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

it('contrast is that of WCAG', () => {
  assert.equal(contrastOf('#000', '#ffffff'), 21);
  assert.equal(contrastOf('#777777', '#fff').toFixed(2), '4.48');
});

it('an accent is readable in both schemes, and a colour that is not has one near', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
  fc.assert(
    fc.property(colour, (text) => {
      const near = nearestReadableAccent(text) as string;
      assert.ok(isReadableAccent(near), near);
      const colours = accentColours(near);
      assert.ok(colours && contrastOf(colours.dark.accent, '#1f2427') >= 4.5, text);
      assert.ok(contrastOf(colours.dark.accent, colours.dark.onAccent) >= 4.5 && contrastOf(near, '#ffffff') >= 4.5);
    }),
  );
  assert.equal(accentColours('teal'), null);
});

it('pages have the accent, the logo and the links of catalogue.yaml', async (t) => {
  const settings = {
    accent: '#7a1f5c',
    logo: '/site_media/logo.png',
    footer: { Imprint: 'https://example.org/imprint', Help: '/help' },
  };
  const { base } = await served({ settings }, t);
  const html = await (await fetch(base, { headers: { Accept: 'text/html' } })).text();
  const [, sheet = ''] = /href="([^"]*\/accent-7a1f5c\.css)"/.exec(html) ?? [];
  const style = await fetch(base + sheet);
  assert.match(await style.text(), /--accent: #7a1f5c/);
  assert.match(style.headers.get('cache-control') ?? '', /immutable/);
  assert.match(html, /<img class="logo" src="\/site_media\/logo\.png"/);
  assert.match(html, /<a href="https:\/\/example\.org\/imprint"[^>]*>Imprint<\/a>/);
});

it('an accent in which nothing can be read is a problem with line and column, and pages keep their own', async (t) => {
  const content = { files: { 'catalogue.yaml': 'title: Parks\naccent: "#ffe066"\n' } };
  const root = await makeRoot({ ...content, settings: {} });
  const { out, err } = await type(['check'], { cwd: root, env: { CATALOGUE_DATA: root } });
  assert.match(
    out + err,
    /catalogue\.yaml:2:\d+.*accent "#ffe066" is not a colour .*contrast 4\.5:1.* Did you mean "#[0-9a-f]{6}"\?/s,
  );
  const { base } = await served(content, t);
  const html = await (await fetch(base, { headers: { Accept: 'text/html' } })).text();
  assert.doesNotMatch(html, /accent-/);
});
