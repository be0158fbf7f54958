/** The catalogue's settings, with their defaults. */
import type { RecordOf } from './records.ts';
import { settingsSchema } from './settings-schema.ts';
import type { Settings } from './types.ts';

const { page_size, max_page_size, ordering } = settingsSchema.properties;

/** Settings from what catalogue.yaml says; {} gives the defaults. */
export function settingsFrom(record: RecordOf<'settings'>): Settings {
  return Object.freeze({
    title: record.title ?? 'Catalogue',
    description: record.description ?? '',
    base_url: (record.base_url ?? '').replace(/\/+$/, ''),
    page_size: Math.min(record.page_size ?? page_size.default, record.max_page_size ?? max_page_size.default),
    max_page_size: record.max_page_size ?? max_page_size.default,
    ordering: record.ordering ?? ordering.default,
    licence: record.licence ?? '',
    publisher: record.publisher ?? '',
    contact: record.contact ?? '',
    homepage: record.homepage ?? '',
    trust_proxy: record.trust_proxy ?? false,
    cors: record.cors ?? true,
    git: Object.freeze({ commit: record.git?.commit ?? false }),
    metrics: record.metrics ?? false,
  });
}
