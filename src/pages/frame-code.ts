/** The line of HTML that shows a map or a table of rows in a frame on a page of others. */
import { escapeHtml } from './html.ts';

/** Height of a frame in pixels. */
export const frameHeight = { map: 520, table: 420 } as const;

/** The line of HTML that shows a frame. @param address of what is in it, absolute */
export const frameCode = (
  address: string,
  title: string,
  view: keyof typeof frameHeight,
  height: number = frameHeight[view],
): string =>
  `<iframe src="${escapeHtml(address)}" title="${escapeHtml(title)}" width="100%" height="${height}" loading="lazy"></iframe>`;
