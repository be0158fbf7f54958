/** Forms of rows, as the query strings that they stand for. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { localeFor } from '../../src/pages/locale.ts';
import { queryOfAreaForm } from '../../src/pages/row-forms.ts';

it('the form of an area keeps all other filters, the empty text among them', () => {
  const query = new URLSearchParams('state=&kind=oak&_west=4&_south=&_east=&_north=&_page=3');
  assert.equal(queryOfAreaForm(query, localeFor('en')), '?state=&kind=oak&bbox=4,-90,180,90');
});
