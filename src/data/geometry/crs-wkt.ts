/**
 * Reference systems as well-known text (OGC 01-009 and 18-010r7), as `.prj` files of shapefiles and GeoPackages have them. proj4 reads it.
 * A datum whose shift to WGS 84 isn't known is not guessed: its positions would be up to some hundred metres off.
 */
import { excerpt } from '../../catalogue/errors.ts';

/** True if the name of a reference system is its definition as WKT. */
export const isWktCrs = (name: string): boolean =>
  /^\s*(?:PROJCS|GEOGCS|COMPD_CS|BOUNDCRS|PROJCRS|GEOGCRS|GEODCRS|COMPOUNDCRS|PROJECTEDCRS|GEOGRAPHICCRS)\s*[[(]/i.test(
    name,
  );

/** Name and EPSG code of the system that WKT defines; of a compound system, those of its horizontal part. */
export function identifyWktCrs(wkt: string): { readonly name: string; readonly code: number | null } {
  const text = horizontalPart(wkt);
  const name = /^\s*\w+\s*[[(]\s*"([^"]*)"/.exec(text)?.[1] ?? 'unknown';
  // The identifier of the system itself comes last; those before it are of its datum and units.
  const own = /(?:AUTHORITY|ID)\s*[[(]\s*"EPSG"\s*,\s*"?(\d+)"?\s*[\])]\s*[\])]\s*$/i.exec(text.trim())?.[1];
  return { name: excerpt(name), code: own === undefined ? null : Number(own) };
}

/** Of a compound system the part for longitude and latitude, or easting and northing. */
function horizontalPart(wkt: string): string {
  const start = /^\s*(?:COMPD_CS|COMPOUNDCRS)\s*[[(]/i.test(wkt)
    ? wkt.search(/(?:PROJCS|GEOGCS|PROJCRS|GEOGCRS|GEODCRS)\s*[[(]/i)
    : 0;
  if (start <= 0) return wkt;
  let depth = 0;
  for (let at = start; at < wkt.length; at++) {
    if ('[('.includes(wkt[at] as string)) depth++;
    else if ('])'.includes(wkt[at] as string) && --depth === 0) return wkt.slice(start, at + 1);
  }
  return wkt;
}

/** Datums that are WGS 84 to two metres, by their names in WKT. */
const sameDatum =
  /WGS_?(?:19)?84|World_?Geodetic_?System|ETRS|European_?Terrestrial|North_?American_?(?:Datum_?)?1983|NAD_?(?:19)?83|GDA_?(?:19|20)|Geocentric_?Datum_?of_?Australia|NZGD_?2000|New_?Zealand_?Geodetic_?Datum_?2000|SIRGAS|RGF_?(?:19)?93|Reseau_?Geodesique_?Francais|ITRF|IGN|SWEREF|RDN2008|IRENET|JGD_?20|Japanese_?Geodetic_?Datum_?20|China_?2000|Hartebeesthoek/i;

/** Datums by their names in WKT, and an EPSG code whose definition has the shift. */
const shiftedDatums: readonly (readonly [name: RegExp, code: number])[] = [
  [/Deutsches_?Hauptdreiecks/i, 31467],
  [/OSGB_?(?:19)?36|Ordnance_?Survey_?(?:of_)?Great_?Britain/i, 27700],
  [/Militar_?Geographische|\bD?_?MGI\b/i, 31287],
  [/European_?(?:Datum_?)?1950|\bED_?50/i, 23032],
  [/CH_?1903\+/i, 2056],
  [/CH_?1903(?!\+)/i, 21781],
  [/Amersfoort/i, 28992],
  [/Belge_?1972|Reseau_?National_?Belge_?1972/i, 31370],
  [/RT_?(?:19)?90|Rikets_?koordinat|Stockholm_?1938/i, 3021],
  [/S_?-?JTSK|System_?Jednotne/i, 5514],
  [/TM_?(?:19)?65|TM_?(?:19)?75|Ireland_?1965/i, 29903],
  [/Nouvelle_?Triangulation|\bNTF\b/i, 27572],
  [/Monte_?Mario/i, 3003],
  [/GGRS_?(?:19)?87|Greek_?Geodetic/i, 2100],
];

/**
 * The WKT with the shift of its datum, for proj4.
 * @param definitionOf returns the definition of an EPSG code
 * @returns null if the shift of its datum isn't known
 */
export function wktWithDatumShift(wkt: string, definitionOf: (code: number) => string | undefined): string | null {
  const text = horizontalPart(wkt);
  if (/TOWGS84\s*[[(]|ABRIDGEDTRANSFORMATION/i.test(text)) return text;
  const datum = /(?:DATUM|ENSEMBLE|TRF|GEODETICDATUM)\s*[[(]\s*"([^"]*)"/i.exec(text)?.[1] ?? '';
  const name = datum.replaceAll(' ', '_');
  if (sameDatum.test(name)) return text;
  const code = shiftedDatums.find(([pattern]) => pattern.test(name))?.[1];
  const shift = code === undefined ? undefined : /\+towgs84=([-\d.,]+)/.exec(definitionOf(code) ?? '')?.[1];
  if (shift === undefined || !/SPHEROID\s*\[[^\]]*\]/i.test(text)) return null;
  return text.replace(/(SPHEROID\s*\[(?:[^[\]]|\[[^\]]*\])*\])/i, `$1,TOWGS84[${shift}]`);
}
