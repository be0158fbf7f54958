/** The address of the rows that are seen, with its parameters set off, the same rows in other formats, and lines for tools. */
import type { VNode } from 'preact';
import { partParameters } from '../catalogue/row-parameters.ts';
import type { Column } from '../catalogue/types.ts';
import { formatName } from './format-names.ts';
import { absoluteUrl, hrefOf, type PageContext, queryStringOf } from './page-context.ts';
import { excelAddress, type RowsSource } from './snippets.ts';
import { UseIt } from './use-it.tsx';

/** Formats in which the browser writes rows of an export. */
export const savedFormats = ['csv', 'objects', 'ndjson', 'excel'] as const;

export interface RowsAddressProps {
  readonly context: PageContext;
  readonly matched: number;
  /** Columns of the rows. */
  readonly columns: readonly Column[];
  readonly isAggregated: boolean;
  /** Name for a variable or a file. */
  readonly name: string;
  /** The rows for the command line: `namespace/dataset@version` or `@query`. */
  readonly subject: string;
  /** Title of the rows, for people. */
  readonly title: string;
  readonly isPrivate: boolean;
  readonly textColumns: readonly string[];
}

export function RowsAddress({ context, matched, columns, isAggregated, ...source }: RowsAddressProps): VNode {
  const { locale, path, query } = context;
  const own = [...query].filter(([name]) => !/^_?format$/.test(name));
  const all = queryStringOf(own.filter(([name]) => !partParameters.includes(name)));
  const hasGeometry = !isAggregated && columns.some(({ type }) => type === 'geometry');
  const formats = isAggregated
    ? (['csv', 'objects', 'ndjson'] as const)
    : (['csv', ...(hasGeometry ? (['geojson'] as const) : []), 'objects', 'parquet', 'ndjson'] as const);
  // In an export, only all rows are files.
  const isMade = Boolean(context.isExport) && own.length > 0;
  const stem = path.replace(/\/data\/$/, '/data');
  const hrefOfFormat = (format: (typeof formats)[number]) =>
    format === 'objects' ? `${stem}/${all ? `${all}&` : '?'}_format=objects` : `${stem}.${format}${all}`;
  const rows: RowsSource = {
    ...{ address: absoluteUrl(context, stem), query: all, hasGeometry, isAggregated, ...source, server: context.base },
  };
  return (
    <>
      <div class="address">
        <span class="type">GET</span>
        <code tabIndex={0} role="region" aria-label={locale.text('addressOfRows')}>
          {path}
          {own.map(([name, value], i) => (
            <bdi key={`${name}=${value}`} dir="ltr">
              {i === 0 ? '?' : '&'}
              <b dir="auto">{name}</b>=<bdi>{value}</bdi>
            </bdi>
          ))}
        </code>
        <button
          class="btn only-js"
          type="button"
          data-copy={absoluteUrl(context, path + queryStringOf(own))}
          data-copied={locale.text('copied')}
        >
          {locale.text('copy')}
        </button>
        <span class="kinds">
          {matched > 0 && <span>{locale.text('theseRowsAs', { count: matched })}</span>}
          {isMade
            ? savedFormats.map((format) => (
                <button key={format} class="btn" type="button" data-save={format}>
                  {format === 'excel' ? locale.text('excelFile') : formatName(format)}
                </button>
              ))
            : formats.map((format) => (
                <a key={format} href={hrefOf(context, hrefOfFormat(format))} rel="nofollow">
                  {formatName(format)}
                </a>
              ))}
          {!isMade && (
            <a href={hrefOf(context, excelAddress({ address: stem, query: all }))} rel="nofollow">
              {locale.text('excelFile')}
            </a>
          )}
        </span>
      </div>
      {isMade ? (
        <p class="s soft">{locale.fill('rowsMadeHere', { file: <a href={hrefOf(context, `${stem}.csv`)}>CSV</a> })}</p>
      ) : (
        <details class="use-rows">
          <summary>{locale.text('useTheseRows')}</summary>
          <UseIt context={context} source={rows} />
        </details>
      )}
    </>
  );
}
