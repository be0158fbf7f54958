/** Shapefile, GeoPackage, FlatGeobuf, KML and GPX: the rows of files that GDAL has written, and broken ones. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { PayloadInfo } from '../../../src/data/formats/types.ts';
import { GpxHandler } from '../../../src/data/formats/xml/gpx.ts';
import { KmlHandler } from '../../../src/data/formats/xml/kml.ts';
import { ingestPayload, rowsOf, temporaryFolder, typesOf, valuesOf } from '../support/payloads.ts';
import { zipOf } from '../support/zip.ts';

const hasGdal = (() => {
  try {
    execFileSync('ogr2ogr', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const skip = hasGdal ? false : 'needs ogr2ogr (Debian: gdal-bin)';
const folder = temporaryFolder();
const ring = (x: number, y: number, size: number) => [
  [x, y, 30],
  [x + size, y, 30],
  [x + size, y + size, 30],
  [x, y + size, 30],
  [x, y, 30],
];
const holed = { type: 'Polygon', coordinates: [ring(13, 52, 0.1), ring(13.02, 52.02, 0.01).toReversed()] };
const features = [
  { name: 'Lindenstraße', big: 9007199254740993n, h: 12.5, d: '2024-02-29', geometry: holed },
  { name: '€ Platz', big: 2n, h: null, d: null, geometry: { type: 'Polygon', coordinates: [ring(14, 52, 0.1)] } },
].map(({ geometry, ...properties }) => ({ type: 'Feature', geometry, properties }));
const source = join(folder, 'trees.geojson');
writeFileSync(
  source,
  JSON.stringify({ type: 'FeatureCollection', features }, (_, value) =>
    typeof value === 'bigint' ? `#${value}` : value,
  ).replaceAll(/"#(\d+)"/g, '$1'),
);

/** A file that GDAL has written. */
function written(name: string, ...options: string[]): Buffer {
  execFileSync('ogr2ogr', [...options, join(folder, name), source], { stdio: 'pipe' });
  return readFileSync(join(folder, name));
}

/** The parts of a shapefile in a ZIP archive. */
function zippedShapefile(base: string, ...options: string[]): Buffer {
  written(`${base}.shp`, ...options);
  const parts = ['shp', 'shx', 'dbf', 'prj', 'cpg'].map((part) => [
    `${base}.${part}`,
    readFileSync(join(folder, `${base}.${part}`)),
  ]);
  return zipOf({ 'readme.txt': 'x', ...Object.fromEntries(parts) });
}

const expected = [
  ['Lindenstraße', '9007199254740993', 12.5, '2024-02-29'],
  ['€ Platz', '2', null, null],
];

async function assertSameRows(bytes: Buffer, name: string, format: string, crs: string | null): Promise<void> {
  const { result, table } = await ingestPayload(bytes, name);
  assert.deepEqual([result.format, result.crs], [format, crs]);
  assert.deepEqual(await valuesOf(table), expected);
  const [first] = await rowsOf(table);
  const near = (value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : Array.isArray(value) ? value.map(near) : value;
  const polygon = first?.geometry as { type: string; coordinates: number[][][] };
  assert.equal(polygon.type, 'Polygon');
  assert.deepEqual(
    polygon.coordinates.map((one) =>
      near([...new Set(one.map(String))].sort().map((text) => text.split(',').map(Number))),
    ),
    holed.coordinates.map((one) =>
      near([...new Set(one.map(String))].sort().map((text) => text.split(',').map(Number))),
    ),
  );
  if (crs) assert.ok(result.remarks.includes(`Coordinates: converted from ${crs} to WGS 84.`), String(result.remarks));
}

describe('files of GDAL', { skip }, () => {
  it('are read from a GeoPackage, also with a write-ahead log, in another reference system', async () => {
    const bytes = written('trees.gpkg', '-t_srs', 'EPSG:25833');
    await assertSameRows(bytes, 'trees.gpkg', 'gpkg', 'EPSG:25833');
    bytes.fill(2, 18, 20);
    await assertSameRows(bytes, 'unnamed', 'gpkg', 'EPSG:25833');
    written('two.gpkg');
    execFileSync('ogr2ogr', ['-update', join(folder, 'two.gpkg'), source, '-nln', 'second']);
    const two = readFileSync(join(folder, 'two.gpkg'));
    await assert.rejects(ingestPayload(two, 'a.gpkg'), /it has 2 layers.*: trees, second\. Name it: --layer trees/);
    const { result } = await ingestPayload(two, 'a.gpkg', { reading: { layer: 'second' } });
    assert.deepEqual([result.rows, result.title], [2, 'second']);
  });
  it('are read from a shapefile, with the shift of its datum', async () => {
    const gauss = zippedShapefile('gk', '-t_srs', 'EPSG:31468', '-dim', 'XYZ', '-lco', 'ENCODING=UTF-8');
    await assertSameRows(gauss, 'gk.zip', 'shp', 'DHDN_3_Degree_Gauss_Zone_4');
    await assertSameRows(zippedShapefile('plain', '-lco', 'ENCODING=UTF-8'), 'plain.zip', 'shp', null);
    const parts = Object.fromEntries(
      ['shp', 'dbf'].map((part) => [part, readFileSync(join(folder, `gk.${part}`))]),
    ) as Record<string, Buffer>;
    const prj = readFileSync(join(folder, 'gk.prj'), 'utf8').replace('D_Deutsches_Hauptdreiecksnetz', 'D_Unknown');
    const unknown = zipOf({ 'a.shp': parts.shp as Buffer, 'a.dbf': parts.dbf as Buffer, 'a.prj': prj });
    await assert.rejects(ingestPayload(unknown, 'a.zip'), /is not one of those that can be converted/);
    await assert.rejects(
      ingestPayload(zipOf({ 'a.shp': parts.shp as Buffer }), 'a.zip'),
      /outside of ±180, ±90 degrees.*--crs/,
    );
    const broken = zipOf({ 'a.shp': (parts.shp as Buffer).subarray(0, 400), 'a.dbf': parts.dbf as Buffer });
    await assert.rejects(ingestPayload(broken, 'a.zip'), /the \.shp file breaks off/);
    const claims = Buffer.from(parts.shp as Buffer);
    claims.writeUInt32LE(0x7fffffff, 100 + 8 + 40);
    await assert.rejects(ingestPayload(zipOf({ 'a.shp': claims }), 'a.zip'), /feature 1: .*claims more points/);
  });
  it('are read from FlatGeobuf', async () => {
    const bytes = written('trees.fgb', '-t_srs', 'EPSG:25833', '-lco', 'SPATIAL_INDEX=NO', '-nlt', 'POLYGON25D');
    const { result, table } = await ingestPayload(bytes, 'trees.fgb');
    assert.deepEqual([result.crs, result.rows, result.geometryKinds], ['EPSG:25833', 2, ['Polygon Z']]);
    assert.deepEqual(
      (await valuesOf(table)).map(([name, big]) => [name, big]),
      [
        ['Lindenstraße', '9007199254740993'],
        ['€ Platz', '2'],
      ],
    );
    await assert.rejects(ingestPayload(bytes.subarray(0, bytes.length - 20), 'a.fgb'), /the FlatGeobuf breaks off/);
    await assert.rejects(
      ingestPayload(Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(40, 0xff)]), 'a.fgb'),
      /more than 16 MB/,
    );
  });
});

describe('XML', () => {
  it('has the rows of the files in a KMZ that network links name', async () => {
    const kml = (content: string) =>
      `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${content}</Document></kml>`;
    const link = (href: string) => `<NetworkLink><Link><href>${href}</href></Link></NetworkLink>`;
    const place = (name: string) => `<Placemark><name>${name}</name></Placemark>`;
    const archive = zipOf({
      'doc.kml': kml(link('layers/a.kml') + link('https://example.org/c.kml') + place('root')),
      'layers/a.kml': kml(place('a') + link('b.kml') + link('../doc.kml') + link('missing.kml')),
      'layers/b.kml': kml(place('b')),
      'layers/other.kml': kml(place('no link leads here')),
    });
    const { result, table } = await ingestPayload(archive, 'a.kmz');
    assert.deepEqual(await valuesOf(table), [['root'], ['a'], ['b']]);
    assert.deepEqual(result.remarks, [
      'Network links: 2 are not read (first: https://example.org/c.kml). Publish the file that it leads to',
    ]);
    const alone = await ingestPayload(kml(link('https://example.org/c.kml')), 'a.kml');
    assert.deepEqual(alone.result.remarks, [
      'Network links: 1 is not read (https://example.org/c.kml). Publish the file that it leads to',
    ]);
  });

  it('has the rows of KMZ that GDAL has written', { skip }, async () => {
    const { table } = await ingestPayload(written('trees.kmz', '-f', 'LIBKML'), 'trees.kmz');
    assert.deepEqual(
      (await valuesOf(table)).map(([name]) => name),
      ['Lindenstraße', '€ Platz'],
    );
  });

  it('has the rows of KML and KMZ', async () => {
    const kml = `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name>
      <Folder><name>Parks</name><Placemark id="p1"><name>A &amp; B</name><description><![CDATA[<b>x</b>]]></description>
      <ExtendedData><Data name="height"><value>12.5</value></Data></ExtendedData>
      <Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 4,0 4,4 0,4 0,0</coordinates></LinearRing></outerBoundaryIs>
      <innerBoundaryIs><LinearRing><coordinates>1,1 2,1 2,2 1,1</coordinates></LinearRing></innerBoundaryIs></Polygon></Placemark></Folder>
      <Placemark><name>C</name><MultiGeometry><Point><coordinates>1,2,3</coordinates></Point><Point><coordinates>4,5,6</coordinates></Point></MultiGeometry></Placemark>
      </Document></kml>`;
    for (const [bytes, name] of [
      [Buffer.from(kml), 'a.xml'],
      [zipOf({ 'doc.kml': kml }), 'a.kmz'],
    ] as const) {
      const { result, table } = await ingestPayload(bytes, name);
      assert.deepEqual(typesOf(result), [
        'geometry:geometry',
        'name:string',
        'description:string',
        'height:float',
        'folder:string',
      ]);
      assert.deepEqual(await valuesOf(table), [
        ['A & B', '<b>x</b>', 12.5, 'Parks'],
        ['C', null, null, null],
      ]);
      const [first, second] = await rowsOf(table);
      assert.equal((first as { geometry: { coordinates: unknown[] } }).geometry.coordinates.length, 2);
      assert.equal(first?.id, 'p1');
      assert.deepEqual(second?.geometry, {
        type: 'MultiPoint',
        coordinates: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      });
    }
    await assert.rejects(ingestPayload(kml.slice(0, 500), 'a.kml'), /the XML is broken: it breaks off/);
    const lol = `<!DOCTYPE kml [<!ENTITY a "${'a'.repeat(20)}">]>${kml.slice(21)}`;
    await assert.rejects(ingestPayload(lol, 'a.kml'), /entities of its own/);
  });
  it('has the rows of GPX', async () => {
    const gpx = `<gpx version="1.1"><metadata><name>no</name></metadata><wpt lat="52" lon="13"><ele>30</ele><time>2024-02-29T10:00:00Z</time><name>Hut</name></wpt>
      <rte><name>R</name><rtept lat="1" lon="2"><name>p</name></rtept><rtept lat="3" lon="4"/></rte>
      <trk><trkseg><trkpt lat="1" lon="2"><ele>5</ele></trkpt><trkpt lat="3" lon="4"><ele>6</ele></trkpt></trkseg><trkseg/></trk></gpx>`;
    const { table, result } = await ingestPayload(gpx, 'a.gpx');
    assert.deepEqual(typesOf(result).slice(1), ['kind:string', 'time:datetime', 'name:string']);
    assert.deepEqual(
      (await rowsOf(table)).map(({ geometry, values }) => [values[0], values[2], geometry]),
      [
        ['waypoint', 'Hut', { type: 'Point', coordinates: [13, 52, 30] }],
        [
          'route',
          'R',
          {
            type: 'LineString',
            coordinates: [
              [2, 1],
              [4, 3],
            ],
          },
        ],
        [
          'track',
          null,
          {
            type: 'MultiLineString',
            coordinates: [
              [
                [2, 1, 5],
                [4, 3, 6],
              ],
            ],
          },
        ],
      ],
    );
    await assert.rejects(
      ingestPayload(gpx.replace('lat="52"', 'lat="x"'), 'a.gpx'),
      /feature 1: a coordinate is not a number/,
    );
    const empty = await ingestPayload('<gpx><wpt lat="" lon=""/></gpx>', 'a.gpx');
    assert.deepEqual((await rowsOf(empty.table))[0]?.geometry, null);
  });
  it('has positions of KML with blanks beside their commas, and refuses those without a number', async () => {
    const geometryOf = async (coordinates: string, type = 'LineString') => {
      const kml = `<kml><Placemark><${type}><coordinates>${coordinates}</coordinates></${type}></Placemark></kml>`;
      return (await rowsOf((await ingestPayload(kml, 'a.kml')).table))[0]?.geometry;
    };
    const line = [
      [13.4, 52.5],
      [13.5, 52.6, 30],
    ];
    for (const text of ['13.4,52.5 13.5,52.6,30', ' 13.4, 52.5\n13.5 ,52.6\t, 30 ', '13.4,52.5 13.5,52.6,30 '])
      assert.deepEqual(await geometryOf(text), { type: 'LineString', coordinates: line }, text);
    assert.deepEqual(await geometryOf('13.4,52.5,', 'Point'), { type: 'Point', coordinates: [13.4, 52.5] });
    // A comma behind three numbers belongs to no position.
    assert.deepEqual(await geometryOf('8.5,47.3,0,', 'Point'), { type: 'Point', coordinates: [8.5, 47.3, 0] });
    const coordinates = [
      [1, 2, 0],
      [3, 4, 5],
    ];
    for (const text of ['1,2,0, 3,4,5,', '1,2,0,\n3,4,5', ' 1,2,0 3,4,5, '])
      assert.deepEqual(await geometryOf(text), { type: 'LineString', coordinates }, text);
    assert.equal(await geometryOf(' ', 'Point'), null);
    for (const text of [
      '13,52 13,',
      ',52 13,53',
      '13,52 13,,30',
      '13,52, 14,53',
      '13,52 14,x',
      '1,2,3,4',
      '1, 2, 3, 4, 5, 6',
    ])
      await assert.rejects(geometryOf(text), /feature 1: a coordinate is not a number/, text);
  });
  it('is read as a whole where a part of it begins like an archive', async () => {
    const head = `<kml><Document><Placemark><name>A</name></Placemark><!--${'-'.repeat(64 * 1024)}`;
    const kml = `${head.slice(0, 64 * 1024 - 3)}-->PK<Placemark><name>B</name></Placemark></Document></kml>`;
    assert.equal(kml.indexOf('PK'), 64 * 1024);
    assert.equal((await ingestPayload(kml, 'a.kml')).result.rows, 2);
  });
  it('has a column folder of the folders, and of data of that name', async () => {
    const data = (value: string) => `<ExtendedData><Data name="folder"><value>${value}</value></Data></ExtendedData>`;
    const placemarks = ['', data('own'), data('')].map((one) => `<Placemark>${one}</Placemark>`).join('');
    const kml = `<kml><Folder><name>F</name>${placemarks}</Folder></kml>`;
    assert.deepEqual(await valuesOf((await ingestPayload(kml, 'a.kml')).table), [['F'], ['own'], ['F']]);
  });
  it('has features of limited length', () => {
    const text = 'x'.repeat(15 * 1024 * 1024);
    for (const [handler, item] of [
      [new KmlHandler(), 'Placemark'],
      [new GpxHandler({ reading: {} } as PayloadInfo), 'trk'],
    ] as const) {
      const add = (count: number) => {
        handler.open(item, {});
        for (let i = 0; i < count; i++) {
          handler.open('description', {});
          handler.close('description', text);
        }
        handler.close(item, '');
      };
      for (let i = 0; i < 3; i++) add(8);
      assert.throws(() => add(9), /a feature of more than 134217728 bytes/);
    }
  });
  it('has no columns or rows of elements with the names of members of objects in JavaScript', async () => {
    const point = '<Point><coordinates>1,2</coordinates></Point>';
    const kml = `<kml><Placemark><name>A</name><constructor>x</constructor>${point}</Placemark></kml>`;
    assert.deepEqual(typesOf((await ingestPayload(kml, 'a.kml')).result).slice(1), ['name:string']);
    const gpx = '<gpx><constructor><name>x</name></constructor><wpt lat="1" lon="2"><name>A</name></wpt></gpx>';
    assert.equal((await rowsOf((await ingestPayload(gpx, 'a.gpx')).table)).length, 1);
  });
  it('has tracks and routes of GPX without lines of one position', async () => {
    const points = (n: number, name: string) => `<${name} lat="1" lon="2"/>`.repeat(n);
    const track = (...counts: number[]) =>
      `<trk>${counts.map((n) => `<trkseg>${points(n, 'trkpt')}</trkseg>`).join('')}</trk>`;
    const gpx = `<gpx>${track(1, 2)}${track(1)}<rte>${points(1, 'rtept')}</rte></gpx>`;
    const { table, result } = await ingestPayload(gpx, 'a.gpx');
    assert.deepEqual(
      (await rowsOf(table)).map(({ geometry }) => (geometry as { coordinates: unknown } | null)?.coordinates),
      [
        [
          [
            [2, 1],
            [2, 1],
          ],
        ],
        undefined,
        undefined,
      ],
    );
    assert.deepEqual(result.remarks, ['Tracks and routes: 3 lines have one position: left out.']);
    await assert.rejects(ingestPayload(gpx, 'a.gpx', { reading: { strict: true } }), /3 lines have one position/);
  });
});
