/**
 * Static files of the pages: one stylesheet, scripts, fonts. Their path has a version, the hash of all of them, so that
 * browsers may keep them for ever. And the documentation of the program. Only this module of the server reads files: those of the program itself.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { accentColours } from '../catalogue/colour.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import type { Settings } from '../catalogue/types.ts';
import { renderAccentStyle } from '../pages/accent-style.ts';
import { encodedEtag, etagMatches, etagOf } from './etags.ts';
import { type Coding, preferredCoding } from './negotiate.ts';
import { assertPreconditions } from './preconditions.ts';
import type { Context, RequestContext } from './route.ts';

const folder = new URL('../pages/assets/', import.meta.url);

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

interface Asset {
  readonly type: string;
  readonly etag: string;
  /** Bytes by content coding; compressed ones are made when they are first asked for. */
  readonly bodies: { readonly identity: Buffer } & { [C in Coding]?: Buffer };
}

const makeAsset = (name: string, body: Buffer): Asset => ({
  type: mediaTypes[extname(name)] ?? 'application/octet-stream',
  etag: etagOf(body),
  bodies: { identity: body },
});

/** The files in the folder, by name; those in `style/` are joined to one stylesheet, in the order of their names. */
function readAssets(): ReadonlyMap<string, Asset> {
  const names = (path: string) => readdirSync(new URL(path, folder)).sort();
  const read = (path: string) => readFileSync(new URL(path, folder));
  // The moving map, which `npm run build` makes: without it, the pictures stay.
  const mapFiles = existsSync(new URL('map/', folder)) ? names('map/').filter((name) => !name.endsWith('.txt')) : [];
  const style = names('style/').map((name) => withoutComments(read(`style/${name}`).toString()));
  const files = names('.').filter((name) => extname(name) !== '');
  return new Map([
    ['style.css', makeAsset('style.css', Buffer.from(style.join('')))],
    ...files.map((name) => {
      const bytes = read(name);
      const body = extname(name) === '.js' ? Buffer.from(scriptWithoutComments(bytes.toString())) : bytes;
      return [name, makeAsset(name, body)] as const;
    }),
    ...mapFiles.map((name) => [name, makeAsset(name, read(`map/${name}`))] as const),
  ]);
}

/** A stylesheet without comments, indentation and spaces around braces: every page waits for it. */
const withoutComments = (css: string): string =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\n\s*/g, '\n')
    .replace(/\n\}/g, '}')
    .replace(/ \{\n/g, '{');

/** A script without the comments that have lines of their own: a quarter of what every page loads of it. */
const scriptWithoutComments = (script: string): string =>
  script.replace(/^\s*\/\*\*.*?\*\/\n/gms, '').replace(/^\s*\/\/.*\n/gm, '');

const assets = readAssets();
const version = createHash('sha256')
  .update(JSON.stringify(Array.from(assets, ([name, { etag }]) => [name, etag])))
  .digest('hex')
  .slice(0, 12);

/** Path of the static files, with their version. */
export const assetsPath = `/static/${version}`;

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
const zip = promisify<Buffer, object, Buffer>(gzip);

/** A static file. A page of an older version of the program gets the present one, which it may not keep. */
export async function assetHandler({ ctx, params }: RequestContext): Promise<undefined> {
  const { name = '' } = params;
  const asset = assets.get(name) ?? accentAsset(name);
  if (!asset) throw new NotFoundError();
  await sendAsset(ctx, asset, params.version === version ? 'public, max-age=31536000, immutable' : 'no-cache');
}

async function sendAsset(ctx: Context, asset: Asset, cacheControl: string): Promise<void> {
  const isText = !/^(font|image\/(png|webp))/.test(asset.type);
  const coding = isText ? preferredCoding(ctx.get('Accept-Encoding')) : 'identity';
  const etag = encodedEtag(asset.etag, coding);
  ctx.set({
    ETag: etag,
    'Cache-Control': cacheControl,
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  ctx.response.vary('Accept-Encoding');
  assertPreconditions(ctx, etag);
  if (etagMatches(ctx.get('If-None-Match') || '""', etag)) {
    ctx.status = 304;
    return;
  }
  const body = await bodyIn(asset, coding);
  ctx.set('Content-Type', asset.type);
  if (coding !== 'identity') ctx.set('Content-Encoding', coding);
  ctx.body = body;
}

/** The static files by name, with the stylesheet of the catalogue's accent. */
export function* assetFiles({ accent }: Settings): Generator<readonly [name: string, bytes: Buffer]> {
  for (const [name, { bodies }] of assets) yield [name, bodies.identity];
  const name = accent && accentColours(accent) ? accentName(accent) : '';
  const own = name && accentAsset(name);
  if (own) yield [name, own.bodies.identity];
}

const accentName = (accent: string): string => `accent-${accent.trim().slice(1).toLowerCase()}.css`;

async function bodyIn({ bodies }: Asset, coding: Coding): Promise<Buffer> {
  const { identity, [coding]: ready } = bodies;
  if (ready) return ready;
  const body =
    coding === 'br'
      ? await brotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
      : await zip(identity, { level: 9 });
  if (coding !== 'identity') bodies[coding] = body;
  return body;
}

/** The stylesheet of a catalogue's accent: `accent-0b5a63.css`. */
function accentAsset(name: string): Asset | undefined {
  const digits = /^accent-([0-9a-f]{3}|[0-9a-f]{6})\.css$/.exec(name)?.[1];
  const colours = digits && accentColours(`#${digits}`);
  return colours ? makeAsset(name, Buffer.from(renderAccentStyle(colours))) : undefined;
}

/** The folder of the program. */
const program = new URL('../../', import.meta.url);

let documentation: ReadonlyMap<string, string> | undefined;

/** The pages of the documentation, by name (`filters`), in Markdown. */
export function documentationPages(): ReadonlyMap<string, string> {
  documentation ??= new Map(
    readdirSync(new URL('docs/', program))
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name.slice(0, -'.md'.length), readFileSync(new URL(`docs/${name}`, program), 'utf8')]),
  );
  return documentation;
}

/** Folders with files that the documentation shows or links to, by their names in addresses. */
const documentationFolders: Readonly<Record<string, string>> = { screenshots: 'docs/screenshots/', deploy: 'deploy/' };

/** Paths of the files beside the pages of the documentation: `screenshots/home.webp`. The package has no pictures. */
export const documentationFileNames = (): readonly string[] =>
  Object.entries(documentationFolders).flatMap(([name, folder]) => {
    const address = new URL(folder, program);
    return existsSync(address) ? readdirSync(address).map((file) => `${name}/${file}`) : [];
  });

/** A file beside the pages of the documentation. @param path `screenshots/home.webp` */
export function documentationFile(path: string): Buffer | null {
  const [, folder = '', name = ''] = /^(\w+)\/(\w[\w.-]*)$/.exec(path) ?? [];
  const place = Object.hasOwn(documentationFolders, folder) ? documentationFolders[folder] : undefined;
  const address = place === undefined ? null : new URL(place + name, program);
  return address && existsSync(address) ? readFileSync(address) : null;
}

export async function documentationFileHandler({ ctx, params }: RequestContext): Promise<undefined> {
  const { folder = '', name = '' } = params;
  const body = documentationFile(`${folder}/${name}`);
  if (!body) throw new NotFoundError();
  const type = mediaTypes[extname(name)] ?? 'text/plain; charset=utf-8';
  await sendAsset(ctx, { ...makeAsset(name, body), type }, 'no-cache');
}
