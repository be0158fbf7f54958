/** Tables of the rows that differ: changed ones with old over new, added and removed ones. */
import type { VNode } from 'preact';
import { shorten } from '../catalogue/beginning.ts';
import type { PlainRow, RowChange } from '../catalogue/difference.ts';
import type { Column } from '../catalogue/types.ts';
import { Cell, cellText, gridClass } from './cells.tsx';
import type { Locale } from './locale.ts';
import { hrefWith, type PageContext } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';
import { wordDifference } from './word-difference.ts';

/** Rows of one kind of change in a page, at most. */
export const changesPerPage = 100;

/** Rows of one kind of change. */
export interface ChangedRows {
  readonly change: RowChange['change'];
  readonly rows: readonly RowChange[];
  /** Number of the rows, and position of the first that is shown. */
  readonly total: number;
  readonly offset: number;
  /** The columns that are shown, after those of the key. */
  readonly columns: readonly Pick<Column, 'name' | 'type'>[];
}

/** Sign, class and word of each kind of change. */
const signs = {
  changed: { sign: '~', kind: 'mod', word: 'rowChanged' },
  added: { sign: '+', kind: 'new', word: 'rowAdded' },
  removed: { sign: '−', kind: 'gone', word: 'rowRemoved' },
} as const;

export function ChangedRowsTable({
  context,
  label,
  ...part
}: ChangedRows & { readonly context: PageContext; readonly label: string }): VNode {
  const { locale } = context;
  const { change, rows, columns } = part;
  const { sign, kind, word } = signs[change];
  const keys = Object.keys(rows[0]?.key ?? {});
  return (
    <>
      <ScrollBox label={`${label}: ${locale.text('rows')}`}>
        <table class={gridClass(keys.length + columns.length)}>
          <thead>
            <tr>
              <th class="sign" scope="col">
                <span class="vh">{locale.text('changeSign')}</span>
              </th>
              {[...keys, ...columns.map(({ name }) => name)].map((name) => (
                <th key={name} scope="col">
                  <span dir="auto">{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i} class={kind}>
                <td class="sign">
                  <span aria-hidden="true">{sign}</span>
                  <span class="vh">{locale.text(word)}</span>
                </td>
                {keys.map((name, at) =>
                  at === 0 ? (
                    <th key={name} scope="row" dir="auto">
                      {cellText(row.key?.[name])}
                    </th>
                  ) : (
                    <td key={name} dir="auto">
                      {cellText(row.key?.[name])}
                    </td>
                  ),
                )}
                <Cells locale={locale} row={row} columns={columns} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <PartLinks context={context} label={label} {...part} />
    </>
  );
}

function Cells({ locale, row, columns }: { locale: Locale; row: RowChange } & Pick<ChangedRows, 'columns'>): VNode {
  return (
    <>
      {columns.map(({ name, type }) => {
        if (row.change !== 'changed') return <Cell key={name} locale={locale} value={row.row[name]} type={type} />;
        if (row.columns.includes(name)) return <ChangedCell key={name} locale={locale} name={name} row={row} />;
        const value = Object.hasOwn(row.to, name) ? row.to[name] : row.from[name];
        return (
          <td key={name} class="same" dir="auto">
            {value === null || value === undefined ? <i>{locale.text('null')}</i> : excerptOf(cellText(value))}
          </td>
        );
      })}
    </>
  );
}

const longest = 300;
const excerptOf = (text: string) => shorten(text, longest);

/** Old over new in a cell; the words that differ are set off. */
function ChangedCell({
  locale,
  name,
  row,
}: {
  readonly locale: Locale;
  readonly name: string;
  readonly row: { readonly from: PlainRow; readonly to: PlainRow };
}): VNode {
  const [before, after] = [row.from[name], row.to[name]];
  const areTexts = typeof before === 'string' && typeof after === 'string';
  const texts = [before, after].map((value) => (value === null ? locale.text('null') : cellText(value)));
  const [old, now] = areTexts
    ? wordDifference(before, after)
    : texts.map((text) => [{ text: excerptOf(text), differs: false }]);
  const marked = (parts: typeof old = []) =>
    parts.map(({ text, differs }, i) => (differs ? <b key={i}>{text}</b> : text));
  return (
    <td class="was" dir="auto">
      <del>
        <span class="vh">{locale.text('was')}</span>
        {marked(old)}
      </del>
      <ins>
        <span class="vh">{locale.text('isNow')}</span>
        {marked(now)}
      </ins>
    </td>
  );
}

/** Links to the rows before and after those that are shown; the position is in the address. */
function PartLinks({
  context,
  label,
  change,
  offset,
  rows,
  total,
}: ChangedRows & { readonly context: PageContext; readonly label: string }): VNode | null {
  const { locale } = context;
  const end = offset + rows.length;
  if (offset === 0 && end >= total) return null;
  const href = (to: number) => `${hrefWith(context, { [`_${change}`]: to > 0 ? String(to) : null })}#${change}`;
  return (
    <nav class="pager" aria-label={`${locale.text('pages')}, ${label}`}>
      {offset > 0 ? (
        <a href={href(Math.max(0, offset - changesPerPage))} rel="nofollow">
          {locale.text('previousRows', { count: Math.min(changesPerPage, offset) })}
        </a>
      ) : (
        <span />
      )}
      <span>{locale.text('rowsFromTo', { from: offset + 1, to: end, count: total })}</span>
      {end < total ? (
        <a href={href(end)} rel="nofollow">
          {locale.text('nextRows', { count: Math.min(changesPerPage, total - end) })}
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
