/** Forms of rows, as the query strings that they stand for. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Column } from '../../src/catalogue/types.ts';
import { localeFor } from '../../src/pages/locale.ts';
import { queryOfAreaForm } from '../../src/pages/row-forms.ts';

it('the form of an area keeps all other filters, the empty text among them', () => {
  const query = new URLSearchParams('state=&kind=oak&_west=4&_south=&_east=&_north=&_page=3');
  assert.equal(queryOfAreaForm(query, localeFor('en'), []), '?state=&kind=oak&bbox=4,-90,180,90');
});

it('the form of an area names its box so that no column is meant', () => {
  const query = new URLSearchParams('bbox__exact=a&_bbox=1,2,3,4&_west=4&_south=5&_east=6&_north=7');
  const columns = [{ name: 'bbox' }] as unknown as readonly Column[];
  assert.equal(queryOfAreaForm(query, localeFor('en'), columns), '?bbox__exact=a&_bbox=4,5,6,7');
});

it('the form of an area in a list of datasets leaves out filters without a text', () => {
  const query = new URLSearchParams('search=&keyword=oak&bbox=1,2,3,4&_west=&_south=&_east=&_north=');
  assert.equal(queryOfAreaForm(query, localeFor('en'), null), '?keyword=oak');
});
