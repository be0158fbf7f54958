/** The first rows of a version, of the columns that say most. */
import type { VNode } from 'preact';
import type { Column } from '../catalogue/types.ts';
import { Cell, isNumeric, type RowValues, TypeOfColumn } from './cells.tsx';
import type { Locale } from './locale.ts';
import { type PageContext, queryStringOf } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';

/** Rows of some columns. */
export interface Preview {
  readonly columns: readonly Column[];
  readonly rows: readonly RowValues[];
}

interface FirstRowsProps {
  readonly context: PageContext;
  /** Number of all columns. */
  readonly columns: number;
  /** Null if there are none to show. */
  readonly preview: Preview | null;
  /** Why there are no rows; '' if they are only not ready yet. */
  readonly reason: string;
  /** Sentence in place of the rows if none was found. */
  readonly noRows: string;
  readonly rowsPath: string;
  /** Number of all rows. */
  readonly rows: number;
  /** True for groups of rows: their columns have no known types, and they have no pages. */
  readonly areGroups?: boolean;
}

/** `the first of 500`; `5 rows` where all are shown. */
export const countOfFirstRows = (locale: Locale, preview: Preview, rows: number): string =>
  locale.text(preview.rows.length < rows ? 'theFirstOf' : 'rowCount', { count: rows });

export function FirstRows({ context, areGroups = false, ...parts }: FirstRowsProps): VNode {
  const { locale } = context;
  const { columns, preview, reason, noRows, rowsPath, rows } = parts;
  if (!preview) {
    const message = reason || locale.text('rowsNotReady');
    return (
      <p class="soft" lang={locale.langOf(message)}>
        {message}
      </p>
    );
  }
  if (preview.rows.length === 0) return <p class="soft">{noRows}</p>;
  const count = countOfFirstRows(locale, preview, rows);
  const label = preview.rows.length < rows ? `${locale.text('rows')}: ${count}` : count;
  return (
    <>
      <ScrollBox label={label}>
        <table class="grid">
          <thead>
            <tr>
              <th class="n" scope="col">
                <span class="vh">{locale.text('row')}</span>
              </th>
              {preview.columns.map((column) => (
                <th key={column.name} scope="col" class={isNumeric(column.type) ? 'num' : undefined}>
                  <span dir="auto">{column.name}</span>
                  {!areGroups && <TypeOfColumn column={column} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map((row, i) => (
              <tr key={i}>
                <th class="n" scope="row">
                  {areGroups ? (
                    i + 1
                  ) : (
                    <a
                      href={
                        rowsPath +
                        queryStringOf([
                          ['_limit', '1'],
                          ['_offset', String(i)],
                        ])
                      }
                      tabIndex={-1}
                      rel="nofollow"
                    >
                      {i + 1}
                    </a>
                  )}
                </th>
                {preview.columns.map(({ name, type }) => (
                  <Cell key={name} locale={locale} value={row[name]} type={type} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <div class="after">
        <span>
          {locale.text('someOfRows', {
            shown: preview.rows.length,
            rows: locale.text('rowCount', { count: rows }),
            columns: preview.columns.length,
            // The record may lack them.
            all: locale.text('columnCount', { count: Math.max(columns, preview.columns.length) }),
          })}
        </span>
        <a href={rowsPath}>{locale.text('allRowsWithFilters')} →</a>
      </div>
    </>
  );
}
