/** A bar of shares: how much of all rows is the same, changed, added and removed. */
import type { VNode } from 'preact';
import type { DifferenceCounts } from '../catalogue/difference.ts';
import type { Locale } from './locale.ts';

interface ShareBarProps {
  readonly width: number;
  readonly height: number;
  /** Parts in order, by their class of colour; the bed stays empty. */
  readonly parts: readonly (readonly [kind: 'bed' | 'add' | 'del' | 'chg', share: number])[];
}

/** @param props.parts shares of the whole, 0 to 1 */
export function ShareBar({ width, height, parts }: ShareBarProps): VNode {
  let x = 0;
  return (
    <svg class="share" aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <rect class="bed" width={width} height={height} />
      {parts.map(([kind, share]) => {
        const start = x;
        // What is there at all is seen.
        const wide = share > 0 ? Math.max(1, share * width) : 0;
        x += wide;
        return kind === 'bed' || wide === 0 ? null : (
          <rect
            key={kind}
            class={kind}
            x={Math.min(start, width - wide).toFixed(1)}
            width={wide.toFixed(1)}
            height={height}
          />
        );
      })}
    </svg>
  );
}

/** The shares of rows that are the same, changed, added and removed. */
export function sharesOf({ added, removed, changed, unchanged }: DifferenceCounts): ShareBarProps['parts'] {
  const all = Math.max(1, added + removed + changed + unchanged);
  return [
    ['bed', unchanged / all],
    ['chg', changed / all],
    ['add', added / all],
    ['del', removed / all],
  ];
}

/** Numbers of rows added, removed and changed, with their signs. */
export function ChangeSigns({ locale, counts }: { readonly locale: Locale; readonly counts: DifferenceCounts }): VNode {
  const { added, removed, changed, unchanged } = counts;
  return (
    <span class="delta">
      <span class="vh">{locale.text('sharesOfRows', { added, removed, changed, unchanged })}</span>
      <span aria-hidden="true">
        <span class="add">+{locale.number(added)}</span> <span class="del">−{locale.number(removed)}</span>{' '}
        <span class="chg">~{locale.number(changed)}</span>
      </span>
    </span>
  );
}
