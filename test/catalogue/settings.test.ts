/** The settings with their defaults. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';

describe('settingsFrom', () => {
  it('has a default for everything', () => {
    assert.deepEqual(settingsFromRecord({}), {
      title: 'Catalogue',
      description: '',
      language: '',
      base_url: '',
      page_size: 20,
      max_page_size: 1000,
      file_cache: 10_000,
      ordering: 'namespace,slug',
      licence: '',
      publisher: '',
      contact: '',
      homepage: '',
      trust_proxy: false,
      people: 'members',
      cors: true,
      git: { commit: false },
      logo: '',
      accent: '',
      footer: {},
      metrics: false,
      payloads: { store: '', endpoint: '', region: '', above: '10 MB', cache: '10 GB', redirect: false },
      sources: {},
    });
  });

  it('takes what the file says', () => {
    const settings = settingsFromRecord({
      title: 'Parks',
      page_size: 5,
      max_page_size: 50,
      cors: false,
      trust_proxy: true,
    });
    assert.equal(settings.title, 'Parks');
    assert.equal(settings.page_size, 5);
    assert.equal(settings.max_page_size, 50);
    assert.equal(settings.cors, false);
    assert.equal(settings.trust_proxy, true);
  });

  it('needs no slash at the end of the address', () => {
    assert.equal(
      settingsFromRecord({ base_url: 'https://data.example/portal//' }).base_url,
      'https://data.example/portal',
    );
  });

  it('has the address as headers and links take it: percent-encoded, its host in Punycode', () => {
    const baseUrl = (text: string) => settingsFromRecord({ base_url: text }).base_url;
    assert.equal(
      baseUrl('https://bücher.example/данные/'),
      'https://xn--bcher-kva.example/%D0%B4%D0%B0%D0%BD%D0%BD%D1%8B%D0%B5',
    );
    assert.equal(baseUrl('https://data.example/%C3%B6/a'), 'https://data.example/%C3%B6/a');
  });

  it('never has a page longer than the longest', () => {
    assert.equal(settingsFromRecord({ page_size: 500, max_page_size: 100 }).page_size, 100);
    assert.equal(settingsFromRecord({ max_page_size: 10 }).page_size, 10);
  });
});
