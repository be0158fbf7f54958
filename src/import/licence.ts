/** Licences of sources: SPDX identifiers from the identifiers, URLs and titles that catalogues write. */
import { isKnownLicence } from '../catalogue/known-licence.ts';
import { findSpdxIdentifier, nearestLicence } from '../catalogue/licence.ts';
import { isAbsoluteUrl } from '../catalogue/urls.ts';

/** SPDX identifiers of licences by their URLs, without scheme, `www.`, and what follows. */
const byUrl: readonly (readonly [pattern: RegExp, id: (match: RegExpExecArray) => string])[] = [
  [
    /^creativecommons\.org\/licen[cs]es\/(by(?:-nc)?(?:-nd|-sa)?)\/(\d\.\d)/,
    ([, kind = '', version]) => `CC-${kind}-${version}`,
  ],
  [/^creativecommons\.org\/publicdomain\/zero/, () => 'CC0-1.0'],
  [/^creativecommons\.org\/publicdomain\/mark/, () => 'PDM-1.0'],
  [/^opendatacommons\.org\/licenses\/odbl/, () => 'ODbL-1.0'],
  [/^opendatacommons\.org\/licenses\/pddl/, () => 'PDDL-1.0'],
  [/^opendatacommons\.org\/licenses\/by/, () => 'ODC-By-1.0'],
  [/^nationalarchives\.gov\.uk\/doc\/open-government-licence\/version\/(\d)/, ([, version]) => `OGL-UK-${version}.0`],
  [/^(?:opensource\.org\/licen[cs]es?|spdx\.org\/licenses)\/([\w.+-]+?)(?:\.html)?$/, ([, id = '']) => id],
  [/^govdata\.de\/dl-de\/(by|zero)-2-0/, ([, kind]) => `DL-DE-${kind}-2.0`],
  // The vocabularies that DCAT-AP and its German profile name, and the Open Definition, which CKAN names.
  [
    /^publications\.europa\.eu\/resource\/authority\/licence\/cc_by(nc)?(nd|sa)?_(\d)_(\d)(?:_([a-z]+))?$/,
    ([, nc, other, major, minor, country]) =>
      ['CC-BY', nc, other, `${major}.${minor}`, country].filter(Boolean).join('-'),
  ],
  [/^publications\.europa\.eu\/resource\/authority\/licence\/eupl_1_(\d)$/, ([, minor]) => `EUPL-1.${minor}`],
  [/^dcat-ap\.de\/def\/licenses\/dl-(by|zero)-de\/2\.0$/, ([, kind]) => `DL-DE-${kind}-2.0`],
  [
    /^(?:dcat-ap\.de\/def|opendefinition\.org)\/licenses\/(cc-by(?:-nc)?(?:-nd|-sa)?)(?:-([a-z]{2}))?(?:\/(\d\.\d))?\/?$/,
    ([, kind, country, version = '4.0']) => [kind, version, country].filter(Boolean).join('-'),
  ],
  [
    /^(?:publications\.europa\.eu\/resource\/authority\/licence|dcat-ap\.de\/def\/licenses|opendefinition\.org\/licenses)\/([\w-]+)\/?$/,
    ([, name = '']) => oldIdentifiers.get(name.replaceAll('_', '-')) ?? '',
  ],
  [/^etalab\.gouv\.fr|^github\.com\/etalab\/licence-ouverte/, () => 'etalab-2.0'],
];

/** Identifiers in CKAN, STAC and data packages that name no licence. */
const noLicence = /^(?:notspecified|other.*|various|proprietary|unknown|none|null|n\/a|)$/i;

/**
 * The licence that texts of a source mean, the most exact first: an SPDX identifier, else a URL, else ''. A title that
 * names none is not kept: the description or the page of the source has it.
 */
export function findImportedLicence(texts: readonly string[]): string {
  const given = texts.map((text) => text.trim()).filter((text) => !noLicence.test(text));
  for (const text of given) {
    const found = isUrl(text) ? licenceOfUrl(text) : exactLicence(text);
    if (found) return found;
  }
  const url = given.find(isUrl);
  if (url) return url;
  for (const text of given) {
    const near = text.length <= 80 && !text.includes('\n') ? nearestLicence(text) : undefined;
    if (near) return near;
  }
  return '';
}

const isUrl = (text: string) => /^https?:\/\/\S+$/i.test(text) && isAbsoluteUrl(text);

function exactLicence(text: string): string | undefined {
  const id =
    findSpdxIdentifier(text) ??
    findSpdxIdentifier(text.replace(/^ODC-/i, '')) ??
    oldIdentifiers.get(text.toLowerCase());
  return id ?? (text !== '' && !/\s/.test(text) && isKnownLicence(text) ? text : undefined);
}

/** Identifiers of CKAN's licence list, of older data packages, and of vocabularies. */
const oldIdentifiers: ReadonlyMap<string, string> = new Map([
  ['odc-pddl', 'PDDL-1.0'],
  ['odc-odbl', 'ODbL-1.0'],
  ['odcpddl', 'PDDL-1.0'],
  ['odc-bl', 'ODbL-1.0'],
  ['odbl', 'ODbL-1.0'],
  ['odc-by', 'ODC-By-1.0'],
  ['odby', 'ODC-By-1.0'],
  ['cc0', 'CC0-1.0'],
  ['cc-zero', 'CC0-1.0'],
  ['uk-ogl', 'OGL-UK-3.0'],
]);

function licenceOfUrl(text: string): string | undefined {
  const address = text.replace(/^https?:\/\/(?:www\.)?/i, '').toLowerCase();
  for (const [pattern, id] of byUrl) {
    const match = pattern.exec(address);
    const found = match && findSpdxIdentifier(id(match));
    if (found) return found;
  }
  return undefined;
}
