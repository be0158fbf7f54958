/** Files that tell hosts how to serve an export. */
import { nginxSnippet } from './nginx-snippet.ts';
import { type FormerFileNames, type Redirect, redirectsFile } from './redirects.ts';

/** Text by name. @param prefix path of the site's address: '' or `/open-data` */
export function hostFiles(
  prefix: string,
  redirects: readonly Redirect[],
  fileNames: readonly FormerFileNames[],
): ReadonlyMap<string, string> {
  const lines = redirectsFile(redirects, fileNames, prefix);
  return new Map([
    ...(lines ? [['_redirects', lines] as const] : []),
    // GitHub Pages runs Jekyll without it, which leaves out files that begin with a dot or an underscore.
    ['.nojekyll', ''],
    ['_headers', headersFile(prefix)],
    ['_nginx.conf', nginxSnippet(prefix, redirects, fileNames)],
  ]);
}

/** Headers, as Netlify and Cloudflare Pages read them. */
function headersFile(prefix: string): string {
  const rules: readonly (readonly [string, readonly string[]])[] = [
    ['/*', ['X-Content-Type-Options: nosniff', 'Referrer-Policy: same-origin', 'Access-Control-Allow-Origin: *']],
    ['/static/*', ['Cache-Control: public, max-age=31536000, immutable']],
    ['/*.geojson', ['Content-Type: application/geo+json']],
    ['/*.parquet', ['Content-Type: application/vnd.apache.parquet']],
    ['/*.jsonld', ['Content-Type: application/ld+json']],
    ['/*.ttl', ['Content-Type: text/turtle']],
    ['/*.atom', ['Content-Type: application/atom+xml']],
  ];
  return `${rules.map(([path, headers]) => [prefix + path, ...headers.map((header) => `  ${header}`)].join('\n')).join('\n\n')}\n`;
}
