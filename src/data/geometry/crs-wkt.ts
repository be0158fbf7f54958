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

/**
 * Name and EPSG code of the system that WKT defines: of a compound system those of its horizontal part, of a bound one those of its
 * source.
 */
export function identifyWktCrs(wkt: string): { readonly name: string; readonly code: number | null } {
  const text = sourceOfBound(horizontalPart(wkt));
  const name = /^\s*\w+\s*[[(]\s*"([^"]*)"/.exec(text)?.[1] ?? 'unknown';
  // The identifier of the system itself comes last; those before it are of its datum and units.
  const own = /(?:AUTHORITY|ID)\s*[[(]\s*"EPSG"\s*,\s*"?(\d+)"?\s*[\])]\s*[\])]\s*$/i.exec(text.trim())?.[1];
  return { name: excerpt(name), code: own === undefined ? null : Number(own) };
}

/** Of a compound system the part for longitude and latitude, or easting and northing. */
function horizontalPart(wkt: string): string {
  const start = /^\s*(?:COMPD_CS|COMPOUNDCRS)\s*[[(]/i.test(wkt)
    ? wkt.search(/(?:BOUNDCRS|PROJCS|GEOGCS|PROJCRS|GEOGCRS|GEODCRS)\s*[[(]/i)
    : 0;
  return start <= 0 ? wkt : elementAt(wkt, start);
}

/** True if WKT has a transformation to WGS 84 of its own. */
export const isBoundWkt = (wkt: string): boolean => /^\s*BOUNDCRS/i.test(horizontalPart(wkt));

/** Of a bound system the one that is transformed. */
function sourceOfBound(wkt: string): string {
  const start = /^\s*BOUNDCRS\s*[[(]\s*SOURCECRS\s*[[(]\s*/i.exec(wkt)?.[0].length ?? 0;
  return start === 0 ? wkt : elementAt(wkt, start);
}

/** The element of WKT that begins at a position, up to its closing bracket. */
function elementAt(wkt: string, start: number): string {
  let depth = 0;
  for (let at = start; at < wkt.length; at++) {
    if ('[('.includes(wkt[at] as string)) depth++;
    else if ('])'.includes(wkt[at] as string) && --depth === 0) return wkt.slice(start, at + 1);
  }
  return wkt;
}

/** Datums that are WGS 84 to two metres, by their names in WKT. */
const sameDatum = new RegExp(
  [
    'WGS_?(?:19)?84|World_?Geodetic_?System_?(?:of_)?1984|ITRF|ETRS|ETRF|European_?Terrestrial|RGF_?(?:19)?93',
    'Reseau_?Geodesique_?Francais|SWEREF|IRENET|Swiss_(?:TRF|Terrestrial_Reference_System)_1995|IGM_?(?:19)?95',
    'Istituto_Geografico_Militaire_1995|RDN_?2008|Rete_Dinamica_Nazionale_2008|Croatian_Terrestrial_Reference_System',
    'Slovenia_(?:Geodetic_Datum_)?1996|Serbian_Spatial_Reference_System|Kosovo_Reference_System_2001|MOLDREF99',
    'Bulgaria_Geodetic_System_2005|Turkish_National_Reference_Frame|Estonia_1997|Latvia_1992|Lithuania_1994|Islands_Net',
    'Greenland_1996|PTRA08|Autonomous_Regions_of_Portugal_2008|Red_Geodesica_de_Canarias_1995|Mauritania_1999',
    'Iraqi_Geospatial_Reference_System|North_?American_?(?:Datum_?(?:of_?)?)?1983|NAD_?(?:19)?83|Mexican_Datum_of_1993|SIRGAS',
    'EUREF[-_]?FIN|GDA_?(?:19|20)|Geocentric_?Datum_?of_?Australia|NZGD_?2000|New_?Zealand_?Geodetic_?Datum_?2000|JGD_?20',
    'Japanese_?Geodetic_?Datum_?20|China_?2000|Hartebeesthoek',
  ].join('|'),
  'i',
);

/**
 * A datum without a name, as PROJ writes it for a definition with `+towgs84=0,0,0`. Esri's WKT has the numbers of other shifts in the
 * name alone, without their decimal points.
 */
const withoutShift = /_based_on_(?:GRS|WGS)_?(?:19)?8[04]_ellipsoid_using_towgs84(?:[=,_]0)+$/i;

/** Datums with a shift by their names in WKT: of EPSG, of GDAL and of Esri, which writes D_ before them. */
const shiftedDatums: readonly (readonly [name: RegExp, datum: string])[] = [
  [/Deutsches_?Hauptdreiecks/i, 'DHDN'],
  [/Rauenberg_?(?:Datum_?)?(?:19)?83/i, 'RD/83'],
  [/Potsdam_?(?:Datum_?)?(?:19)?83/i, 'PD/83'],
  [/OSGB_?(?:19)?36|Ordnance_?Survey_?(?:of_)?Great_?Britain/i, 'OSGB36'],
  [/OSNI_?(?:19)?52/i, 'OSNI_1952'],
  [/MGI_1901/i, 'MGI_1901'],
  [/Militar_?-?Geographische|\bD?_?MGI\b/i, 'MGI'],
  // Not the one of 1977, which Iran has.
  [/(?:European_?(?:Datum_?)?1950|\bED_?50)(?!.*77)/i, 'ED50'],
  [/CH_?1903\+/i, 'CH1903+'],
  [/CH_?1903(?!\+)/i, 'CH1903'],
  [/Amersfoort/i, 'Amersfoort'],
  [/Belge_?1972|Reseau_?National_?Belge_?1972/i, 'BD72'],
  [/RT_?(?:19)?90|Rikets_?koordinatsystem_?1990/i, 'RT90'],
  [/S_?-?JTSK|System_?Jednotne|Unified_?Trigonometrical_?Cadastral/i, 'S-JTSK'],
  [/TM_?(?:19)?65/i, 'TM65'],
  [/TM_?(?:19)?75|Ireland_?1965|Geodetic_?Datum_?of_?1965/i, 'TM75'],
  [/Nouvelle_?Triangulation_?Fran|\bD?_?NTF\b/i, 'NTF'],
  [/Monte_?Mario/i, 'Monte_Mario'],
  [/GGRS_?(?:19)?87|Greek_?Geodetic/i, 'GGRS87'],
  [/KKJ|Kartastokoordinaatti/i, 'KKJ'],
  [/Hungarian_?(?:Datum_?)?1972/i, 'HD72'],
  [/Hjorsey_?1955/i, 'Hjorsey_1955'],
  [/Estonia_?1992/i, 'EST92'],
  [/Pulkovo_?1942_?(?:Adj_19|\()?83/i, 'Pulkovo_1942(83)'],
  [/Pulkovo_?1942_?(?:Adj_19|\()?58/i, 'Pulkovo_1942(58)'],
  [/Dealul_?Piscului_?193/i, 'Dealul_Piscului_1930'],
  [/Dealul_?Piscului_?1970/i, 'Dealul_Piscului_1970'],
  [/Azores_?Occidental/i, 'Azores_Occidental_1939'],
  [/Azores_?Central/i, 'Azores_Central_1948'],
  [/Azores_?Oriental/i, 'Azores_Oriental_1940'],
  [/Porto_?Santo_?1936/i, 'Porto_Santo'],
];

/**
 * Systems that proj4 reads otherwise than their WKT means, without an error: positions would be kilometres off. Some projections of
 * WKT 2 and of Esri, standard parallels other than the equator, angles in other units than degrees, and Krovak towards south and west.
 */
const misreadWkt = [
  /\bMETHOD\s*[[(]\s*"(?:Hotine|Popular Visualisation|Equidistant Cylindrical)/i,
  /\bPROJECTION\s*[[(]\s*"Stereographic_North_Pole"/i,
  // Degrees around a rotated pole would be taken for longitude and latitude.
  /\bDERIVINGCONVERSION\b/i,
  // PROJ computes these two on the sphere of equal area, proj4 on that of the equator.
  /\b(?:PROJECTION|METHOD)\s*[[(]\s*"(?:Miller|Van[ _]?der[ _]?Grinten)/i,
  /\bPROJECTION\s*[[(]\s*"(?:Mercator|Equidistant_Cylindrical|Equirectangular|Plate_Carree)"(?=.*"Standard_Parallel_1"\s*,\s*-?[\d.]*[1-9])/is,
  /\bUNIT\s*[[(]\s*"(?:grad|gon)|\bANGLEUNIT\s*[[(]\s*"(?!degree)/i,
  /\bPROJECTION\s*[[(]\s*"Krovak"(?!.*(?:"X_Scale"\s*,\s*-1|,\s*EAST\b))/is,
];

/** True if positions of the horizontal system are degrees. */
export const isGeographicWkt = (wkt: string): boolean =>
  /^\s*(?:BOUNDCRS\s*[[(]\s*SOURCECRS\s*[[(]\s*)?GEO/i.test(horizontalPart(wkt));

/** True if positions are metres from the centre of the Earth. */
export const isGeocentricWkt = (wkt: string): boolean => /\bCS\s*[[(]\s*Cartesian\s*,\s*3/i.test(wkt);

/**
 * The datum of a system as WKT.
 * @returns its name in `datum-shifts.ts`; an empty string if it needs no shift or the WKT has one; null if the system can't be converted:
 * the shift isn't known, positions are geocentric, or proj4 would read it wrongly
 */
export function datumOfWkt(wkt: string): string | null {
  const text = horizontalPart(wkt);
  if (isGeocentricWkt(text) || misreadWkt.some((pattern) => pattern.test(text))) return null;
  if (/^\s*BOUNDCRS/i.test(text)) return hasKnownShift(text) ? '' : null;
  if (/TOWGS84\s*[[(]/i.test(text)) return '';
  const name = datumName(text);
  if (/_using_(?:towgs84|nadgrids)/i.test(name)) return withoutShift.test(name) ? '' : null;
  if (sameDatum.test(name)) return '';
  // proj4 reads a shift in WKT 1 only.
  if (!ellipsoid.test(text)) return null;
  const datum = shiftedDatums.find(([pattern]) => pattern.test(name))?.[1] ?? null;
  // The Balkans named their datum like that of Austria until EPSG gave it a name of its own.
  return datum === 'MGI' && /Balkan|Sloven|Macedon/i.test(identifyWktCrs(wkt).name) ? 'MGI_1901' : datum;
}

/** The name of the first datum of WKT, with `_` for blanks. */
const datumName = (wkt: string): string =>
  (/(?:DATUM|ENSEMBLE|TRF|GEODETICDATUM)\s*[[(]\s*"([^"]*)"/i.exec(wkt)?.[1] ?? '').replaceAll(' ', '_');

/**
 * True if proj4 reads the transformation of a BOUNDCRS as it is meant. It takes each for one to WGS 84, with the signs of a position
 * vector, in metres, arc-seconds and unity; rotations of a coordinate frame have the opposite signs.
 */
function hasKnownShift(wkt: string): boolean {
  const [, target = '', transformation = ''] = /TARGETCRS(.*)ABRIDGEDTRANSFORMATION(.*)/is.exec(wkt) ?? [];
  return (
    sameDatum.test(datumName(target)) &&
    /\bMETHOD\s*[[(]\s*"(?:Position Vector|Geocentric translations)/i.test(transformation) &&
    !/UNIT\s*[[(]/i.test(transformation)
  );
}

const ellipsoid = /(SPHEROID\s*\[(?:[^[\]]|\[[^\]]*\])*\])/i;

/** The WKT of the horizontal system for proj4. @param shift parameters for TOWGS84; undefined for none */
export function wktWithShift(wkt: string, shift: string | undefined): string {
  // proj4 doesn't know the base system as WKT 2 of 2015 calls it, and would take the ellipsoid and meridian of WGS 84.
  const text = horizontalPart(wkt).replace(/\bBASEGEODCRS\b/i, 'BASEGEOGCRS');
  return shift === undefined ? text : text.replace(ellipsoid, `$1,TOWGS84[${shift}]`);
}
