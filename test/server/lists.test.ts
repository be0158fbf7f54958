/** Parameters of lists. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { served } from '../support/served.ts';

const { base } = await served({
  settings: { people: 'public' },
  namespaces: { parks: { label: 'Parks' } },
  datasets: { 'parks/trees': { label: 'Trees' }, 'parks/benches': { label: 'Benches' } },
});
const ask = async (path: string) => {
  const answer = await fetch(`${base}/api/v1/${path}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe('a mistyped parameter', () => {
  const table: readonly (readonly [list: string, parameter: string, meant: string])[] = [
    ['datasets', 'serch', 'search'],
    ['datasets', '_search', 'search'],
    ['datasets', 'Search', 'search'],
    ['datasets', 'keywords', 'keyword'],
    ['datasets', 'license', 'licence'],
    ['datasets', 'pagesize', 'page_size'],
    ['datasets', 'odering', 'ordering'],
    ['namespaces/parks/datasets', 'lable', 'label'],
    ['versions', 'redy', 'ready'],
    ['namespaces', 'owners', 'owner'],
    ['users', 'groups', 'group'],
    ['groups', 'members', 'member'],
    ['queries', 'datset', 'dataset'],
    ['intrinsecus', 'stauts', 'status'],
    ['namespaces/parks/history', 'pages', 'page'],
  ];
  for (const [list, parameter, meant] of table)
    it(`${list}/?${parameter}= is refused with the right one`, async () => {
      const { status, body } = await ask(`${list}/?${parameter}=x`);
      assert.equal(status, 400);
      assert.deepEqual(body, { [parameter]: [`Unknown parameter "${parameter}". Did you mean "${meant}"?`] });
    });

  it('and others are ignored, and kept in links', async () => {
    const query = 'alpha=2&lang=de&utm_source=x&v=1&zeta=1';
    const { status, body } = await ask(`datasets/?${query}&page_size=1`);
    assert.equal(status, 200);
    assert.equal(body.next, `${base}/api/v1/datasets/?alpha=2&lang=de&page=2&page_size=1&utm_source=x&v=1&zeta=1`);
    for (const name of ['sort', 'order', 'q', 'limit', 'offset', 'key', 'ref', '_', 'cache'])
      assert.equal((await ask(`datasets/?${name}=x`)).status, 200, name);
  });
});
