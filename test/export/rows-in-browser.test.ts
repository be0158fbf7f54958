/** The rows of an export as the script of the pages finds them: those that a server finds, for every kind of parameter. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { OpenRows } from '../../browser/rows.ts';
import type { VersionProfile } from '../../src/catalogue/column-statistics.ts';
import { listAll } from '../../src/catalogue/iterate.ts';
import { formatRef, refOf } from '../../src/catalogue/ref.ts';
import { quotedName } from '../../src/catalogue/row-parameters.ts';
import { apiPath } from '../../src/catalogue/urls.ts';
import { lookupsByType } from '../../src/data/query/lookups.ts';
import { type FileCatalogue, openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { filesOfRows, type ShownRows } from '../../src/pages/rows-in-files.tsx';
import { createApp } from '../../src/server/app.ts';
import { getInProcess } from '../../src/server/in-process.ts';
import { type CatalogueFolder, makeLastingFolder } from '../support/folder.ts';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { randomNumbers } from '../support/random.ts';

const example = fileURLToPath(new URL('../../catalogue-data', import.meta.url));
/** As `npm run build` has made it for browsers. */
const script = new URL('../../src/pages/assets/map/rows.js', import.meta.url);
const base = 'https://data.example.org/open';
type Script = typeof import('../../browser/rows.ts');
type App = ReturnType<typeof createApp>;
type Parameters = readonly (readonly [string, string])[];

describe('the script of the pages', () => {
  let folder: CatalogueFolder;
  let files: FileCatalogue;
  let workshop: Workshop;
  let browser: Script;
  const opened: { readonly name: string; readonly server: App; readonly path: string; readonly open: OpenRows }[] = [];

  const ask = async (app: App, path: string, accept = '*/*') => {
    const { status, body } = await getInProcess(app, path, accept);
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk as Buffer);
    return { status, text: Buffer.concat(chunks).toString() };
  };
  const withParameters = (path: string, parameters: Parameters) =>
    `${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, value]))}`;

  before(async () => {
    folder = makeLastingFolder({});
    cpSync(example, folder.root, { recursive: true });
    files = await openFileCatalogue(folder.root);
    workshop = await makeWorkshop();
    await publishHostileRows(workshop);
    browser = await import(script.href);
    await openAll(files);
    await openAll(workshop.files);
    assert.ok(opened.length > 15, `${opened.length} datasets`);
  });
  after(async () => {
    await files?.close();
    await workshop?.remove();
    folder?.remove();
  });

  /** Opens the rows of all datasets, as the script reads them from the files of an export. */
  async function openAll(catalogue: FileCatalogue) {
    const options = { baseUrl: base, work: { capacity: Number.POSITIVE_INFINITY } };
    const server = createApp((viewer) => catalogue.for(viewer), options);
    const staticExport = { today: '2026-01-01', filteringOf: () => 'inBrowser' as const, hasFile: () => true };
    const exported = createApp((viewer) => catalogue.for(viewer), { ...options, staticExport });
    for await (const dataset of listAll(catalogue.for(), 'dataset')) {
      const path = `${apiPath(refOf(dataset))}data/`;
      const page = await ask(exported, path, 'text/html');
      const [, json] = /<script id="rows"[^>]*>(.*?)<\/script>/s.exec(page.text) ?? [];
      if (page.status !== 200 || !json) continue;
      const shown = JSON.parse(json) as ShownRows;
      const { rows, profile } = filesOfRows(shown.version);
      const { text } = await ask(exported, rows);
      if (text.length > 2 * 1024 * 1024) continue;
      const { text: columns } = await ask(exported, profile.replace('index.json', ''));
      const open = browser.makeRows(shown, JSON.parse(columns) as VersionProfile, text);
      opened.push({ name: formatRef(refOf(dataset)), server, path, open });
    }
  }

  /** What the server answers: rows with their number, or what is wrong. */
  const answerOfServer = async (server: App, path: string, parameters: Parameters) => {
    const { status, text } = await ask(server, withParameters(path, [...parameters, ['_format', 'objects']]));
    return status === 200 ? { items: JSON.parse(text) } : { status, ...JSON.parse(text) };
  };
  const answerOfScript = async ({ rows }: OpenRows, parameters: Parameters) => {
    try {
      const { items } = await rows.find(parameters);
      return { items };
    } catch (error) {
      if ((error as object).constructor === browser.ComparedByServer) return 'comparedByServer';
      const { fields, message } = error as { fields?: object; message: string };
      return fields ? { status: 400, ...fields } : { status: 404, detail: message };
    }
  };

  it('finds what a server finds, for lookups of all columns with values that they have and haven’t', async () => {
    const random = randomNumbers(17);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const seen = new Map<string, number>();
    let [count, refused] = [0, 0];
    for (const { name: label, server, path, open } of opened) {
      const { items } = await open.rows.find([]);
      const columns = open.profile.columns.slice(0, 10);
      const sampleOf = (name: string): string => {
        const value = items.length ? pick(items)[name] : null;
        if (value === null || value === undefined || random() < 0.1) return pick(['', 'x', '-1', '2020-01-01', 'NaN']);
        const text = typeof value === 'object' ? '1' : String(value);
        return random() < 0.8 ? text : pick([text.slice(1), text.slice(0, -1), text.toUpperCase(), `${text}0`]);
      };
      for (const { name, type } of columns)
        for (const lookup of [...lookupsByType[type], pick(['gt', 'contains', 'near'])]) {
          if (type === 'geometry') continue;
          const values = [sampleOf(name), sampleOf(name)].map((one) => (/[,"]/.test(one) ? quotedName(one) : one));
          const value =
            lookup === 'isnull'
              ? pick(['true', 'false', 'perhaps'])
              : /^(in|range)$/.test(lookup)
                ? values.join(',')
                : sampleOf(name);
          const { name: other } = pick(columns);
          const more: Parameters[] = [
            [],
            [['_ordering', `${pick(['', '-'])}${quotedName(other)}`]],
            [
              ['_fields', quotedName(other)],
              ['_limit', '5'],
              ['_offset', '1'],
            ],
            [
              ['_page_size', '3'],
              ['_page', pick(['1', '2', 'last'])],
            ],
            [
              ['_group_by', quotedName(other)],
              ['_aggregate', 'count'],
            ],
            [['_filter', `"${other.replaceAll('"', '""')}" IS NOT NULL`]],
          ];
          const parameters = [[`${name}__${lookup}`, value] as const, ...pick(more)];
          const [wanted, found] = [
            await answerOfServer(server, path, parameters),
            await answerOfScript(open, parameters),
          ];
          assert.deepEqual(found, wanted, `${label} ${JSON.stringify(parameters)}`);
          seen.set(`${type} ${lookup}`, (seen.get(`${type} ${lookup}`) ?? 0) + (wanted.items?.length ? 1 : 0));
          count++;
          if (wanted.status) refused++;
        }
    }
    assert.ok(count > 1000 && refused > 30 && refused < count / 2, `${refused} of ${count} refused`);
    for (const type of ['integer', 'float', 'string', 'date'] as const)
      for (const lookup of lookupsByType[type])
        assert.ok(seen.get(`${type} ${lookup}`), `${type} ${lookup} finds rows`);
  });

  it('finds points in boxes as a server does, and says where only a server compares geometries', async () => {
    let [areAllPoints, others] = [0, 0];
    for (const { name: label, server, path, open } of opened) {
      const geometry = open.profile.columns.find(({ type }) => type === 'geometry');
      if (!geometry) continue;
      const arePoints = geometry.examples?.every((kind) => kind === 'Point' || kind === 'Point Z');
      for (const box of ['-180,-90,180,90', '-10,-20.5,40,47', '170,-60,-120,60', '5,5,5,5', '0,0,1', 'x']) {
        const parameters = [['_bbox', box]] as const;
        const [wanted, found] = [
          await answerOfServer(server, path, parameters),
          await answerOfScript(open, parameters),
        ];
        if (found === 'comparedByServer') {
          assert.ok(!arePoints, `${label} ${box}`);
          others++;
        } else assert.deepEqual(found, wanted, `${label} ${box}`);
        if (arePoints && wanted.items?.length) areAllPoints++;
      }
      const within = [['geometry__intersects', 'POLYGON((0 0,9 0,9 9,0 0))']] as const;
      assert.equal(await answerOfScript(open, within), 'comparedByServer', label);
    }
    assert.ok(areAllPoints > 5 && others > 0);
  });

  it('writes the bytes of a server', async () => {
    for (const { name: label, server, path, open } of opened) {
      const { columns } = open.profile;
      const first = quotedName(columns.at(-1)?.name ?? '');
      // JSON has the rings of polygons in the direction that RFC 7946 wants, and CSV in the payload's.
      const isPolygons = columns.some(({ examples }) => examples?.some((kind) => /Polygon/.test(kind)));
      const plain = columns.filter(({ type }) => type !== 'geometry').map(({ name }) => quotedName(name));
      const all: Parameters = isPolygons ? [['_fields', plain.join(',')]] : [];
      const csv = (await ask(server, `${path.slice(0, -1)}.csv`)).text.split('\r\n', 1)[0] ?? '';
      for (const format of ['csv', 'excel', 'objects', 'ndjson'] as const)
        for (const more of [
          all,
          [['_fields', first]],
          [
            ['_group_by', first],
            ['_aggregate', 'count'],
          ],
        ] as Parameters[]) {
          const wanted = await ask(server, `${withParameters(path, [...more, ['_format', format]])}`);
          if (wanted.status !== 200) continue;
          const chunks = await open.rows.write(format, more, csv);
          assert.ok(Buffer.concat(chunks).toString() === wanted.text, `${label} ${format} ${JSON.stringify(more)}`);
        }
    }
  });

  it('shows the page of a server: its table, its facets, and what is wrong', async () => {
    /** The text of a page, without what an export lacks. */
    const shownIn = (html: string) =>
      (/<table.*?<\/table>|<dl class="facts.*?<\/dl>|<div class="empty.*?<\/h2>/s.exec(html)?.[0] ?? 'no table')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ');
    let compared = 0;
    for (const { name: label, server, path, open } of opened) {
      const name = open.profile.columns.at(-1)?.name ?? '';
      const more: Parameters[] = [
        [[`${name}__isnull`, 'false']],
        [
          [`${name}__isnull`, 'true'],
          ['_ordering', quotedName(name)],
        ],
        [
          ['_limit', '1'],
          ['_offset', '2'],
        ],
        [
          ['_group_by', quotedName(name)],
          ['_aggregate', 'count'],
        ],
        [['nowhere__gte', '6']],
        [[`${name}__nearby`, '6']],
        [['_page', '10000']],
      ];
      for (const parameters of more) {
        const query = new URLSearchParams(parameters.map(([one, value]) => [one, value]));
        const wanted = await ask(server, `${path}?${query}`, 'text/html');
        const html = await browser.renderRows(open, path, query, 'en');
        assert.equal(shownIn(html), shownIn(wanted.text), `${label} ${query}`);
        const matching = /<b>[^<]*<\/b>[^<]*match/;
        assert.deepEqual(matching.exec(html)?.[0], matching.exec(wanted.text)?.[0], `${label} ${query}`);
        compared++;
      }
    }
    assert.ok(compared > 100);
  });
});
