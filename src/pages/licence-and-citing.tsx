/** What a licence allows and asks for, in words; and how to cite a version. */
import type { VNode } from 'preact';
import { findSpdxIdentifier } from '../catalogue/licence.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { apiPath, isHttpUrl } from '../catalogue/urls.ts';
import { CodeBlock } from './code-block.tsx';
import { dateOfVersion, licenceName } from './figures.ts';
import { withoutIsolates } from './locale.ts';
import { absoluteUrl, type PageContext } from './page-context.ts';
import type { TextKey } from './texts/english.ts';

interface Terms {
  readonly may: TextKey;
  readonly must: readonly TextKey[];
}

const publicDomain: Terms = { may: 'licenceMayAll', must: [] };
const attribution: Terms = { may: 'licenceMayUse', must: ['licenceMustName'] };
const shareAlike: Terms = { may: 'licenceMayUse', must: ['licenceMustName', 'licenceMustShareAlike'] };
const nonCommercial: Terms = { may: 'licenceMayNonCommercial', must: ['licenceMustName'] };
const notice: Terms = { may: 'licenceMayUse', must: ['licenceMustKeepNotice'] };

/** Terms of the licences that data most often have, by SPDX identifier. */
const terms: Readonly<Record<string, Terms>> = {
  'CC0-1.0': publicDomain,
  'PDDL-1.0': publicDomain,
  'CC-PDDC': publicDomain,
  'DL-DE-ZERO-2.0': publicDomain,
  'CC-BY-4.0': attribution,
  'CC-BY-3.0': attribution,
  'CC-BY-2.0': attribution,
  'ODC-By-1.0': attribution,
  'DL-DE-BY-2.0': attribution,
  'OGL-UK-3.0': attribution,
  'OGL-UK-2.0': attribution,
  'OGL-Canada-2.0': attribution,
  'etalab-2.0': attribution,
  'NLOD-2.0': attribution,
  'CC-BY-SA-4.0': shareAlike,
  'CC-BY-SA-3.0': shareAlike,
  'ODbL-1.0': shareAlike,
  'CC-BY-NC-4.0': nonCommercial,
  'CC-BY-NC-SA-4.0': { may: 'licenceMayNonCommercial', must: ['licenceMustName', 'licenceMustShareAlike'] },
  'CC-BY-ND-4.0': { may: 'licenceMayShareUnchanged', must: ['licenceMustName'] },
  'CC-BY-NC-ND-4.0': { may: 'licenceMayShareUnchanged', must: ['licenceMustName', 'licenceMustNotSell'] },
  MIT: notice,
  'Apache-2.0': notice,
  'BSD-3-Clause': notice,
};

/** SPDX identifiers of those licences. */
export const commonLicences: readonly string[] = Object.keys(terms);

interface Props {
  readonly context: PageContext;
  readonly dataset: Dataset;
  readonly version: Version | undefined;
}

/** Licence of a dataset, or else of the catalogue. */
export const licenceOf = ({ settings }: PageContext, dataset: Dataset): string => dataset.licence || settings.licence;

/** Publisher of a dataset, or else of the catalogue. */
export const publisherOf = ({ settings }: PageContext, dataset: Dataset): string =>
  dataset.publisher || settings.publisher;

export function LicenceAndCiting({ context, dataset, version }: Props): VNode {
  return (
    <div class="two-up">
      <LicenceTerms context={context} dataset={dataset} version={version} />
      {version && <Citation context={context} dataset={dataset} version={version} />}
    </div>
  );
}

function LicenceTerms({ context, dataset }: Props): VNode {
  const { locale } = context;
  const licence = licenceOf(context, dataset);
  const publisher = publisherOf(context, dataset);
  const id = findSpdxIdentifier(licence);
  const known = id === undefined ? undefined : terms[id];
  const link = isHttpUrl(licence) ? licence : id === undefined ? undefined : `https://spdx.org/licenses/${id}.html`;
  if (!licence)
    return (
      <div>
        <h3>{locale.text('licence')}</h3>
        <p>{locale.text('noLicence')}</p>
      </div>
    );
  return (
    <div>
      <h3>{licenceName(licence)}</h3>
      {known ? (
        <ul class="ok">
          <li>{locale.text(known.may)}</li>
          {known.must.map((key) => (
            <li key={key} class="must">
              {locale.text(key)}
            </li>
          ))}
          {known === publicDomain && <li>{locale.text('licencePublicDomain')}</li>}
          {known !== publicDomain && publisher && <li class="must">{locale.text('attributed', { publisher })}</li>}
        </ul>
      ) : (
        <p>{locale.text('licenceReadText')}</p>
      )}
      {link && (
        <p class="s">
          <a href={link} rel="license noopener">
            {locale.text('licenceText')}
          </a>
        </p>
      )}
    </div>
  );
}

function Citation({ context, dataset, version }: Required<Props>): VNode | null {
  const { locale, settings } = context;
  if (!version) return null;
  const publisher = publisherOf(context, dataset) || settings.title;
  const year = version.datetime.slice(0, 4);
  const url = absoluteUrl(context, apiPath(refOf(version)));
  const text = locale.text('citation', {
    ...{ publisher, year, label: dataset.label, date: dateOfVersion(locale, version, dataset.versions, 'long') },
    ...{ catalogue: settings.title, url },
  });
  const key = `${dataset.slug}-${year}`.replace(/[^A-Za-z0-9-]/g, '');
  const checksum = version.checksum && `SHA-256: ${version.checksum}`;
  const braces = (value: string) =>
    value.replace(/[{}\\%&#$_^~]/g, (character) => (/[%&#$_]/.test(character) ? `\\${character}` : ''));
  const bibtex = `@misc{${key},
  author = {{${braces(publisher)}}},
  title = {{${braces(dataset.label)}}},
  year = {${year}},
  version = {${version.slug}},
  howpublished = {${braces(settings.title)}, version ${version.slug}},
  url = {${url}}${checksum && `,\n  note = {${checksum}}`}
}`;
  const csl = {
    id: key,
    type: 'dataset',
    title: dataset.label,
    author: [{ literal: publisher }],
    issued: { 'date-parts': [version.datetime.slice(0, 10).split('-').map(Number)] },
    publisher: settings.title,
    version: version.slug,
    URL: url,
    ...(checksum && { note: checksum }),
  };
  return (
    <div>
      <h3>{locale.text('toCiteVersion')}</h3>
      <CodeBlock context={context} label={locale.text('toCiteVersion')} code={withoutIsolates(text)} wraps />
      {version.checksum && (
        <p class="s soft">
          {locale.text('checksum')} <code class="checksum">{version.checksum}</code>
        </p>
      )}
      <details>
        <summary>BibTeX, CSL-JSON</summary>
        <CodeBlock context={context} label="BibTeX" code={bibtex} />
        <CodeBlock context={context} label="CSL-JSON" code={JSON.stringify([csl], null, 2)} />
      </details>
    </div>
  );
}
