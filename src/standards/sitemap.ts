/** The addresses that search engines should read: a sitemap (sitemaps.org 0.9), and robots.txt (RFC 9309). */
import { escapeXml } from './xml.ts';

/** A page for search engines. */
export interface SitemapEntry {
  readonly url: string;
  /** Time of its last change: ISO 8601. */
  readonly modified: string | undefined;
}

/** Path of a part of a sitemap that has more addresses than one file may have. @param part 1 for the first */
export const sitemapPartPath = (part: number): string => `/sitemap-${part}.xml`;

/** Most addresses in one file, by the protocol. */
export const maxSitemapEntries = 50_000;

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** A sitemap, part by part. */
export async function* sitemapParts(entries: AsyncIterable<SitemapEntry>): AsyncGenerator<string, void, undefined> {
  yield start('urlset');
  for await (const entry of entries) yield element('url', entry);
  yield end('urlset');
}

/** The list of sitemaps, if there are more addresses than one may have. */
export function sitemapIndexDocument(urls: readonly string[]): string {
  const elements = urls.map((url) => element('sitemap', { url, modified: undefined }));
  return [start('sitemapindex'), ...elements, end('sitemapindex')].join('');
}

const start = (root: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${namespace}">\n`;
const end = (root: string) => `</${root}>\n`;

function element(name: string, { url, modified }: SitemapEntry): string {
  return `<${name}><loc>${escapeXml(url)}</loc>${modified ? `<lastmod>${modified}</lastmod>` : ''}</${name}>\n`;
}

/**
 * robots.txt: pages of datasets may be read; not the endless combinations of filters, nor rows and files.
 * @param base URL of the catalogue, without a slash at its end
 * @param prefix path of the base URL; '' for the root of a host
 */
export function robotsText(base: string, prefix: string): string {
  const refused = ['/*?', '/*/data/', '/*/data.', '/*/diff/', '/*/download/', '/*/tiles/', '/api/v1/files/', '/auth/'];
  return [
    'User-agent: *',
    ...refused.map((path) => `Disallow: ${prefix}${path}`),
    '',
    `Sitemap: ${base}/sitemap.xml`,
    '',
  ].join('\n');
}
