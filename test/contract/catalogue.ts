/**
 * What every catalogue promises: the interface `catalogue.ts` as tests, which each kind of catalogue runs. What only a
 * file shows (former names, a payload's place) isn't compared: entities are compared as they are represented.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import type { Catalogue, UploadDetails } from '../../src/catalogue/catalogue.ts';
import {
  ConflictError,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  ValidationError,
} from '../../src/catalogue/errors.ts';
import { readRows } from '../../src/catalogue/iterate.ts';
import type { DatasetRef, VersionRef } from '../../src/catalogue/ref.ts';
import { represent } from '../../src/catalogue/represent.ts';
import type { Entities, Kind } from '../../src/catalogue/types.ts';
import { type CatalogueFolder, type FolderContent, makeFolder } from '../support/folder.ts';

/** A catalogue of one kind, on a folder. */
export interface Opened {
  /** For one who may see and do everything. */
  readonly catalogue: Catalogue;
  /** For one who isn't signed in. */
  readonly open: Catalogue;
  /** Lets the catalogue see what was changed in the folder by hand. */
  looked(): Promise<void>;
}

/** @param open opens a folder as a catalogue of this kind, until the test is over */
export function promises(kind: string, open: (test: TestContext, folder: CatalogueFolder) => Promise<Opened>): void {
  const given = async (test: TestContext, content: FolderContent = parks) => {
    const folder = makeFolder(content, test);
    return { folder, ...(await open(test, folder)) };
  };

  describe(`${kind}: reading`, { concurrency: 4 }, () => {
    it('lists with count, pages, order, search and filters', async (test) => {
      const { catalogue } = await given(test);
      const first = await catalogue.list('dataset', { pageSize: 2 });
      assert.deepEqual(
        [first.count, first.page, first.pages, first.pageSize, first.items.map(({ slug }) => slug)],
        [3, 1, 2, 2, ['benches', 'trees']],
      );
      const last = await catalogue.list('dataset', { pageSize: 2, page: 'last' });
      assert.deepEqual([last.page, last.pages, last.items.map(({ slug }) => slug)], [2, 2, ['wells']]);
      const names = async (question: Parameters<Catalogue['list']>[1]) =>
        (await catalogue.list('dataset', question)).items.map(({ slug }) => slug);
      assert.deepEqual(await names({ ordering: '-label' }), ['wells', 'trees', 'benches']);
      assert.deepEqual(await names({ search: 'bäume' }), ['trees']);
      assert.deepEqual(await names({ namespace: 'water' }), ['wells']);
      assert.deepEqual(await names({ filters: { keyword: ['nature', 'water'] } }), ['trees', 'wells']);
      assert.deepEqual(await names({ filters: { visibility: ['private'] } }), []);
    });

    it('lists the versions of a dataset, the newest first', async (test) => {
      const { catalogue } = await given(test);
      const { items, count } = await catalogue.list('version', { namespace: 'parks', dataset: 'trees' });
      assert.deepEqual([count, items.map(({ slug }) => slug)], [2, [newer, older]]);
    });

    it('refuses a page that is not there, and a place that is not', async (test) => {
      const { catalogue } = await given(test);
      await assert.rejects(catalogue.list('dataset', { page: 9 }), NotFoundError);
      await assert.rejects(catalogue.list('dataset', { namespace: 'nowhere' }), NotFoundError);
      await assert.rejects(catalogue.list('version', { namespace: 'parks', dataset: 'none' }), NotFoundError);
      await assert.rejects(
        catalogue.list('dataset', { filters: { visibility: ['secret'] } }),
        (error) => error instanceof ValidationError && 'visibility' in error.fields,
      );
    });

    it('gets one of each kind', async (test) => {
      const { catalogue } = await given(test);
      assert.deepEqual(shape(await catalogue.get<'dataset'>(trees)).columns, [
        { type: 'geometry', name: 'geometry', label: '', description: '', unit: '' },
        { type: 'float', name: 'height', label: 'Height', description: 'From the ground', unit: 'm' },
      ]);
      const version = await catalogue.get<'version'>({ ...at(newer) });
      assert.deepEqual(
        [version.slug, version.ready, version.rows, version.bbox, version.size, version.checksum],
        [newer, true, 2, [4, 51, 5, 52], newText.length, sha256(newText)],
      );
      assert.equal((await catalogue.get<'version'>(at('latest'))).slug, newer);
      assert.deepEqual(shape(await catalogue.get<'namespace'>({ kind: 'namespace', slug: 'parks' })).owners, [
        '/api/v1/groups/staff/',
      ]);
      assert.deepEqual((await catalogue.get<'group'>({ kind: 'group', slug: 'staff' })).members, ['a.b+c@d']);
      const user = await catalogue.get<'user'>({ kind: 'user', slug: 'a.b+c@d' });
      assert.deepEqual([user.name, user.email, user.staff, user.groups], ['Änne', 'a@example.org', true, ['staff']]);
      const query = await catalogue.get<'query'>({ kind: 'query', slug: 'tall' });
      assert.deepEqual([query.dataset, query.version, query.parameters], ['parks/trees', older, { height__gte: '10' }]);
    });

    it('knows what is not there, and what has moved', async (test) => {
      const { catalogue } = await given(test);
      await assert.rejects(catalogue.get({ ...trees, slug: 'none' }), NotFoundError);
      await assert.rejects(catalogue.get(at('20000101000000000000')), NotFoundError);
      await assert.rejects(
        catalogue.get({ ...trees, slug: 'shrubs' }),
        (error) => error instanceof MovedError && JSON.stringify(error.to) === JSON.stringify(trees),
      );
    });

    it('shows its files, and what is wrong with them', async (test) => {
      const { catalogue, folder, looked } = await given(test);
      folder.write('namespaces/parks/datasets/bad/dataset.yaml', 'label: [\n');
      await looked();
      const { items } = await catalogue.list('file', { filters: { status: ['invalid'] } });
      assert.deepEqual(
        items.map(({ path, record, status, problems }) => [path, record, status, problems[0]?.line]),
        [['namespaces/parks/datasets/bad/dataset.yaml', 'dataset', 'invalid', 2]],
      );
      const [details] = await catalogue.inspect(items);
      assert.equal(details?.checksum, sha256('label: [\n'));
      assert.equal((await catalogue.get<'file'>({ kind: 'file', slug: String(items[0]?.id) })).path, items[0]?.path);
    });

    it('hands out payloads, whole and in part', async (test) => {
      const { catalogue } = await given(test);
      const payload = await catalogue.payload(at('latest'));
      assert.deepEqual([payload.size, payload.fileName], [newText.length, `trees-${newer}.geojson`]);
      assert.equal(await text(payload.stream()), newText);
      const again = await catalogue.payload(at(older));
      assert.equal(await text(again.stream({ start: 5, end: 9 })), oldText.slice(5, 10));
      await assert.rejects(catalogue.payload({ ...at('latest'), dataset: 'benches' }), NotFoundError);
    });

    it('answers with rows: filtered, in part, in every format', async (test) => {
      const { catalogue } = await given(test);
      const rows = async (parameters: [string, string][], format = 'objects') => {
        const found = await catalogue.rows(at('latest'), { parameters, format });
        return { found, document: await text(found.stream()) };
      };
      const all = await rows([]);
      assert.deepEqual(
        JSON.parse(all.document).map(({ height }: { height: number }) => height),
        [12, 3.5],
      );
      assert.equal(all.found.part, null);
      const some = await rows([
        ['height__gte', '3'],
        ['_limit', '1'],
        ['_ordering', 'height'],
      ]);
      assert.deepEqual([some.found.part?.matched, JSON.parse(some.document)[0].height], [2, 3.5]);
      assert.match((await rows([], 'csv')).document, /^longitude,latitude,height\r?\n/);
      assert.equal((await rows([], 'geojson')).found.contentType, 'application/geo+json');
      const spelled = await catalogue.rows(at('latest'), { parameters: [['_format', 'ndjson']] });
      assert.equal(spelled.format, 'ndjson');
      assert.equal((await text(spelled.stream())).trim().split('\n').length, 2);
    });

    it('answers with groups of rows', async (test) => {
      const { catalogue } = await given(test);
      const parameters = [['_aggregate', 'count,max(height)']] as const;
      const found = await catalogue.rows(at('latest'), { parameters });
      assert.deepEqual([found.format, found.contentType, found.part], ['objects', 'application/json', null]);
      assert.deepEqual(JSON.parse(await text(found.stream())), [{ count: 2, 'max(height)': 12 }]);
      await assert.rejects(catalogue.rows(at('latest'), { parameters, format: 'geojson' }), ValidationError);
      const grouped = readRows(catalogue, at('latest'), { _group_by: 'height', height__gt: 4 });
      const read: unknown[] = [];
      for await (const row of grouped) read.push(row);
      assert.deepEqual(read, [{ height: 12, count: 1 }]);
    });

    it('says which parameter is wrong', async (test) => {
      const { catalogue } = await given(test);
      const ask = (name: string, value: string) => catalogue.rows(at('latest'), { parameters: [[name, value]] });
      await assert.rejects(
        ask('heigth__gt', '1'),
        (error) => error instanceof ValidationError && /height/.test(error.fields.heigth__gt?.[0] ?? ''),
      );
      await assert.rejects(ask('height__gt', 'high'), ValidationError);
      await assert.rejects(catalogue.rows({ ...at('latest'), dataset: 'benches' }, { parameters: [] }), NotFoundError);
    });

    it('draws maps of rows: pictures, plates and tiles', async (test) => {
      const { catalogue } = await given(test);
      const all = await catalogue.map(at('latest'), { parameters: [['_colour', 'height']] });
      assert.equal(all.hasGeometry, true);
      const { svg, counts, legend } = await all.picture();
      assert.match(svg, /^<svg /);
      assert.deepEqual(counts, { matched: 2, located: 2, drawn: 2, isSampled: false, kind: 'points' });
      assert.deepEqual([legend?.kind, legend?.column], ['quantiles', 'height']);
      assert.match(await all.plate(), /^<svg /);
      const world = await all.tile({ z: 0, x: 0, y: 0 });
      assert.deepEqual([world.matched, world.drawn], [2, 2]);
      assert.ok((world.bytes?.length ?? 0) > 20);
      assert.deepEqual(await all.tile({ z: 8, x: 0, y: 0 }), { bytes: null, matched: 0, drawn: 0 });
      const { bounds, column, maxZoom, counts: tileCounts } = await all.tileset();
      assert.deepEqual([bounds, column?.name, maxZoom, tileCounts.kind], [[4, 51, 5, 52], 'height', 16, 'points']);

      const one = await catalogue.map(at('latest'), { parameters: [['height__gt', '10']] });
      assert.equal((await one.tile({ z: 0, x: 0, y: 0 })).matched, (await one.tileset()).counts.matched);
      assert.equal((await one.picture()).counts.matched, 1);
      assert.notEqual(one.tag, all.tag);
      const wrong = catalogue.map(at('latest'), { parameters: [['_colour', 'heigth']] });
      await assert.rejects(
        wrong,
        (error) => error instanceof ValidationError && /height/.test(`${error.fields._colour}`),
      );
      await assert.rejects(all.tile({ z: 1, x: 2, y: 0 }), NotFoundError);
      await assert.rejects(catalogue.map({ ...at('latest'), dataset: 'benches' }, { parameters: [] }), NotFoundError);
    });

    it('compares versions row by row', async (test) => {
      const { catalogue } = await given(test);
      const difference = await catalogue.difference(at(older), at(newer), { key: ['height'] });
      assert.deepEqual([difference.from.slug, difference.to.slug], [older, newer]);
      assert.deepEqual([difference.counts.added, difference.counts.removed, difference.counts.unchanged], [1, 0, 1]);
      for (const _twice of [1, 2]) {
        const changes: string[] = [];
        for await (const { change } of difference.rows()) changes.push(change);
        assert.deepEqual(changes, ['added']);
      }
      await assert.rejects(catalogue.difference(at(older), at(newer), { key: ['none'] }), ValidationError);
    });

    it('shows images', async (test) => {
      const { catalogue, folder } = await given(test);
      folder.write('site_media/trees/oak one.png', png);
      const media = await catalogue.media('trees/oak one.png');
      assert.deepEqual([media.mediaType, media.size], ['image/png', png.length]);
      assert.deepEqual(await buffer(media.stream()), png);
      await assert.rejects(catalogue.media('trees/none.png'), NotFoundError);
      await assert.rejects(catalogue.media('../catalogue.yaml'), NotFoundError);
    });

    it('has no history outside of git', async (test) => {
      const { catalogue } = await given(test);
      assert.equal((await catalogue.history(trees)).count, 0);
      await assert.rejects(catalogue.history({ ...trees, slug: 'none' }), NotFoundError);
    });
  });

  describe(`${kind}: writing`, { concurrency: 4 }, () => {
    it('creates one of each kind, and shows it at once', async (test) => {
      const { catalogue } = await given(test);
      const group = await catalogue.create('group', { label: 'Foresters' });
      const user = await catalogue.create('user', { username: 'eve', name: 'Eve', groups: ['foresters'] });
      const namespace = await catalogue.create('namespace', { label: 'Forests', owners: ['foresters'] });
      const dataset = await catalogue.create('dataset', {
        label: 'Straße Ørsted',
        namespace: 'forests',
        keywords: ['a', 'b'],
        licence: 'CC0-1.0',
      });
      const query = await catalogue.create('query', {
        label: 'Newest',
        dataset: 'parks/trees',
        version: newer,
        parameters: { _limit: 1 },
      });
      assert.deepEqual(
        [group.slug, user.slug, namespace.slug, dataset.slug, query.slug],
        ['foresters', 'eve', 'forests', 'strasse-orsted', 'newest'],
      );
      for (const entity of [user, namespace, dataset, query] as const)
        assert.deepEqual(shape((await catalogue.get(refOf(entity))) as typeof entity), shape(entity));
      assert.deepEqual((await catalogue.get<'group'>({ kind: 'group', slug: 'foresters' })).members, ['eve']);
    });

    it('refuses input field by field', async (test) => {
      const { catalogue } = await given(test);
      const fieldsOf = (work: Promise<unknown>) =>
        work.then(
          () => assert.fail('It was taken.'),
          (error) => (error instanceof ValidationError ? Object.keys(error.fields).sort() : Promise.reject(error)),
        );
      assert.deepEqual(await fieldsOf(catalogue.create('dataset', { namespace: 'parks' })), ['label']);
      assert.deepEqual(await fieldsOf(catalogue.create('dataset', { label: 'x', namespace: 'nowhere' })), [
        'namespace',
      ]);
      assert.deepEqual(
        await fieldsOf(catalogue.create('dataset', { label: '', slug: 'no good', namespace: 'parks' })),
        ['label', 'slug'],
      );
      assert.deepEqual(await fieldsOf(catalogue.edit<'dataset'>(trees, { visibility: 'secret' })), ['visibility']);
      await assert.rejects(catalogue.create('dataset', { label: 'Trees', namespace: 'parks' }), ValidationError);
    });

    it('edits what is given and nothing else', async (test) => {
      const { catalogue } = await given(test);
      const before = shape(await catalogue.get<'dataset'>(trees));
      const edited = await catalogue.edit<'dataset'>(trees, { label: '木', keywords: [] });
      assert.deepEqual(shape(edited), { ...before, label: '木', keywords: [] });
      assert.deepEqual(shape(await catalogue.get<'dataset'>(trees)), shape(edited));
      const columns = [{ name: 'height', unit: 'ft' }];
      const { columns: now } = await catalogue.edit<'dataset'>(trees, { columns });
      assert.deepEqual(now[1], {
        type: 'float',
        name: 'height',
        label: 'Height',
        description: 'From the ground',
        unit: 'ft',
      });
      const version = await catalogue.edit<'version'>(at(newer), { ready: false, notes: 'Wrong' });
      assert.deepEqual([version.ready, version.notes], [false, 'Wrong']);
      assert.equal((await catalogue.get<'version'>(at('latest'))).slug, older);
      const query = await catalogue.edit<'query'>({ kind: 'query', slug: 'tall' }, { version: null });
      assert.equal(query.version, null);
      assert.equal((await catalogue.edit<'query'>({ kind: 'query', slug: 'tall' }, { version: older })).version, older);
    });

    it('takes images in by their bytes, beside other fields', async (test) => {
      const { catalogue } = await given(test);
      const fields = { label: 'With a picture', keywords: ['a', 'b, c'], contact: '' };
      const dataset = await catalogue.create('dataset', { ...fields, namespace: 'parks', image: new Uint8Array(png) });
      assert.deepEqual([dataset.label, dataset.keywords], [fields.label, fields.keywords]);
      assert.match(dataset.image, /^\/site_media\/images\/.+\.png$/);
      const media = await catalogue.media(dataset.image.slice('/site_media/'.length));
      assert.deepEqual(await buffer(media.stream()), png);
      const columns = [{ name: 'height', unit: 'ft' }];
      const edited = await catalogue.edit<'dataset'>(trees, {
        thumbnail_image: new Uint8Array(png),
        keywords: [],
        columns,
      });
      assert.deepEqual([edited.thumbnail_image, edited.keywords, edited.columns[1]?.unit], [dataset.image, [], 'ft']);
      const noImage = catalogue.edit<'dataset'>(trees, { image: new Uint8Array([1, 2, 3]) });
      await assert.rejects(noImage, (error) => error instanceof ValidationError && 'image' in error.fields);
    });

    it('renames and moves, and knows the old name', async (test) => {
      const { catalogue } = await given(test);
      const moved = await catalogue.edit<'dataset'>(trees, { slug: 'oaks', namespace: 'water' });
      assert.deepEqual([moved.namespace, moved.slug, moved.versions.length], ['water', 'oaks', 2]);
      await assert.rejects(
        catalogue.get<'dataset'>(trees),
        (error) => error instanceof MovedError && 'namespace' in error.to && error.to.namespace === 'water',
      );
    });

    it('writes nothing over what the writer has not seen', async (test) => {
      const { catalogue } = await given(test);
      const seen = await catalogue.get<'dataset'>(trees);
      const [listed] = (await catalogue.list('dataset', { search: 'trees' })).items;
      await catalogue.edit<'dataset'>(trees, { label: 'First' }, { ifMatch: seen });
      await assert.rejects(catalogue.edit<'dataset'>(trees, { label: 'Second' }, { ifMatch: seen }), StaleError);
      await assert.rejects(catalogue.edit<'dataset'>(trees, { label: 'Third' }, { ifMatch: listed }), StaleError);
      await assert.rejects(catalogue.remove(trees, { ifMatch: seen }), StaleError);
      assert.equal((await catalogue.get<'dataset'>(trees)).label, 'First');
      const [now] = (await catalogue.list('dataset', { search: 'first' })).items;
      await catalogue.edit<'dataset'>(trees, { label: 'Fourth' }, { ifMatch: now });
    });

    it('removes, but no namespace that has datasets', async (test) => {
      const { catalogue } = await given(test);
      await catalogue.remove(at(newer));
      assert.equal((await catalogue.get<'dataset'>(trees)).versions.length, 1);
      await catalogue.remove(trees);
      await assert.rejects(catalogue.get<'dataset'>(trees), NotFoundError);
      await assert.rejects(catalogue.remove({ kind: 'namespace', slug: 'parks' }), ConflictError);
      await assert.rejects(catalogue.remove(trees), NotFoundError);
    });

    it('takes bytes in, and says what they change', async (test) => {
      const { catalogue } = await given(test);
      const source = () => Readable.from([Buffer.from(`geometry,height,kind\n"POINT (1 2)",1,oak\n`)]);
      const progress: number[] = [];
      const { version, created, changes } = await catalogue.publish(trees, {
        source: source(),
        fileName: 'trees.csv',
        label: 'Third',
        notes: 'By hand & eye',
        onProgress: (bytes) => progress.push(bytes),
      });
      assert.deepEqual(
        [created, version.label, version.notes, version.format, version.rows, version.ready],
        [true, 'Third', 'By hand & eye', 'csv', 1, true],
      );
      assert.deepEqual(
        changes.added.map(({ name }) => name),
        ['kind'],
      );
      assert.deepEqual(changes.retyped, [{ name: 'height', from: 'float', to: 'integer' }]);
      assert.ok(progress.length > 0);
      assert.equal((await catalogue.get<'version'>(at('latest'))).slug, version.slug);
      const again = await catalogue.publish(trees, { source: source(), fileName: 'trees.csv' });
      assert.deepEqual([again.created, again.version.slug], [false, version.slug]);
    });

    it('takes a file in by its path', async (test) => {
      const { catalogue, folder } = await given(test);
      folder.write('.note.csv', 'a,b\n1,2\n');
      const { version } = await catalogue.publish(trees, {
        source: folder.path('.note.csv'),
        fileName: 'note.csv',
        force: true,
      });
      assert.deepEqual([version.format, version.rows], ['csv', 1]);
    });

    it('checks a write without doing it, and answers as if it were done', async (test) => {
      const { catalogue, looked } = await given(test);
      const dryRun = { dryRun: true };
      const all = async () => {
        const found: unknown[] = [];
        for (const kind of ['namespace', 'dataset', 'version', 'group', 'user', 'query'] as const)
          found.push((await catalogue.list(kind, {})).items);
        return JSON.stringify(found);
      };
      const before = await all();
      assert.equal((await catalogue.create('namespace', { label: 'Roads' }, dryRun)).slug, 'roads');
      await assert.rejects(catalogue.create('namespace', { label: 'Parks' }, dryRun), ValidationError);
      assert.equal((await catalogue.edit<'dataset'>(trees, { label: 'Oaks' }, dryRun)).label, 'Oaks');
      const seen = await catalogue.get<'dataset'>(trees);
      assert.equal(
        (await catalogue.edit<'dataset'>(trees, { slug: 'oaks' }, { ifMatch: seen, ...dryRun })).slug,
        'oaks',
      );
      const upload = () => ({
        source: Readable.from([Buffer.from('a,b\n1,2\n')]),
        fileName: 'a.csv',
        label: 'Dry',
        force: true,
      });
      const { version, created } = await catalogue.publish(trees, upload(), dryRun);
      assert.deepEqual([created, version.label, version.format, version.rows], [true, 'Dry', 'csv', 1]);
      const wrong = { ...upload(), checksum: '0'.repeat(64) };
      await assert.rejects(catalogue.publish(trees, wrong, dryRun), ValidationError);
      await catalogue.remove(trees, dryRun);
      await assert.rejects(catalogue.remove({ ...trees, slug: 'none' }, dryRun), NotFoundError);
      await looked();
      assert.equal(await all(), before);
      assert.equal((await catalogue.edit<'dataset'>(trees, { label: 'Oaks' }, { dryRun: false })).label, 'Oaks');
    });

    it('publishes with details that are known only when the bytes have been read', async (test) => {
      const { catalogue } = await given(test);
      const upload = (details: () => UploadDetails) => {
        let isRead = false;
        async function* bytes() {
          yield Buffer.from('a,b\n1,2\n');
          isRead = true;
        }
        const late = async () => {
          assert.ok(isRead);
          return details();
        };
        return { source: Readable.from(bytes()), fileName: 'a "b".csv', label: 'Before', force: true, details: late };
      };
      const wrong = new ValidationError({ notes: ['Not these.'] });
      const refused = upload(() => {
        throw wrong;
      });
      await assert.rejects(catalogue.publish(trees, refused), wrong);
      const other = { checksum: '0'.repeat(64) };
      await assert.rejects(
        catalogue.publish(
          trees,
          upload(() => other),
        ),
        (error) => error instanceof ValidationError && 'checksum' in error.fields,
      );
      assert.equal((await catalogue.get<'dataset'>(trees)).versions.length, 2);
      const { version } = await catalogue.publish(
        trees,
        upload(() => ({ label: 'Behind', notes: 'By hand & eye' })),
      );
      assert.deepEqual([version.label, version.notes, version.format], ['Behind', 'By hand & eye', 'csv']);
    });

    it('keeps nothing of bytes that it refuses', async (test) => {
      const { catalogue } = await given(test);
      const bytes = () => Readable.from([Buffer.from('a,b\n1,2\n')]);
      await assert.rejects(
        catalogue.publish(trees, { source: bytes(), checksum: '0'.repeat(64) }),
        (error) => error instanceof ValidationError && 'checksum' in error.fields,
      );
      const broken = Readable.from([Buffer.from('{"type":"FeatureCollection","features":[')]);
      await assert.rejects(
        catalogue.publish(trees, { source: broken, fileName: 'x.geojson' }),
        (error) => error instanceof ValidationError && 'file' in error.fields,
      );
      await assert.rejects(catalogue.publish({ ...trees, slug: 'none' }, { source: bytes() }), NotFoundError);
      assert.equal((await catalogue.get<'dataset'>(trees)).versions.length, 2);
    });

    it('stops taking in when it is told', async (test) => {
      const { catalogue } = await given(test);
      const controller = new AbortController();
      const why = new Error('Enough.');
      async function* endless() {
        for (let i = 0; ; i++) {
          if (i === 20) controller.abort(why);
          yield Buffer.alloc(64 * 1024, '1,2\n');
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
      const work = catalogue.publish(trees, {
        source: Readable.from(endless()),
        fileName: 'x.csv',
        signal: controller.signal,
      });
      await assert.rejects(work, (error) => error === why || (error as Error).name === 'AbortError');
      assert.equal((await catalogue.get<'dataset'>(trees)).versions.length, 2);
    });

    it('writes over no file that is broken', async (test) => {
      const { catalogue, folder, looked } = await given(test);
      await catalogue.get<'dataset'>(trees);
      const path = 'namespaces/parks/datasets/trees/dataset.yaml';
      folder.write(path, 'label: [\n');
      await looked();
      await assert.rejects(
        catalogue.edit<'dataset'>(trees, { label: 'x' }),
        (error) => error instanceof ConflictError || error instanceof NotFoundError,
      );
    });

    it('lets nobody write who is not signed in', async (test) => {
      const { open } = await given(test);
      const refused = (error: unknown) => error instanceof NotPermittedError || error instanceof NotAuthenticatedError;
      await assert.rejects(open.create('namespace', { label: 'Mine' }), refused);
      await assert.rejects(open.edit<'dataset'>(trees, { label: 'Mine' }), refused);
      await assert.rejects(open.remove(trees), refused);
      await assert.rejects(open.publish(trees, { source: Readable.from([Buffer.from('a\n1\n')]) }), refused);
      assert.equal((await open.get<'dataset'>(trees)).label, 'Trees');
    });
  });
}

const older = '20240101000000000000';
const newer = '20240201000000000000';
const point = (x: number, y: number, height: number) => ({
  type: 'Feature',
  properties: { height },
  geometry: { type: 'Point', coordinates: [x, y] },
});
const collection = (...features: object[]) => JSON.stringify({ type: 'FeatureCollection', features });
const oldText = collection(point(4, 51, 12));
const newText = collection(point(4, 51, 12), point(5, 52, 3.5));
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);
const trees: DatasetRef = { kind: 'dataset', namespace: 'parks', slug: 'trees' };
const at = (slug: string): VersionRef => ({ kind: 'version', namespace: 'parks', dataset: 'trees', slug });

function sha256(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function versionRecord(id: number, slug: string, payload: string, rows: number, bbox: number[]) {
  return {
    id,
    label: slug,
    datetime: `${slug.slice(0, 4)}-${slug.slice(4, 6)}-${slug.slice(6, 8)}T00:00:00.000Z`,
    checksum: sha256(payload),
    ready: true,
    rows,
    bbox,
    file: { name: `${slug}.geojson`, format: 'geojson', media_type: 'application/geo+json', size: payload.length },
  };
}

const data = 'namespaces/parks/datasets/trees/data';
const parks: FolderContent = {
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['staff'] }, water: { id: 2, label: 'Water' } },
  datasets: {
    'parks/trees': {
      id: 1,
      label: 'Trees',
      description: 'Bäume, with *words*',
      keywords: ['nature'],
      aliases: ['shrubs'],
      columns: [
        { type: 'geometry', name: 'geometry' },
        { type: 'float', name: 'height', label: 'Height', description: 'From the ground', unit: 'm' },
      ],
    },
    'parks/benches': { id: 2, label: 'Benches' },
    'water/wells': { id: 3, label: 'Wells', keywords: ['Water'] },
  },
  versions: {
    [`parks/trees@${older}`]: versionRecord(1, older, oldText, 1, [4, 51, 4, 51]),
    [`parks/trees@${newer}`]: versionRecord(2, newer, newText, 2, [4, 51, 5, 52]),
  },
  groups: { staff: { id: 1, label: 'Staff' } },
  users: { 'a.b+c@d': { id: 1, name: 'Änne', email: 'a@example.org', staff: true, groups: ['staff'] } },
  queries: {
    tall: { id: 1, label: 'Tall', dataset: 'parks/trees', version: older, parameters: { height__gte: '10' } },
  },
  files: { [`${data}/${older}.geojson`]: oldText, [`${data}/${newer}.geojson`]: newText },
};

/** An entity as it is represented: what all kinds of catalogue know of it. */
function shape<K extends Exclude<Kind, 'file'>>(entity: Entities[K]): Record<string, unknown> {
  return represent[entity.kind as K](entity, { base: '', suffix: '' });
}

function refOf(entity: Entities['user' | 'namespace' | 'dataset' | 'query']) {
  const { kind, slug } = entity;
  return (kind === 'dataset' ? { kind, namespace: entity.namespace, slug } : { kind, slug }) as never;
}
