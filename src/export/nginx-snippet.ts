/** A configuration of nginx for an export: the server's addresses, and its choice between page and JSON. */

/** @param prefix path of the site's address: '' or `/open-data` */
export const nginxSnippet = (
  prefix: string,
): string => `# For nginx: include this file in the http block, and name the folder in root.
map $http_accept $catalogue_accepted { default index.json; ~*text/html index.html; }
map "$arg_f$arg_format$arg__format" $catalogue_index { default $catalogue_accepted; json index.json; html index.html; }
map $arg_page $catalogue_page { default ''; ~^[1-9][0-9]*$ page/$arg_page/; }
# Files are whole: a filter that nothing applies is refused, so that no answer looks filtered.
map "$uri $args" $catalogue_filtered { default 0; "~/data(/|\\.\\w+) (?!_?format=\\w+$)." 1; }

server {
  listen 8080;
  root /srv/site;
  gzip on;
  gzip_types text/css text/javascript application/json application/geo+json application/ld+json image/svg+xml text/csv text/turtle;
  location ${prefix}/ {
    if ($catalogue_filtered) { return 400 '{"detail":"This site is files: rows can be filtered after the download."}'; }${prefix && `\n    rewrite ^${prefix}(/.*)$ $1 break;`}
    types {
      text/html html; text/css css; text/javascript js; text/plain txt csvt prj; text/csv csv; text/turtle ttl;
      application/json json objects; application/geo+json geojson; application/x-ndjson ndjson geojsonl;
      application/ld+json jsonld; application/atom+xml atom; application/xml xml; application/vnd.apache.parquet parquet;
      image/svg+xml svg; image/png png; image/jpeg jpg jpeg; image/webp webp; font/woff2 woff2; application/pdf pdf;
    }
    default_type application/octet-stream;
    charset utf-8;
    charset_types text/css text/javascript text/plain text/csv text/turtle;
    add_header Access-Control-Allow-Origin '*' always;
    add_header X-Content-Type-Options nosniff always;
    add_header Referrer-Policy same-origin always;
    add_header Vary Accept always;
    try_files $uri$catalogue_page$catalogue_index $uri/$catalogue_index $uri $uri/index.html $uri/index.json =404;
  }
}
`;
