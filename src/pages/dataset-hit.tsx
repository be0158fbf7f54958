/** A dataset in a list: name, place, description, figures, and why a search found it. */
import type { VNode } from 'preact';
import { lastUpdateOf } from '../catalogue/dataset-filters.ts';
import { mediaPathInUrl } from '../catalogue/layout.ts';
import { refOf } from '../catalogue/ref.ts';
import type { ListedVersion } from '../catalogue/search-summary.ts';
import type { Dataset } from '../catalogue/types.ts';
import { apiPath } from '../catalogue/urls.ts';
import { excerptOfDescription } from './description-excerpt.ts';
import { licenceName, rowCountKey, shownVersion, sizeAndFormat, stripColumnsOf } from './figures.ts';
import { firstParagraph } from './markdown.ts';
import { hasTerm, markTerms } from './marked-text.tsx';
import { hrefOf, hrefOfRef, type PageContext } from './page-context.ts';
import { Strip } from './strip.tsx';

export interface HitProps {
  readonly context: PageContext;
  readonly dataset: Dataset;
  /** Label of the namespace. */
  readonly namespace: string;
  /** Folded terms of the search. */
  readonly terms: readonly string[];
}

/** True for a dataset whose columns are drawn as a strip. */
export const hasStrip = (dataset: Dataset): boolean => stripColumnsOf(dataset, shownVersion(dataset)).length > 0;

export function DatasetHit({ context, dataset, namespace, terms }: HitProps): VNode {
  const { locale } = context;
  const version: ListedVersion | undefined = shownVersion(dataset);
  const columns = stripColumnsOf(dataset, version);
  const updated = lastUpdateOf(dataset);
  const { licence } = dataset;
  const links = Object.keys(dataset.links).length;
  return (
    <li class="hit">
      <div>
        <h3>
          <a href={hrefOfRef(context, refOf(dataset))} dir="auto">
            {markTerms(dataset.label, terms)}
          </a>{' '}
          {dataset.visibility === 'private' && <span class="tag private">{locale.text('private')}</span>}
        </h3>
        <p class="where-is">
          <a href={hrefOf(context, apiPath({ kind: 'namespace', slug: dataset.namespace }))} dir="auto">
            {namespace}
          </a>{' '}
          / {markTerms(dataset.slug, terms)}
        </p>
        <p dir="auto">{markTerms(firstParagraph(dataset.description), terms)}</p>
        <div class="dots">
          {version?.rows != null && (
            <span>{locale.fill(rowCountKey(version, dataset.columns), boldCount(context, version.rows))}</span>
          )}
          {columns.length > 0 && <span>{locale.fill('columnCount', boldCount(context, columns.length))}</span>}
          {version?.file || version?.href ? (
            <span>{sizeAndFormat(version, locale)}</span>
          ) : (
            <span>{links > 0 ? locale.text('linkCount', { count: links }) : locale.text('noData')}</span>
          )}
          {licence && <span>{licenceName(licence)}</span>}
          {updated && (
            <span>
              <time dateTime={updated}>{locale.date(updated)}</time>
            </span>
          )}
          {dataset.versions.length > 1 && (
            <span>{locale.text('versionCount', { count: dataset.versions.length })}</span>
          )}
        </div>
        <Reasons context={context} dataset={dataset} terms={terms} />
      </div>
      {columns.length > 0 && (
        <div class="plate-s">
          <Plate context={context} dataset={dataset} version={version} />
          <Strip columns={columns} locale={locale} width={148} height={14} />
        </div>
      )}
    </li>
  );
}

/**
 * The plate of a dataset: a map of the rows of the version that is shown, or the texture of its table, drawn by the server; for
 * other files their thumbnail, if it is an image of this site: no browser asks another site unasked.
 */
function Plate({ context, dataset, version }: Pick<HitProps, 'context' | 'dataset'> & PlateVersion): VNode | null {
  const address = dataset.thumbnail_image || dataset.image;
  const hasRows = version?.ready && version.file && version.rows;
  if (!hasRows && !mediaPathInUrl(address)) return null;
  const source = hasRows ? hrefOfRef(context, refOf(version), 'plate.svg') : hrefOf(context, address);
  return <img src={source} width="148" height="74" alt="" loading="lazy" />;
}

interface PlateVersion {
  readonly version: ListedVersion | undefined;
}

/** Values of a text with a count, whose number is bold. */
export const boldCount = ({ locale }: PageContext, count: number) => ({ count, number: <b>{locale.number(count)}</b> });

/** Most columns that are named as the reason of a hit. */
const maxReasons = 3;

/** Characters of a description before and behind a term that is found in it. */
const roundTerm = 60;

/** The keywords, columns and part of the description that a search found, if the shown texts don't have all terms of the search. */
function Reasons({ context, dataset, terms }: Omit<HitProps, 'namespace'>): VNode | null {
  const { locale } = context;
  const shown = `${dataset.label}\n${dataset.slug}\n${firstParagraph(dataset.description)}`;
  const hidden = terms.filter((term) => !hasTerm(shown, [term]));
  if (hidden.length === 0) return null;
  const keywords = dataset.keywords.filter((keyword) => hasTerm(keyword, hidden)).slice(0, maxReasons);
  const columns = dataset.columns.filter(({ name, label }) => hasTerm(`${name}\n${label}`, hidden));
  const named = columns
    .slice(0, maxReasons)
    .flatMap(({ name, label }, i) => [
      i > 0 && ', ',
      <code key={name}>{markTerms(name, hidden)}</code>,
      label && label !== name && [' “', markTerms(label, hidden), '”'],
    ]);
  const excerpt = excerptOfDescription(dataset.description, hidden, roundTerm);
  return (
    <>
      {excerpt !== null && (
        <p class="why">{locale.fill('foundInDescription', { text: <bdi>{markTerms(excerpt, hidden)}</bdi> })}</p>
      )}
      {keywords.length > 0 && (
        <p class="why">{locale.fill('foundInKeyword', { names: markTerms(keywords.join(', '), hidden) })}</p>
      )}
      {columns.length > 0 && (
        <p class="why">
          {locale.fill('foundInColumns', {
            count: columns.length,
            names: columns.length > maxReasons ? [...named, ', …'] : named,
          })}
        </p>
      )}
    </>
  );
}
