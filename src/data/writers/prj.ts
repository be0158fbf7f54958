/**
 * `prj`: the coordinate reference system of the CSV's geometries, which GDAL and QGIS look for beside it, as WKT 1.
 * It is EPSG:4326, by which tools know WGS 84; of such files they all expect longitude before latitude, as CRS84 has it.
 */
export const prj =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],' +
  'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],' +
  'UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]\n';
