/** Settings of a catalogue: the fields of catalogue.yaml (rows as in `fields.ts`), and the values read from it. */

import { fieldsWithNames, fillFieldsFromRecord, type Stored } from './field.ts';
import {
  booleanField,
  choiceField,
  imageField,
  integerField,
  mappingField,
  objectField,
  sourcesField,
  textField,
} from './field-types.ts';
import { bucketPattern } from './payload-store.ts';
import type { Settings } from './types.ts';
import { canonicalBaseUrl } from './urls.ts';

const git = {
  commit: booleanField('Make a commit of each write over HTTP, in the name of the user who wrote.', { default: false }),
};

const sizePattern = '^\\d+(\\.\\d+)? ?([kMGT]i?)?B$';

const payloads = {
  store: textField(
    'Bucket for large payloads, and a folder in it: s3://bucket/folder. Keys come from the environment.',
    { pattern: bucketPattern },
  ),
  endpoint: textField('Address of the object store, as https://s3.example.org, unless it is that of Amazon.', {
    pattern: '^https?://[^\\s?#@]+$',
    toValue: (stored) => stored.replace(/\/+$/, ''),
  }),
  region: textField('Region of the bucket. Left out, that of the environment.', { pattern: '^[A-Za-z0-9-]+$' }),
  above: textField('Size above which new payloads go to the object store, as 10 MB or 1 GiB.', {
    pattern: sizePattern,
    default: '10 MB',
  }),
  cache: textField('Most disk space for copies of stored payloads, which rows and maps are read from.', {
    pattern: sizePattern,
    default: '10 GB',
  }),
  redirect: booleanField('Send readers of files to the object store, at an address that is valid for minutes.', {
    default: false,
  }),
};

export const settingsFields = {
  title: textField('Name of the catalogue.', { absent: 'Catalogue' }),
  description: textField('What the catalogue holds, in Markdown.'),
  language: textField('Language of the labels, as a BCP 47 tag such as de, da, nb or sv: slugs are spelled as in it.', {
    meaning: 'language',
  }),
  base_url: textField(
    'Public address of the server, as https://data.example.org, without /api/v1. Left out, that of each request.',
    {
      title: 'Base URL',
      // No user name and no password: each link would have them.
      pattern: '^https?://[^\\s?#/@]+(/[^\\s?#]*)?$',
      toValue: canonicalBaseUrl,
    },
  ),
  page_size: integerField('Length of a page of a list.', { minimum: 1, maximum: 100_000, default: 20 }),
  max_page_size: integerField('The greatest ?page_size= that is granted.', {
    title: 'Maximum page size',
    minimum: 1,
    maximum: 100_000,
    default: 1000,
  }),
  file_cache: integerField('Most megabytes on disk of versions in other formats than their own; 0 keeps none.', {
    title: 'File cache',
    minimum: 0,
    maximum: 100_000_000,
    default: 10_000,
  }),
  ordering: textField('Default order of lists: comma-separated fields, a minus for descending.', {
    default: 'namespace,slug',
  }),
  licence: textField('SPDX identifier of the licence of datasets without one, or its URL.', { meaning: 'licence' }),
  publisher: textField('Publisher of datasets that name none.'),
  contact: textField('E-mail address or URL for questions about datasets that name none.', { meaning: 'contact' }),
  homepage: textField('URL of a website about the catalogue.', { meaning: 'homepage' }),
  trust_proxy: booleanField('Believe X-Forwarded-Proto, -Host and -For, and X-Request-Id: a proxy writes them.', {
    default: false,
  }),
  people: choiceField(
    ['members', 'public'],
    'Who may see users, authors of commits and this file: signed-in users, or everybody.',
    {
      absent: 'members',
    },
  ),
  cors: booleanField('Whether pages of every origin may read the API.', { title: 'Cross-origin reads', default: true }),
  git: objectField(git, 'What the server does with the git repository that the folder is in.'),
  logo: imageField('Path below /site_media/ of a picture that stands before the title on every page.'),
  accent: textField('Colour of links and buttons of the pages, as #0b5a63; that of the dark scheme is derived.', {
    meaning: 'accent',
  }),
  footer: mappingField('Links in the foot of every page: texts, and their addresses.', {
    pattern: '^(https?://|mailto:|/)\\S+$',
    description: 'URL that begins with https, http or mailto, or a path that begins with /.',
  }),
  payloads: objectField(payloads, 'Where large payloads are kept: in an object store with the interface of S3.'),
  sources: sourcesField('Sources that `catalogue refresh` imports again, by name.'),
  metrics: booleanField('Count requests and more for Prometheus, at /metrics, from the next start on.', {
    default: false,
  }),
};

const fields = fieldsWithNames(settingsFields);

/** The settings in catalogue.yaml, with defaults; {} gives the defaults. */
export function settingsFromRecord(record: Stored<typeof settingsFields>): Settings {
  const settings = fillFieldsFromRecord({}, fields, record) as unknown as Settings;
  return Object.freeze({ ...settings, page_size: Math.min(settings.page_size, settings.max_page_size) });
}
