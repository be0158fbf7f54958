/** A configuration of nginx for an export: the server's addresses, its choice between page, JSON and formats of rows, and its refusals. */
import { type OutputFormat, outputFormats } from '../catalogue/output-formats.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { schemaKinds } from '../standards/ogc/schema.ts';
import type { FormerFileNames, Redirect } from './redirects.ts';

const formats = Object.entries(outputFormats) as [string, OutputFormat][];

/** Documents about a dataset by the media type that selects them at its address. */
const documents = {
  'text/turtle': 'dcat.ttl',
  'application/ld\\+json': 'dcat.jsonld',
  'application/vnd\\.datapackage\\+json': 'datapackage.json',
  'application/atom\\+xml': 'feed.atom',
};

/** Alternatives of a regular expression for media types of an Accept header. */
const anyOf = (types: readonly string[]) => types.map((type) => type.replace(/(?<!\\)[+.]/g, '\\$&')).join('|');

function mapsByAccept(): string {
  const rows = formats.filter(([, { accept }]) => accept.length > 0);
  const lines = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([pattern, file]) => `  "~*${pattern}" ${file};`).join('\n');
  return `map $http_accept $catalogue_accepted {
  default index.json;
  "~*application/json(,|$)" index.json;
  "~*text/(html|\\*)" index.html;
}
map "$arg_f$arg_format$arg__format" $catalogue_index { default $catalogue_accepted; json index.json; html index.html; api index.html; }
map $http_accept $catalogue_document {
  default $catalogue_index;
  ~*text/html $catalogue_index;
${lines(Object.entries(documents))}
}
map $http_accept $catalogue_accepted_rows {
  default $catalogue_index;
  ~*text/html $catalogue_index;
${lines(rows.map(([name, { accept }]) => [anyOf(name === 'geojson' ? accept.filter((type) => type.includes('geo')) : accept), `../data.${name}`]))}
}
map "$arg_format$arg__format" $catalogue_rows {
  default $catalogue_accepted_rows;
${formats.map(([name]) => `  ${name} ../data.${name};`).join('\n')}
}
# Lists: further pages of JSON. Pages for people turn in the browser.
map "$arg_page $catalogue_index" $catalogue_page { default ''; "~^1 " ''; "~^(?<number>[1-9][0-9]*) index.json$" page/$number/; }
# Files are whole: a filter that nothing applies is refused, so that no answer looks filtered.
map "$catalogue_index $request_uri" $catalogue_filtered {
  default 1;
  "~^index.\\w+ [^?]*(\\?((page|limit|f|_?format)=[^&]*(&|$))*)?$" 0;
  "~^index.html [^?]*/(\\?|$)" 0;
}
# Payloads are saved: one that is HTML would be a page of this site.
map $request_uri $catalogue_disposition { default ''; "~/download/[^/?]+(\\?|$)" attachment; }
map "$request_uri $http_accept" $catalogue_unacceptable {
  default 0;
  "~^[^ ?]*(/|/ogc/[^.?]*)\\?[^ ]*format=|^[^ ]* $" 0;
  "~*/data/(\\?[^ ]*)? .*(${anyOf(rows.flatMap(([, { accept }]) => accept))})" 0;
  "~*/datasets/[^/ ?]+/(\\?[^ ]*)? .*(${anyOf(Object.keys(documents))})" 0;
  "~*^[^ ?]*/ogc/[^ ]* .*application/[a-z.]+\\+json" 0;
  "~*^[^ ?]*(/|/ogc/[^ ?]*)(\\?[^ ]*)? (?!.*(\\*/\\*|text/(html|\\*)|application/(\\*|json)))" 1;
}`;
}

const compressedTypes =
  'text/css text/javascript text/markdown text/csv text/turtle text/plain application/json application/geo+json application/ld+json ' +
  'application/x-ndjson application/atom+xml application/xml application/vnd.oai.openapi+json application/schema+json image/svg+xml';

const types = `
    text/html html; text/css css; text/javascript js; text/markdown md; text/csv csv excel; text/turtle ttl;
    text/plain txt csvt prj conf service; application/json json objects; application/geo+json geojson;
    application/x-ndjson ndjson geojsonl; application/ld+json jsonld; application/atom+xml atom; application/xml xml;
    application/vnd.apache.parquet parquet; application/geopackage+sqlite3 gpkg; application/vnd.pmtiles pmtiles;
    image/svg+xml svg; image/png png; image/jpeg jpg jpeg; image/webp webp; font/woff2 woff2; application/pdf pdf;
  `;

/** A location whose JSON has a media type of its own. */
const locationOfType = (location: string, type: string, tried: string) =>
  `  location ${location} { types { ${type} json; text/html html; } try_files ${tried}; }`;

/** Lines of a map from the former names of a dataset's files to the present ones. Files of versions have the slug of the version in their names. */
function mapOfFileNames(prefix: string, { path, former, slug, ofDataset, ofVersions }: FormerFileNames): string {
  const line = (folder: string, rest: string) =>
    `  "~^${prefix}(?<below>${path}${folder}download/)${former}(?<rest>${rest})$" ${prefix}\${below}${slug}\${rest};\n`;
  const rests = ofDataset.map(({ from }) => from.slice(`${path}download/${former}`.length).replaceAll('.', '\\.'));
  return [
    rests.length ? line('', rests.join('|')) : '',
    ofVersions.length ? line('version/([^/]+)/', '-\\2(\\.[^/]*)?') : '',
  ].join('');
}

/** @param prefix path of the site's address: '' or `/open-data` */
export function nginxSnippet(
  prefix: string,
  redirects: readonly Redirect[],
  fileNames: readonly FormerFileNames[],
): string {
  const moved = redirects.map(
    ({ from, to }) => `  "~^${prefix}${from.replaceAll('.', '\\.')}(?<below>.*)$" ${prefix}${to}$below;\n`,
  );
  const found = '$uri$catalogue_page$catalogue_index $uri/$catalogue_page$catalogue_index';
  const either = `${found} $uri $uri/\${catalogue_page}index.html $uri/\${catalogue_page}index.json =404`;
  const folder = '$uri/$catalogue_index =404';
  const dataset = `${apiRoot}namespaces/[^/]+/datasets/[^/]+/`;
  return `# For nginx: include this file in the http block, and name the folder in root.
${mapsByAccept()}
# Former addresses.
map $uri $catalogue_moved {
  default '';
${moved.join('')}${fileNames.map((names) => mapOfFileNames(prefix, names)).join('')}}

server {
  listen 8080;
  root /srv/site;
  gzip on;
  gzip_vary on;
  # Sends the files that catalogue export --gzip has compressed.
  gzip_static on;
  gzip_types ${compressedTypes};
  absolute_redirect off;
  charset utf-8;
  charset_types text/css text/javascript text/markdown text/plain text/csv text/turtle;
  types {${types}}
  default_type application/octet-stream;
  add_header Access-Control-Allow-Origin '*' always;
  add_header X-Content-Type-Options nosniff always;
  add_header Referrer-Policy same-origin always;
  add_header Vary Accept always;
  add_header Content-Disposition $catalogue_disposition;

  if ($catalogue_moved) { return 308 $catalogue_moved$is_args$args; }
  if ($catalogue_filtered) { return 400; }
  if ($catalogue_unacceptable) { return 406; }${prefix && `\n  rewrite (?s)^${prefix}(/.*)$ $1 last;`}
  location / { try_files ${either}; }
  # Addresses of folders end in a slash.
  location ~ ^/(api|docs|stac)(/.*)?[^/]$ {
    if (-d $request_filename) { rewrite ^(.*)$ ${prefix}$1/ permanent; }
    try_files $uri =404;
  }
  # Rows, in the format that is asked for; why there are none has the status 404.
  location ~ ^(${dataset}(version/[^/]+/)?|${apiRoot}queries/[^/]+/)data/$ {
    if (!-f $request_filename../data.csv) { return 404; }
    error_page 404 @reason;
    try_files $uri$catalogue_rows $uri$catalogue_index =404;
  }
  location ~ ^${dataset}$ { try_files $uri$catalogue_document $uri$catalogue_index =404; }
${locationOfType(`= ${apiRoot}openapi.json`, 'application/vnd.oai.openapi+json', '$uri =404')}
${locationOfType('= /ogc/api', 'application/vnd.oai.openapi+json', folder)}
${locationOfType(`~ ^/ogc/collections/[^/]+/(${Object.keys(schemaKinds).join('|')})$`, 'application/schema+json', folder)}
${locationOfType('~ ^/ogc/collections/[^/]+/items$', 'application/geo+json', folder)}
${locationOfType('~ ^/schemas/[^/]+$', 'application/schema+json', '$uri =404')}
  location ^~ /docs/deploy/ { default_type text/plain; try_files ${either}; }

  error_page 400 @filtered;
  error_page 404 @missing;
  error_page 406 @unacceptable;
  location @filtered { types {} default_type application/json; return 400 '{"detail":"This site is files: rows can be filtered after the download."}'; }
  location @missing { try_files /404$catalogue_missing =404; }
  location @reason { try_files $uri$catalogue_index /404$catalogue_missing =404; }
  location @unacceptable { types {} default_type application/json; return 406 '{"detail":"Could not satisfy the request Accept header."}'; }
}
map $catalogue_index $catalogue_missing { default .json; index.html .html; }
`;
}
