/** Identifiers of licences in SPDX, their URLs, and the identifiers that other spellings mean. */
import outdated from 'spdx-license-ids/deprecated.json' with { type: 'json' };
import current from 'spdx-license-ids/index.json' with { type: 'json' };
import { closestWord } from './closest.ts';
import { httpUri } from './urls.ts';

let identifiers: readonly string[] | undefined;
let identifiersByText: ReadonlyMap<string, string> | undefined;

/** All SPDX identifiers. On demand: so scripts of pages that name no licence are bundled without the list. */
function listIdentifiers(): readonly string[] {
  identifiers ??= [...current, ...outdated];
  return identifiers;
}

/** An identifier in the spelling of SPDX, which compares them without regard to case; undefined if there is none. */
export function findSpdxIdentifier(text: string): string | undefined {
  // The current one of two.
  identifiersByText ??= new Map(
    listIdentifiers()
      .map((id) => [id.toLowerCase(), id] as const)
      .reverse(),
  );
  return identifiersByText.get(text.toLowerCase());
}

/** URL of a licence: the one written, or the page of its SPDX identifier; undefined if it is neither. */
export function licenceUrl(text: string): string | undefined {
  const id = findSpdxIdentifier(text.trim());
  return httpUri(text) ?? (id && `https://spdx.org/licenses/${id}.html`);
}

/** The SPDX identifier of a licence by the address of its text; undefined for addresses of others. */
export function findIdentifierOfLicenceUrl(url: string): string | undefined {
  for (const [pattern, id] of licenceAddresses) {
    const parts = pattern.exec(url);
    if (parts) return findSpdxIdentifier(id(parts[1] ?? '', parts[2] ?? ''));
  }
  return undefined;
}

const licenceAddresses: readonly (readonly [pattern: RegExp, id: (name: string, version: string) => string])[] = [
  [
    /^https?:\/\/creativecommons\.org\/licenses\/([a-z-]+)\/(\d\.\d)(?:\/(?:deed|legalcode)?(?:\.\w+)?)?$/,
    (name, version) => `CC-${name}-${version}`,
  ],
  [/^https?:\/\/creativecommons\.org\/publicdomain\/zero\/1\.0(?:\/|$)/, () => 'CC0-1.0'],
  [/^https?:\/\/(?:www\.)?opendatacommons\.org\/licenses\/(odbl|pddl)\/1[.-]0\/?$/, (name) => `${name}-1.0`],
  [/^https?:\/\/(?:www\.)?opendatacommons\.org\/licenses\/by\/1[.-]0\/?$/, () => 'ODC-By-1.0'],
  [/^https?:\/\/spdx\.org\/licenses\/([\w.+-]+?)(?:\.html|\.json)?$/, (name) => name],
];

/** The SPDX identifier that another spelling of a licence probably means; undefined if none is near. */
export function nearestLicence(text: string): string | undefined {
  identifiersWithoutMarks ??= new Map(
    listIdentifiers()
      .map((id) => [withoutMarks(id), id] as const)
      .reverse(),
  );
  const id = findSpdxIdentifier(text) ?? identifiersWithoutMarks.get(withoutMarks(text));
  if (id !== undefined) return id;
  const known = creativeCommons(text) ?? names.find(([pattern]) => pattern.test(text))?.[1];
  // Of longer texts, and of very short ones, too many identifiers are near.
  return known ?? (/^.{5,30}$/.test(text) ? closestWord(text, listIdentifiers(), 2) : undefined);
}

/** `CCBY40` of `CC BY 4.0`, `cc-by-4.0` and `CC_BY-4-0`. */
const withoutMarks = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** Identifiers by themselves without marks, the first one of several; made when it is first asked for. */
let identifiersWithoutMarks: ReadonlyMap<string, string> | undefined;

/** Names of licences for data that catalogues write, such as the identifiers of CKAN and of GovData. */
const names: readonly (readonly [pattern: RegExp, id: string])[] = [
  [/\bodbl\b|open database licen[cs]e/i, 'ODbL-1.0'],
  [/\bpddl\b|public domain dedication and licen[cs]e/i, 'PDDL-1.0'],
  [/\bodc[- ]?by\b|open data commons attribution/i, 'ODC-By-1.0'],
  [/\bdl-de\W+zero|datenlizenz deutschland.*zero/i, 'DL-DE-ZERO-2.0'],
  [/\bdl-de\W+by|datenlizenz deutschland/i, 'DL-DE-BY-2.0'],
  [/\buk-ogl\b|\bogl\b|open government licen[cs]e(?!.*canada)/i, 'OGL-UK-3.0'],
  [/open government licen[cs]e.*canada/i, 'OGL-Canada-2.0'],
  [/\betalab\b|licence ouverte/i, 'etalab-2.0'],
  [/\bnlod\b|norsk lisens for offentlige data/i, 'NLOD-2.0'],
];

/** The identifier of a Creative Commons licence that is named in words: `Creative Commons Attribution 4.0`, `cc-by-sa`. */
function creativeCommons(text: string): string | undefined {
  if (!/\bcc\d?\b|creative commons/i.test(text)) return undefined;
  if (/\bcc[- ]?0\b|\bzero\b|public domain/i.test(text)) return 'CC0-1.0';
  if (!/\bby\b|attribution|namensnennung|paternité/i.test(text)) return undefined;
  const parts = [
    'CC-BY',
    ...(/\bnc\b|non-?\s?commercial|nicht kommerziell/i.test(text) ? ['NC'] : []),
    ...(/\bnd\b|no-?\s?deriv|keine bearbeitung/i.test(text) ? ['ND'] : []),
    ...(/\bsa\b|share-?\s?alike|weitergabe unter gleichen/i.test(text) ? ['SA'] : []),
    /\b([1-4]\.[05])\b/.exec(text)?.[1] ?? '4.0',
  ];
  return findSpdxIdentifier(parts.join('-'));
}
