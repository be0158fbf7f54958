/**
 * GDAL reads all datasets from OGC API - Features: every row, with the right types, and filters that the server evaluates.
 * Skipped where it isn't installed, unless this runs in continuous integration, where it has to be.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const installed = spawnSync('ogr2ogr', ['--version']).status === 0;
const skip = !installed && !process.env.CI && 'ogr2ogr is not installed (Debian: gdal-bin)';
const run = promisify(execFile);

describe('GDAL over OGC API - Features', { skip }, () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const folder = mkdtempSync(join(tmpdir(), 'oapif-'));
  const file = join(folder, 'all.gpkg');

  before(async () => {
    workshop = await makeWorkshop();
    await publishHostileRows(workshop);
    const examples = new URL('../../catalogue-data/namespaces/', import.meta.url);
    cpSync(new URL('natural-earth', examples), join(workshop.root, 'namespaces/natural-earth'), { recursive: true });
    cpSync(new URL('datahub', examples), join(workshop.root, 'namespaces/datahub'), { recursive: true });
    server = await serveFolder(workshop.root, { logFormat: 'json' });
    await run('ogr2ogr', [file, `OAPIF:${server.base}/ogc/`, '-oo', 'PAGE_SIZE=1000']);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
    rmSync(folder, { recursive: true });
  });

  const describeLayer = async (layer: string, source = file, ...options: string[]) =>
    (await run('ogrinfo', ['-ro', '-so', ...options, source, layer])).stdout;
  const countIn = (info: string) => Number(/^Feature Count: (\d+)$/m.exec(info)?.[1]);

  it('brings every dataset with all rows', async () => {
    const { collections } = (await (await fetch(`${server.base}/ogc/collections`)).json()) as {
      collections: { id: string }[];
    };
    const { stdout } = await run('ogrinfo', ['-ro', '-so', '-al', file]);
    const layers = new Map(stdout.split(/^Layer name: /m).map((info) => [info.split('\n')[0], info]));
    for (const { id } of collections) {
      const items = await (await fetch(`${server.base}/ogc/collections/${id}/items?limit=1`)).json();
      assert.equal(countIn(layers.get(id) ?? ''), (items as { numberMatched: number }).numberMatched, id);
    }
  });

  it('has the right types', async () => {
    const info = await describeLayer('lab.quoted');
    for (const line of ['a "b" & c: String', 'day: Date', 'moment: DateTime', 'open: Integer(Boolean)', 'size: Real'])
      assert.ok(info.includes(`\n${line} `), `${line} is not in\n${info}`);
    assert.match(info, /^Geometry: Point$/m);
    assert.match(await describeLayer('lab.quoted'), /^(limit|id): Integer(64)? /m);
    assert.match(await describeLayer('natural-earth.lakes'), /^Geometry: Polygon$/m);
    assert.match(await describeLayer('datahub.gdp'), /^Year: Integer(64)? /m);
  });

  it('lets the server evaluate a box and a condition', async () => {
    const before = server.log.length;
    const source = `OAPIF:${server.base}/ogc/`;
    const options = ['-spat', '-2', '-2', '3', '3', '-where', "name = 'zero'"];
    assert.equal(countIn(await describeLayer('lab.antimeridian', source, ...options)), 1);
    const asked = server.log.slice(before).map((line) => (JSON.parse(line) as { path: string }).path);
    assert.ok(
      asked.some((path) => /items\?.*bbox=-2,-2,3,3&name=zero$/.test(decodeURIComponent(path))),
      asked.join('\n'),
    );
  });
});
