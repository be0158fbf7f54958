/** The first screen of a dataset: what it is, whose, how much, and the button that downloads it. */

import type { ComponentChildren, VNode } from 'preact';
import { type OutputFormatName, offeredFormats } from '../catalogue/output-formats.ts';
import { hasCountedRows } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { downloadFileName, isHttpUrl } from '../catalogue/urls.ts';
import { boldCount } from './dataset-hit.tsx';
import { extentText } from './extent-text.ts';
import { dateOfVersion, licenceName, rowCountKey, stripColumnsOf } from './figures.ts';
import { formatName } from './format-names.ts';
import { licenceOf, publisherOf } from './licence-and-citing.tsx';
import { hrefOfRef, hrefOfSearch, type PageContext } from './page-context.ts';
import { Prose } from './prose.tsx';
import { Strip, StripLegend } from './strip.tsx';

export interface LeadProps {
  readonly context: PageContext;
  readonly dataset: Dataset;
  readonly version: Version | undefined;
  /** True for the page of a version, whose address the links keep. */
  readonly isVersionPage: boolean;
  /** Sizes in bytes of the files in other formats that are made already. */
  readonly sizes: ReadonlyMap<string, number>;
}

export function DatasetLead({ context, dataset, version, isVersionPage, sizes }: LeadProps): VNode {
  const { locale } = context;
  const columns = stripColumnsOf(dataset, version);
  return (
    <div class="lead">
      <div>
        <h1 dir="auto">{dataset.label}</h1>
        {dataset.visibility === 'private' && (
          <p>
            <span class="tag private">{locale.text('private')}</span>
          </p>
        )}
        <Prose context={context} text={dataset.description} />
        {columns.length > 0 && (
          <>
            <Strip columns={columns} locale={locale} width={560} height={26} />
            <StripLegend columns={columns} locale={locale} />
          </>
        )}
        {version?.ready && <Downloads {...{ context, dataset, version, isVersionPage, sizes }} />}
      </div>
      <Facts {...{ context, dataset, version }} />
    </div>
  );
}

/** Formats that are shown at once, besides the one that is stored. */
const usualFormats: readonly OutputFormatName[] = ['csv', 'geojson'];

function Downloads({
  context,
  dataset,
  version,
  isVersionPage,
  sizes,
}: LeadProps & { readonly version: Version }): VNode {
  const { locale } = context;
  const ref = isVersionPage ? refOf(version) : refOf(dataset);
  // Besides the one that is stored.
  const others = offeredFormats(dataset.columns, version.rows).filter((name) => name !== version.format);
  const stored = version.file
    ? hrefOfRef(context, ref, `download/${downloadFileName(version, !isVersionPage)}`)
    : hrefOfRef(context, ref, 'download/');
  const links = (names: readonly OutputFormatName[]) =>
    names.map((name) => (
      <a key={name} class="btn" href={hrefOfRef(context, ref, `data.${name}`)} rel="nofollow">
        {name === 'excel' ? locale.text('excelFile') : formatName(name)}
        {sizes.has(name) && <small> {locale.size(sizes.get(name) as number)}</small>}
      </a>
    ));
  return (
    <div class="take row">
      <a class="btn main" href={stored} download={version.file ? '' : undefined}>
        {locale.text('download', { format: formatName(version.format) })}{' '}
        {version.size !== null && <small>{locale.size(version.size)}</small>}
      </a>
      {hasCountedRows(version) && links(others.filter((name) => usualFormats.includes(name)))}
      {hasCountedRows(version) && (
        <details class="other-formats">
          <summary class="btn">{locale.text('otherFormats')}</summary>
          <div class="row">{links(others.filter((name) => !usualFormats.includes(name)))}</div>
        </details>
      )}
    </div>
  );
}

function Facts({ context, dataset, version }: Pick<LeadProps, 'context' | 'dataset' | 'version'>): VNode {
  const { locale, settings } = context;
  const licence = licenceOf(context, dataset);
  const publisher = publisherOf(context, dataset);
  const contact = dataset.contact || settings.contact;
  const { homepage, keywords, columns, versions, links } = dataset;
  const rows: (readonly [string, ComponentChildren] | false)[] = [
    version?.rows != null && [
      locale.text('rows'),
      locale.fill(rowCountKey(version, columns), boldCount(context, version.rows)),
    ],
    columns.length > 0 && [locale.text('columns'), <b key="columns">{locale.number(columns.length)}</b>],
    Boolean(version?.bbox) && [locale.text('extent'), extentText(locale, version?.bbox ?? [])],
    version !== undefined && [
      locale.text('version'),
      <>
        <time dateTime={version.datetime}>{dateOfVersion(locale, version, dataset.versions, 'long')}</time>,{' '}
        {locale.text(version.slug === versions[0]?.slug ? 'newestOf' : 'oneOf', { count: versions.length })}
      </>,
    ],
    [locale.text('licence'), licence ? licenceName(licence) : locale.text('noLicence')],
    Boolean(publisher) && [
      locale.text('publisher'),
      <span key="publisher" dir="auto">
        {publisher}
      </span>,
    ],
    isHttpUrl(homepage) && [
      locale.text('source'),
      <a key="source" href={homepage} rel="nofollow noopener">
        {new URL(homepage).host.replace(/^www\./, '')}
      </a>,
    ],
    Object.keys(links).length > 0 && [locale.text('links'), <Links key="links" {...{ context, links }} />],
    Boolean(contact) && [locale.text('contact'), <Contact key="contact" contact={contact} />],
    keywords.length > 0 && [locale.text('keywords'), <Keywords key="keywords" {...{ context, keywords }} />],
  ];
  return (
    <dl class="facts">
      {rows.map((row) =>
        row ? (
          <div key={row[0]}>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

/** Links and keywords of a dataset that are shown at once. */
const [shownLinks, shownKeywords] = [5, 20];

/** Keywords, each a link to the datasets that have it; the first of them, and the others folded. */
function Keywords({ context, keywords }: { readonly context: PageContext } & Pick<Dataset, 'keywords'>): VNode {
  const list = (some: readonly string[]) => (
    <span class="keys">
      {some.map((keyword) => (
        <a key={keyword} class="tag" href={hrefOfSearch(context, { keyword })} dir="auto">
          {keyword}
        </a>
      ))}
    </span>
  );
  const rest = keywords.slice(shownKeywords);
  return (
    <>
      {list(keywords.slice(0, shownKeywords))}
      {rest.length > 0 && (
        <details>
          <summary>{context.locale.text('moreValues', { count: rest.length })}</summary>
          {list(rest)}
        </details>
      )}
    </>
  );
}

/** Files and pages on other servers; the first of them, and the others folded. */
function Links({ context, links }: { readonly context: PageContext } & Pick<Dataset, 'links'>): VNode {
  const items = Object.entries(links).map(([title, url]) => (
    <li key={title} dir="auto">
      {isHttpUrl(url) ? (
        <a href={url} rel="nofollow noopener">
          {title || url}
        </a>
      ) : (
        <>
          {title} <code>{url}</code>
        </>
      )}
    </li>
  ));
  return (
    <>
      <ul>{items.slice(0, shownLinks)}</ul>
      {items.length > shownLinks && (
        <details>
          <summary>{context.locale.text('moreValues', { count: items.length - shownLinks })}</summary>
          <ul>{items.slice(shownLinks)}</ul>
        </details>
      )}
    </>
  );
}

/** An address, a mailbox or a text. */
function Contact({ contact }: { readonly contact: string }): VNode {
  const mail = /^(?:[^<>]*<)?(?:mailto:)?([^\s@<>":]+@[^\s@<>"]+)>?$/i.exec(contact)?.[1];
  if (isHttpUrl(contact))
    return (
      <a href={contact} rel="nofollow noopener">
        {new URL(contact).host}
      </a>
    );
  if (mail) return <a href={`mailto:${encodeURI(mail.toWellFormed())}`}>{contact.replace(/^mailto:/i, '')}</a>;
  return <span dir="auto">{contact}</span>;
}
