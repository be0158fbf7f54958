/** Values of facts as JSON-LD 1.1 nodes and literals, in the vocabularies of DCAT 3. */
import type { Agent, Contact } from './facts.ts';

/** JSON-LD context of our documents: prefixes only, so that it never has to be fetched. */
export const rdfPrefixes = {
  adms: 'http://www.w3.org/ns/adms#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  locn: 'http://www.w3.org/ns/locn#',
  geo: 'http://www.opengis.net/ont/geosparql#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  spdx: 'http://spdx.org/rdf/terms#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
} as const;

/** A value of JSON-LD. */
export type RdfValue = string | { readonly [key: string]: RdfValue | readonly RdfValue[] };

/** A text, in the language of the catalogue. */
export const literal = (text: string, { language }: { readonly language: string | undefined }): RdfValue =>
  language ? { '@value': text, '@language': language } : text;

/** A reference to a resource by its IRI. */
export const iri = (url: string): RdfValue => ({ '@id': url });

/** @param time ISO 8601 */
export const dateTime = (time: string): RdfValue => ({ '@value': time, '@type': 'xsd:dateTime' });

export const nonNegativeInteger = (count: number): RdfValue => ({
  '@value': String(count),
  '@type': 'xsd:nonNegativeInteger',
});

export const agentNode = ({ name }: Agent): RdfValue => ({ '@type': 'foaf:Agent', 'foaf:name': name });

/** A web page. */
export const documentNode = (url: string): RdfValue => ({ '@id': url, '@type': 'foaf:Document' });

/** An e-mail address as a URI (RFC 6068). */
export const mailtoUri = (email: string): string =>
  `mailto:${email.toWellFormed().replace(/[^\w.@!$&'*+=~-]/gu, encodeURIComponent)}`;

/** A contact, which has an e-mail address or a URL. */
export const vcardNode = ({ name, email, url }: Contact): RdfValue => ({
  '@type': 'vcard:Kind',
  'vcard:fn': name,
  ...(email && { 'vcard:hasEmail': iri(mailtoUri(email)) }),
  ...(url && { 'vcard:hasURL': iri(url) }),
});

/** A media type as the address that IANA gives it; undefined for one that isn't registered. */
export const mediaTypeNode = (type: string): RdfValue | undefined =>
  /^(?:application|audio|font|image|model|multipart|text|video)\/(?!x-|x\.|octet-stream$)/.test(type)
    ? { '@id': `http://www.iana.org/assignments/media-types/${type}`, '@type': 'dct:MediaType' }
    : undefined;

/** @param checksum SHA-256 in hexadecimal */
export const checksumNode = (checksum: string): RdfValue => ({
  '@type': 'spdx:Checksum',
  'spdx:algorithm': { '@id': 'spdx:checksumAlgorithm_sha256', '@type': 'spdx:ChecksumAlgorithm' },
  'spdx:checksumValue': { '@value': checksum, '@type': 'xsd:hexBinary' },
});

/** @param bbox west, south, east, north in degrees */
export function locationNode([west = 0, south = 0, east = 0, north = 0]: readonly number[]): RdfValue {
  // A box over the antimeridian has its west side on the right (RFC 7946, section 5.2).
  const right = east < west ? east + 360 : east;
  const corners = [
    [west, south],
    [right, south],
    [right, north],
    [west, north],
    [west, south],
  ];
  const text = `POLYGON((${corners.map((corner) => corner.join(' ')).join(', ')}))`;
  return { '@type': 'dct:Location', 'dcat:bbox': { '@value': text, '@type': 'geo:wktLiteral' } };
}

/** @param times ISO 8601 */
export const periodNode = ([start, end]: readonly [string, string]): RdfValue => ({
  '@type': 'dct:PeriodOfTime',
  'dcat:startDate': dateTime(start),
  'dcat:endDate': dateTime(end),
});

/** Terms of use in words. */
export const rightsNode = (text: string, facts: { readonly language: string | undefined }): RdfValue => ({
  '@type': 'dct:RightsStatement',
  'rdfs:label': literal(text, facts),
});

/** EU authority addresses of licences (Publications Office), by SPDX identifier. */
const euLicences: Readonly<Record<string, string>> = {
  'CC0-1.0': 'CC0',
  'CC-BY-4.0': 'CC_BY_4_0',
  'CC-BY-SA-4.0': 'CC_BYSA_4_0',
  'CC-BY-NC-4.0': 'CC_BYNC_4_0',
  'CC-BY-ND-4.0': 'CC_BYND_4_0',
  'CC-BY-NC-SA-4.0': 'CC_BYNCSA_4_0',
  'CC-BY-NC-ND-4.0': 'CC_BYNCND_4_0',
};

/** A licence with its address, and the one of the EU that means the same. */
export function licenceNode({ id, url }: { readonly id: string | undefined; readonly url: string }): RdfValue {
  const eu = id && Object.hasOwn(euLicences, id) ? euLicences[id] : undefined;
  const same = eu && `http://publications.europa.eu/resource/authority/licence/${eu}`;
  return { '@id': url, '@type': 'dct:LicenseDocument', ...(same && { 'adms:identifier': same }) };
}

/** The EU's address of a language, by its BCP 47 tag; undefined for one of other parts of the world. */
export function languageNode(tag: string): RdfValue | undefined {
  const code = euLanguages[tag.split('-')[0]?.toLowerCase() ?? ''];
  return (
    code && {
      '@id': `http://publications.europa.eu/resource/authority/language/${code}`,
      '@type': 'dct:LinguisticSystem',
    }
  );
}

/** ISO 639-2 codes of the EU's authority table, by ISO 639-1 code. */
const euLanguages: Readonly<Record<string, string>> = Object.fromEntries(
  'bg:BUL cs:CES da:DAN de:DEU el:ELL en:ENG es:SPA et:EST fi:FIN fr:FRA ga:GLE hr:HRV hu:HUN is:ISL it:ITA lt:LIT lv:LAV mt:MLT nb:NOB nl:NLD nn:NNO no:NOR pl:POL pt:POR ro:RON sk:SLK sl:SLV sv:SWE uk:UKR'
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);
