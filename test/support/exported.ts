/** The files of a static export, and the addresses in them that no file answers. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of all files in a folder, sorted. */
export const filesIn = (folder: string, below = ''): readonly string[] =>
  readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap(({ name, isDirectory }) => ({ path: below ? `${below}/${name}` : name, isDirectory }))
    .flatMap(({ path }) => (statSync(join(folder, path)).isDirectory() ? filesIn(folder, path) : [path]))
    .sort();

/** Texts in which addresses of the site are looked for; rows are of those who publish them. */
const isText = (path: string) =>
  /\.(html|json|jsonld|ttl|atom|xml|txt)$/.test(path) && !/\/data\.|\/data\/|\/download\//.test(path);

const attributes = /(?:href|src|action|data-rows)="([^"]*)"/g;

/**
 * Addresses of the site in the files of an export that are no file and no folder with an index, or whose fragment is no id of the page,
 * each with a file that names it.
 * @param base address at which the folder is served
 */
export function deadLinks(folder: string, base: string): readonly string[] {
  const prefix = new URL(base).pathname.replace(/\/$/, '');
  const { origin } = new URL(base);
  const dead = new Map<string, string>();
  const pages = new Map<string, ReadonlySet<string>>();
  const idsOf = (path: string) => {
    const ids = pages.get(path) ?? idsOfPage(join(folder, path));
    pages.set(path, ids);
    return ids;
  };
  const own = new RegExp(`${base}/[^\\s"'<>\\\\)}&;,]*`, 'g');
  for (const file of filesIn(folder).filter(isText)) {
    const text = readFileSync(join(folder, file), 'utf8');
    const names = file.replace(/index\.(html|json)$/, '').split('/');
    const page = `${base}/${names.map(encodeURIComponent).join('/')}`;
    const named = file.endsWith('.html') ? [...text.matchAll(attributes)].map(([, address = '']) => address) : [];
    for (const address of new Set([...named, ...(text.match(own) ?? [])])) {
      const plain = address.replaceAll('&amp;', '&');
      if (!plain || !URL.canParse(plain, page)) continue;
      const url = new URL(plain, page);
      if (url.origin !== origin) continue;
      const path = url.pathname.startsWith(`${prefix}/`) ? decodeURIComponent(url.pathname.slice(prefix.length)) : null;
      if (path === null || !isAnswered(join(folder, path))) dead.set(plain, file);
      else if (
        url.hash.length > 1 &&
        named.includes(address) &&
        !idsOf(path).has(decodeURIComponent(url.hash.slice(1)))
      )
        dead.set(plain, file);
    }
  }
  return [...dead].map(([address, file]) => `${address} in ${file}`);
}

/** Ids of the elements of a page. */
function idsOfPage(path: string): ReadonlySet<string> {
  const page = path.endsWith('.html') ? path : join(path, 'index.html');
  const text = existsSync(page) ? readFileSync(page, 'utf8') : '';
  return new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id.replaceAll('&amp;', '&')));
}

const isAnswered = (path: string): boolean =>
  existsSync(path) &&
  (statSync(path).isFile() || ['index.html', 'index.json'].some((name) => existsSync(join(path, name))));
