/** What pages of lists and of queries say beside the records: changes, reasons of hits, counts, first rows. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

describe('a page', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const trees = { kind: 'dataset', namespace: 'lab', slug: 'trees' } as const;
  let first = '';
  const page = async (path: string) => {
    const response = await fetch(server.base + path, { headers: { Accept: 'text/html' } });
    // What isolates names and values changes no words.
    return { status: response.status, text: (await response.text()).replace(/<\/?bdi>/g, '').replace(/\s+/g, ' ') };
  };

  before(async () => {
    workshop = await makeWorkshop();
    const { catalogue } = workshop;
    const rows = Array.from({ length: 20 }, (_, i) => `${i % 2 ? 'oak' : 'elm'},${i}`).join('\n');
    ({ slug: first } = (await workshop.publish('trees', 'trees.csv', `kind,height\n${rows}\n`)).version);
    const renames = [{ from: 'kind', to: 'species' }];
    const source = Readable.from([`species,height\n${rows}\n`]);
    await catalogue.publish(trees, { source, fileName: 'trees.csv', renames });
    const description = `Trees of the town.\n\n${'Many words. '.repeat(20)}They were *counted* by volunteers of the arboretum, street by street.`;
    await catalogue.edit(trees, { description });
    const query = { dataset: 'lab/trees', description: '' };
    await catalogue.create('query', {
      ...{ ...query, label: 'Tall oaks', slug: 'tall' },
      parameters: { species: 'oak', height__gte: '3', _ordering: '-height', _limit: '5' },
    });
    await catalogue.create('query', {
      ...{ ...query, label: 'By kind', slug: 'kinds', version: first },
      parameters: { _group_by: 'kind', _aggregate: 'count AS trees' },
    });
    await workshop.publish('codes', 'codes.csv', 'code,height\n"007",1\n"010",2\n');
    await workshop.publish('notes', 'README', 'Only words.');
    const links = { '': 'https://example.org/nameless' };
    const contact = 'mailto:ann@example.org';
    await catalogue.edit({ kind: 'dataset', namespace: 'lab', slug: 'notes' }, { contact, links });
    const keywords = Array.from({ length: 50 }, (_, i) => `word-${i}`);
    await catalogue.edit(
      { ...trees, slug: 'codes' },
      { licence: 'CC-BY-NC-ND-4.0', keywords, publisher: 'بلدية الرياض' },
    );
    const codes = { dataset: 'lab/codes', description: '' };
    await catalogue.create('query', { ...codes, label: 'Class', slug: 'class', parameters: { height__gte: '1' } });
    await catalogue.create('query', { ...query, label: 'Wrong', slug: 'wrong', parameters: { girth: '3' } });
    // As another tool writes it: without columns.
    const bare = join(workshop.root, 'namespaces/lab/datasets/bare');
    for (const folder of ['data', 'versions']) mkdirSync(join(bare, folder), { recursive: true });
    const bytes = 'a,b,c\n1,2,3\n4,5,6\n';
    const checksum = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(bare, 'dataset.yaml'), 'id: 71\nlabel: Bare\n');
    writeFileSync(join(bare, 'versions/v1.yaml'), `id: 72\nchecksum: ${checksum}\nfile:\n  name: v1.csv\n`);
    writeFileSync(join(bare, 'data/v1.csv'), bytes);
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('of a dataset whose record has no columns counts those of the data', async () => {
    const path = '/api/v1/namespaces/lab/datasets/bare/';
    for (const one of [path, `${path}version/v1/`]) {
      await until(async () => /of 2 rows, /.test((await page(one)).text));
      assert.match((await page(one)).text, /2 of 2 rows, 3 of 3 columns/);
    }
  });

  it('of a list in parts has one landmark with the links to the others', async () => {
    for (const path of [
      '/api/v1/namespaces/lab/datasets/trees/version/?page_size=1',
      '/ogc/collections/lab.trees/items?limit=2',
    ]) {
      const { text } = await page(path);
      assert.equal(text.split('<nav class="pager" aria-label="Pages">').length - 1, 1, path);
      assert.equal(text.split('class="pager"').length - 1, 2, path);
    }
  });

  it('of one row has the number of the row in its title', async () => {
    const path = '/api/v1/namespaces/lab/datasets/trees/data/';
    assert.match((await page(`${path}?_limit=1&_offset=3`)).text, /<title>Row 4 of trees /);
    const words = async (query: string) => (await page(`${path}?${query}`)).text.replaceAll(/<[^>]*>/g, '');
    assert.match(await words('_limit=1&_offset=3'), /Row 4 of \d+/);
    assert.doesNotMatch(await words('_limit=1&_offset=3'), /rows match/);
    assert.match((await page(path)).text, /<title>Rows of trees /);
  });

  it('of groups names the filters of the rows, each with a link that removes it', async () => {
    const path = '/api/v1/namespaces/lab/datasets/trees/data/';
    const { text } = await page(`${path}?_group_by=species&_aggregate=count&height__gte=4`);
    const chip = /<p class="chips"> ?<a href="([^"]*)"[^>]*>.*?<span>([^<]*)</.exec(text);
    assert.deepEqual(chip?.slice(1), [`${path}?_group_by=species&amp;_aggregate=count`, 'height at least 4']);
    assert.doesNotMatch(text, /name="_lookup"/);
    assert.doesNotMatch((await page(`${path}?_group_by=species&_aggregate=count`)).text, /class="filters"/);
  });

  it('of home names a renamed column, and no rows that changed if none did', async () => {
    const text = await until(async () => {
      const home = await page('/');
      return home.text.includes('column renamed') && home.text;
    });
    assert.match(text, /~ 1 column renamed: kind → species/);
    assert.doesNotMatch(text, /\+0|−0|~0/);
  });

  it('of a search says where in the description a word was found', async () => {
    const { text } = await page('/api/v1/datasets/?search=arboretum');
    const [, found = ''] = /<p class="why">(.*?)<\/p>/.exec(text) ?? [];
    assert.match(
      found.replace(/<\/?bdi[^>]*>/g, ''),
      /^Found in the description: “… .*They were counted by volunteers of the <mark>arboretum<\/mark>, street by street\.”$/,
    );
    assert.doesNotMatch((await page('/api/v1/datasets/?search=town')).text, /Found in the description/);
  });

  it('of namespaces counts their datasets', async () => {
    assert.match((await page('/api/v1/namespaces/')).text, /lab · 4 datasets</);
  });

  it('of a query has the first rows that it finds, in words and in order', async () => {
    const { text } = await page('/api/v1/queries/tall/');
    assert.match(text, /species is oak<.*height at least 3<.*ordered by height \(descending\)</);
    const heights = [...text.matchAll(/<td class="num"[^>]*>(\d+)<\/td>/g)].map(([, height]) => height);
    assert.deepEqual(heights, ['19', '17', '15', '13', '11'], 'no more than it asks for');
    assert.match(text, /5 of 9 rows, 2 of 2 columns/);
  });

  it('of a query asks the version of the query, and shows groups', async () => {
    const { text } = await page('/api/v1/queries/kinds/');
    assert.match(text, /<th[^>]*>.*?trees.*?<td[^>]*>oak<\/td>\s*<td class="num"[^>]*>10<\/td>/);
    assert.match(text, /<li>grouped by kind<.*<li>values of the groups: count AS trees</);
    // Nobody has said their types, and no page shows one of the groups.
    assert.doesNotMatch(text, /class="type |_limit=1&/);
  });

  it('of a query has lines to copy that keep texts as texts, and names that no language reserves', async () => {
    const { text } = await page('/api/v1/queries/class/');
    assert.match(text, /data_class = pd\.read_csv\(/);
    assert.match(text, /dtype=\{(&quot;|"|<[^>]*>)*code/);
  });

  it('of a dataset with a file that is no table has its size, and a contact that can be written to', async () => {
    const { text } = await page('/api/v1/namespaces/lab/datasets/notes/');
    assert.match(text, /<a href="mailto:ann@example\.org">ann@example\.org<\/a>/);
    const hits = (await page('/api/v1/datasets/?search=notes')).text.split('<li class="hit">');
    const hit = hits.find((one) => one.includes('datasets/notes/')) ?? '';
    assert.match(hit, />11 bytes</);
    assert.doesNotMatch(hit, /no data yet/);
  });

  it('of a dataset shows the address of a link without a name', async () => {
    const { text } = await page('/api/v1/namespaces/lab/datasets/notes/');
    assert.match(text, /<a href="https:\/\/example.org\/nameless"[^>]*>https:\/\/example.org\/nameless<\/a>/);
  });

  it('of a dataset with many keywords has the first of them above its rows, and the others folded', async () => {
    const { text } = await page('/api/v1/namespaces/lab/datasets/codes/');
    const [, shown = '', folded = ''] =
      /<dt>Keywords<\/dt><dd>(.*?)<details><summary>30 more<\/summary>(.*?)<\/details>/.exec(text) ?? [];
    assert.match(shown, />word-19<\/a><\/span>$/);
    assert.match(folded, /^<span class="keys"><a [^>]*>word-20<.*>word-49<\/a><\/span>$/);
  });

  it('of a dataset under CC BY-NC-ND names no change among the duties', async () => {
    const duties = async (language: string) => {
      const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/codes/`, {
        headers: { Accept: 'text/html', 'Accept-Language': language },
      });
      return [...(await response.text()).matchAll(/<li class="must">([^<]*)/g)].map(([, text = '']) => text);
    };
    assert.ok((await duties('en')).includes('Not for commercial purposes.'));
    assert.ok((await duties('de')).includes('Nicht für kommerzielle Zwecke.'));
    assert.ok((await duties('fr')).includes('Sans but commercial.'));
  });

  it('of a dataset cites it in CSL-JSON as a list of items', async () => {
    const { text } = await page('/api/v1/namespaces/lab/datasets/trees/');
    const [, code = ''] = /aria-label="CSL-JSON"[^>]*>(.*?)<\/code>/.exec(text) ?? [];
    const items = JSON.parse(code.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"'));
    assert.deepEqual([items.length, items[0].type], [1, 'dataset']);
  });

  it('of a dataset has no marks of direction in the citation that is copied', async () => {
    const { text } = await page('/api/v1/namespaces/lab/datasets/codes/');
    assert.match(text, />بلدية الرياض \(\d{4}\)/);
    assert.doesNotMatch(text, /<code>[^<]*[\u2068\u2069]/);
  });

  it('of a query that asks for an unknown column says so', async () => {
    const { status, text } = await page('/api/v1/queries/wrong/');
    assert.equal(status, 200);
    assert.match(text, /<p class="soft">[^<]*girth/);
    // Its rows are at no address.
    assert.doesNotMatch(text, /data\.excel/);
    assert.match((await page('/api/v1/queries/tall/')).text, /data\.excel/);
  });

  it('of a version says whether it is the newest, once', async () => {
    const { text } = await page(`/api/v1/namespaces/lab/datasets/trees/version/${first}/`);
    assert.match(text, /This is not the newest version.*<\/time>, one of 2</);
    assert.match((await page('/api/v1/namespaces/lab/datasets/trees/')).text, /<\/time>, newest of 2</);
  });

  it('of an unknown address says it once', async () => {
    const { status, text } = await page('/api/v1/namespaces/lab/datasets/tress/');
    assert.equal(status, 404);
    assert.match(text, /There is nothing at this address/);
    assert.doesNotMatch(text, /Not found\./);
  });

  it('of a column has its type in the newest version', async () => {
    const { text } = await page('/api/v1/namespaces/lab/datasets/trees/columns/height/');
    assert.doesNotMatch(text, /not recorded/);
    assert.match(text, /<td>integer<\/td>/);
  });
});

describe('the page of rows', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const data = '/api/v1/namespaces/lab/datasets/quakes/data/';
  const page = async (query: string, language = 'en') => {
    const headers = { Accept: 'text/html', 'Accept-Language': language };
    const response = await fetch(new URL(query, server.base + data), { headers });
    const text = (await response.text())
      .replace(/<\/?bdi>/g, '')
      .replace(/\s+/g, ' ')
      .replaceAll('&amp;', '&');
    return { url: response.url.slice(response.url.indexOf('?')), text };
  };

  before(async () => {
    workshop = await makeWorkshop();
    const rows = Array.from({ length: 20 }, (_, i) => `${i},${i % 2 ? 'ml' : 'mb'},${i % 4},p${i % 5}`).join('\n');
    await workshop.publish('quakes', 'quakes.csv', `mag,magType,page,format\n${rows}\n`);
    const roads = Array.from({ length: 1250 }, (_, i) => `${i < 1200 ? 50 : 5000},${i},${i % 3}`).join('\n');
    await workshop.publish('roads', 'roads.csv', `limit,road,width\n${roads}\n`);
    await workshop.publish('signs', 'signs.csv', `limit,lon,lat\n${roads.replaceAll(/,\d+,/g, ',5,')}\n`);
    await workshop.catalogue.create('query', {
      ...{ label: 'Fast', slug: 'fast', dataset: 'lab/roads', parameters: { limit: '5000' } },
    });
    await workshop.catalogue.create('query', {
      ...{ label: 'Walk', slug: 'walk', dataset: 'lab/roads', parameters: { limit: '5', road__lt: '9' } },
    });
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('adds a filter of a column that is called like a parameter', async () => {
    const filters = [
      { column: 'page', value: '3', matched: 5 },
      { column: 'format', value: 'p1', matched: 2 },
    ];
    for (const { column, value, matched } of filters) {
      const { url, text } = await page(`?magType=ml&_add=${column}&_lookup=exact&_value=${value}`);
      assert.equal(url, `?magType=ml&${column}__exact=${value}`);
      assert.ok(text.includes(`<b>${matched}</b> of 20 rows match`), url);
      assert.match(text, new RegExp(`<a href="[^"]*data/\\?magType=ml"[^>]*>.{0,90}>${column} is ${value}<`));
    }
    assert.equal((await page('?_add=page&_lookup=gte&_value=2')).url, '?page__gte=2');
  });

  it('takes no filter of such a column for a parameter, as the data does', async () => {
    const { text } = await page('../../roads/data/?limit=50&_ordering=-road');
    assert.ok(text.includes('<b>1,200</b> of 1,250 rows match'));
    assert.equal(text.match(/<tr[ >]/g)?.length, 101, 'a page of rows');
    assert.match(text, />limit is 50</);
    assert.match(text, /href="[^"]*data\.csv\?limit__exact=50&_ordering=-road"/);
    assert.match(text, /<a href="[^"]*data\/\?limit__exact=50&_ordering=-road&_offset=100"/);
    const fast = await page('../../roads/data/?limit=5000');
    assert.ok(fast.text.includes('<b>50</b> of 1,250 rows match'));
    const saved = await page('/api/v1/queries/fast/data/');
    assert.ok(saved.text.includes('<b>50</b> of 1,250 rows match'));
    assert.match((await page('/api/v1/queries/fast/')).text, />50 rows</);
    assert.match((await page('../../signs/data/?limit=5000')).text, /map\.svg\?limit__exact=5000&_width=/);
    assert.match((await page('../../signs/embed/?limit=5000')).text, /map\.svg\?limit__exact=5000"/);
  });

  it('names a wrong filter of such a column as the address does, and leaves it out', async () => {
    for (const path of ['data/', 'embed/']) {
      const { text } = await page(`../../roads/${path}?road=1&limit=abc`);
      assert.match(text, /<code dir="auto">limit<\/code>/, path);
      assert.match(text, new RegExp(`<a href="[^"]*/roads/${path}\\?road=1">Show it without limit<`), path);
      assert.match(text, /Nothing was filtered/, path);
      assert.doesNotMatch(text, /limit__exact/, path);
    }
  });

  it('reads numbers in the language of the reader, and asks where they may have meant another', async () => {
    const form = (value: string, lookup = 'gte') => `?_add=mag&_lookup=${lookup}&_value=${encodeURIComponent(value)}`;
    const german = await page(form('2,5'), 'de');
    assert.equal(german.url, '?mag__gte=2.5');
    assert.match(german.text, />mag mindestens 2,5</);
    assert.equal((await page(form('1.000,5', 'lte'), 'de')).url, '?mag__lte=1000.5');
    assert.equal((await page(form('1,000', 'lte'))).url, '?mag__lte=1000');
    assert.equal((await page(form('1,5; 3', 'range'), 'fr')).url, '?mag__range=1.5,3');
    assert.equal((await page('?_add=magType&_lookup=ne&_value=1.000,5', 'de')).url, '?magType__ne=1.000,5');

    const asked = await page(form('15.000'), 'de');
    assert.equal(asked.url, '?mag__gte=15.000');
    assert.match(
      asked.text,
      /„15.000“ wurde als 15 gelesen. Meinten Sie <a href="[^"]*\?mag__gte=15000" rel="nofollow">15000</,
    );
    assert.doesNotMatch((await page('?mag__gte=15.000')).text, /was read as/);
  });

  it('keeps the filters of other columns in the links of bars, even if their names begin alike', async () => {
    const { text } = await page('?magType=ml&mag__gte=2');
    const links = [...text.matchAll(/<a href="[^"]*data\/([^"]*)"[^>]*><title>([^<]*)</g)].map(([, query, title]) => ({
      query,
      title,
    }));
    assert.deepEqual(
      links.find(({ title }) => title === '3 to 4: 1 row'),
      { query: '?magType=ml&mag__gte=3&mag__lt=4', title: '3 to 4: 1 row' },
    );
  });

  it('is ordered from its first row by the heads of columns', async () => {
    for (const part of ['offset=5&limit=5', '_page=2&_page_size=5', 'page__exact=1']) {
      const { text } = await page(`?magType=ml&${part}`);
      const kept = part.replace(/offset=5&|_page=2&/, '');
      assert.ok(text.includes(`data/?magType=ml&${kept}&_ordering=mag"`), part);
    }
  });

  it('has crumbs with the capitals of the language', async () => {
    const crumbs = async (path: string) =>
      /<nav class="crumbs".*?<\/nav>/.exec((await page(path, 'de')).text)?.[0] ?? '';
    assert.match(await crumbs(''), />Zeilen</);
    assert.match(await crumbs('../columns/mag/'), />Spalten</);
  });

  it('leads from a place behind the last row to the first one, with the filters', async () => {
    const { text } = await page('?magType=ml&_offset=60');
    assert.match(text, /<b>10<\/b> of 20 rows match/);
    assert.match(text, /The rows end before this place<.*?<a href="[^"]*data\/\?magType=ml">To the first rows</);
    assert.doesNotMatch(text, /No row matches/);
    assert.match((await page('?mag__gte=60')).text, /No row matches/);
  });

  it('names the filters that are in the way if no row matches, and leads to all rows', async () => {
    const { text } = await page('?magType=ml&mag__gte=60');
    const [, empty = ''] = /<div class="empty">(.*?)<\/div>/.exec(text) ?? [];
    assert.match(empty, /<a href="[^"]*data\/\?magType=ml"[^>]*>mag at least 60<\/a> <span[^>]*>10 rows</);
    assert.doesNotMatch(empty, />magType is ml</);
    assert.match(empty, /<a href="[^"]*\/quakes\/data\/">All rows</);

    const saved = (await page('/api/v1/queries/walk/data/?width=2')).text;
    assert.match(saved, /<a href="[^"]*\/datasets\/roads\/data\/">All rows<\/a>: 1,250 rows/);
    assert.doesNotMatch(saved, /Without one of these/);
    const fast = (await page('/api/v1/queries/fast/data/?road__lt=9')).text;
    assert.match(fast, /<a href="[^"]*\/fast\/data\/"[^>]*>road less than 9<\/a> <span[^>]*>50 rows</);
  });
});
