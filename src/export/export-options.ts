/** Options and result of an export, which are types of the library, too. */

export interface ExportOptions {
  /** Path of the catalogue folder. */
  readonly folder: string;
  /** Path of the folder that the files are written to. */
  readonly to: string;
  /** Address at which the files will be served; default: `base_url` of the catalogue. */
  readonly url?: string | undefined;
  /** True to write into a folder that has other files. */
  readonly force?: boolean | undefined;
  /** True to export although records can't be read: they are left out, or in the last valid state that the folder's cache has. */
  readonly skipInvalid?: boolean | undefined;
  /** True to write a compressed copy beside each text, as nginx with `gzip_static` sends it. */
  readonly gzip?: boolean | undefined;
  /** Most addresses in a file of the sitemap; default: 50,000, as the protocol has it. */
  readonly sitemapLimit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each dataset, with the number of those that are done, and of all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ExportResult {
  readonly url: string;
  /** Number of all files, and of those that were written or removed. */
  readonly files: number;
  readonly written: number;
  readonly removed: number;
  /** Files above a size at which hosts begin to refuse them, the largest first. */
  readonly large: readonly { readonly file: string; readonly size: number }[];
}
