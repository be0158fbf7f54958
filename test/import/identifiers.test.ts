/** Identifiers of sources: those that are unique everywhere, and those that two sources may both use. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isGloballyUnique } from '../../src/import/merge.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

describe('an identifier', () => {
  for (const id of [
    '5f2b2a4e-6c0d-4b7e-9a53-0f7b3f9d1c22',
    'urn:uuid:5f2b2a4e-6c0d-4b7e-9a53-0f7b3f9d1c22',
    'URN:NBN:de:101:1-201102033592',
    'https://data.example.org/dataset/trees',
    'http://[2001:4860:4860::8888]/trees',
    'ftp://ftp.example.org/trees',
    '10.5281/zenodo.1234',
    'doi:10.5281/zenodo.1234',
    'hdl:2134/5678',
    'info:doi/10.1000/182',
    'ark:/12148/btv1b8449691v',
    'tag:example.org,2024:trees',
  ])
    it(`is unique everywhere: ${id}`, () => assert.ok(isGloballyUnique(id)));

  for (const id of [
    'trees',
    'ms:roads',
    'topp:states',
    'city:roads',
    'doi:pending',
    'urn:trees',
    'file:///srv/data/trees.csv',
    'http://localhost:5000/dataset/trees',
    'http://127.0.0.1/dataset/trees',
    'https://10.0.0.7/dataset/trees',
    'http://ckan:5000/dataset/trees',
    'http://ckan.localhost/dataset/trees',
    'http://printer.local/trees',
    'http://',
  ])
    it(`may be that of several sources: ${id}`, () => assert.ok(!isGloballyUnique(id)));

  it('is no URL if its server has a name of tens of thousands of characters', () =>
    assert.ok(!isGloballyUnique(`https://a${'\u0323\u0301'.repeat(20_000)}.org/`)));
});

describe('two sources in one namespace', () => {
  const portals = [new Portal(), new Portal()] as const;
  before(() => Promise.all(portals.map((portal) => portal.start())));
  after(() => {
    for (const portal of portals) portal.close();
  });

  it('keep their datasets apart if both have a type of the same name, as two MapServers do', async () => {
    const root = await makeRoot();
    const importing = async (portal: Portal) => {
      const source = `${portal.base}/wfs?request=GetCapabilities`;
      const { out, err } = await type(['import', source, '--to', 'geo', '--delay', '0', '--json'], { root });
      const { created, updated, unchanged } = out ? JSON.parse(out) : assert.fail(err);
      return [created.map(({ dataset }: { dataset: string }) => dataset), updated, unchanged];
    };
    for (const [i, portal] of portals.entries())
      portal.file(
        '/wfs',
        `<?xml version="1.0"?><WFS_Capabilities><FeatureTypeList><FeatureType><Name>ms:roads</Name>
         <Title>Roads of ${i === 0 ? 'Aarau' : 'Bern'}</Title></FeatureType></FeatureTypeList></WFS_Capabilities>`,
        'application/xml',
      );
    assert.deepEqual(await importing(portals[0]), [['geo/roads'], [], 0]);
    assert.deepEqual(await importing(portals[1]), [['geo/roads-2'], [], 0]);
    for (const portal of portals) assert.deepEqual(await importing(portal), [[], [], 1]);
  });
});
