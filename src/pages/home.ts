/** The home page of a catalogue. */
import type { Dataset, Settings } from '../catalogue/types.ts';
import { apiRoot, collections, pathOf } from '../catalogue/urls.ts';
import { escapeHtml, layout } from './layout.ts';

/**
 * A page with the first datasets, and links to the rest.
 * @param count number of all datasets
 */
export function homePage(settings: Settings, base: string, datasets: readonly Dataset[], count: number): string {
  const link = (path: string, text: string) => `<a href="${escapeHtml(base + path)}">${escapeHtml(text)}</a>`;
  const links = (['dataset', 'namespace', 'version', 'query'] as const).map((kind) =>
    link(`${apiRoot}${collections[kind]}/`, collections[kind]),
  );
  const items = datasets.map(
    (dataset) =>
      `<li>${link(pathOf({ ...dataset, kind: 'dataset' }), dataset.label)} (${escapeHtml(dataset.namespace)})</li>`,
  );
  const list = items.length
    ? `<ul>\n${items.join('\n')}\n</ul>`
    : '<p>There are no datasets yet. Add one with <code>catalogue dataset add</code>.</p>';
  const more =
    count > datasets.length ? `<p>${link(`${apiRoot}datasets/?page=2`, `${count - datasets.length} more`)}</p>` : '';
  const about = settings.description ? `<p>${escapeHtml(settings.description)}</p>` : '';
  return layout(
    settings.title,
    settings,
    base,
    `${about}\n<p>${links.join(' · ')} · ${link(apiRoot, 'API')} · ${link('/schemas/', 'schemas')}</p>\n<h2>Datasets</h2>\n${list}\n${more}`,
  );
}
