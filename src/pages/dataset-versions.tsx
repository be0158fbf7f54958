/** The versions of a dataset: date, notes, what changed in columns and rows, size. */
import type { VNode } from 'preact';
import type { DifferenceFigures } from '../catalogue/difference.ts';
import { hasCountedRows, mayHaveRows, readyVersionBefore } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { dateOfVersion, sizeAndFormat } from './figures.ts';
import { AllVersions, listVersions } from './listed-versions.tsx';
import { firstParagraph } from './markdown.ts';
import { hrefOfRef, type PageContext } from './page-context.ts';
import { ChangeSigns, ShareBar, sharesOf } from './share-bar.tsx';
import type { TextKey } from './texts/english.ts';

/** Versions shown before the rest is folded. */
export const shownVersions = 10;
/** Columns that are named in a change. */
const maxNames = 6;

/**
 * Changes since the version before. `comparing`: the rows are being compared; `large`: they are compared when somebody asks
 * for the differences; `none`: there are no rows to compare.
 */
export type VersionChange = DifferenceFigures | 'comparing' | 'large' | 'none';

interface Props {
  readonly context: PageContext;
  readonly dataset: Dataset;
}

interface ListProps extends Props {
  /** The version that the page shows. */
  readonly shown: Version | undefined;
  readonly changes: ReadonlyMap<string, VersionChange>;
}

export function VersionList({ context, dataset, shown, changes }: ListProps): VNode {
  const { locale } = context;
  const { versions } = dataset;
  const newest = versions.find(({ ready }) => ready);
  const item = (version: Version) => (
    <VersionItem
      key={version.id}
      {...{ context, dataset, version, isNewest: version === newest, change: changes.get(version.slug) ?? 'none' }}
    />
  );
  const listed = listVersions(versions, [shown]);
  const rest = listed.slice(shownVersions);
  return (
    <>
      <ol class="versions">{listed.slice(0, shownVersions).map(item)}</ol>
      {rest.length > 0 && (
        <details class="rest">
          <summary>{locale.text('olderVersions', { count: rest.length })}</summary>
          <ol class="versions">{rest.map(item)}</ol>
        </details>
      )}
      <AllVersions context={context} dataset={dataset} />
      <CompareForm {...{ context, dataset, shown }} />
    </>
  );
}

/** The form that compares two versions; the server redirects to their differences. */
function CompareForm({ context, dataset, shown }: Omit<ListProps, 'changes'>): VNode | null {
  const { locale } = context;
  const ready = listVersions(dataset.versions, [shown], (version) => version.ready && hasCountedRows(version));
  // Of two versions, the newer one has a link to what changed.
  if (ready.length < 3) return null;
  const select = (name: string, label: string, chosen: number) => (
    <>
      <label for={`compare${name}`}>{label}</label>
      <select id={`compare${name}`} name={name}>
        {ready.map((version, i) => (
          <option key={version.slug} value={version.slug} selected={i === chosen}>
            {dateOfVersion(locale, version, dataset.versions)}
          </option>
        ))}
      </select>
    </>
  );
  return (
    <form class="row pairs cmp" action={hrefOfRef(context, refOf(dataset))}>
      {select('_from', locale.text('compare'), 1)}
      {select('_to', locale.text('with'), 0)}
      <button class="btn" type="submit">
        {locale.text('showDifferences')}
      </button>
    </form>
  );
}

interface ItemProps extends Props {
  readonly version: Version;
  readonly isNewest: boolean;
  readonly change: VersionChange;
}

function VersionItem({ context, dataset, version, isNewest, change }: ItemProps): VNode {
  const { locale } = context;
  const before = version.ready ? readyVersionBefore(dataset, version.slug) : undefined;
  return (
    <li>
      <div>
        <a href={hrefOfRef(context, refOf(version))}>
          <time dateTime={version.datetime}>{dateOfVersion(locale, version, dataset.versions)}</time>
        </a>{' '}
        {isNewest && <span class="tag on">{locale.text('newest')}</span>}
        {!version.ready && <span class="tag private">{locale.text(version.draft ? 'draft' : 'notReady')}</span>}
      </div>
      <div>
        {version.notes && <p dir="auto">{firstParagraph(version.notes)}</p>}
        {before && <Changes {...{ context, dataset, before, version, change }} />}
      </div>
      <div class="size">
        {version.rows !== null && (
          <>
            {locale.text('rowCount', { count: version.rows })}
            <br />
          </>
        )}
        {sizeAndFormat(version, locale)}
      </div>
    </li>
  );
}

interface ChangesProps extends Props {
  readonly before: Version;
  readonly version: Version;
  readonly change: VersionChange;
}

/** Changes of rows and columns since the version before. */
function Changes({ context, dataset, before, version, change }: ChangesProps): VNode {
  const { locale } = context;
  return (
    <div class="since">
      <ChangesInBrief {...{ context, dataset, before, version, change }} hasBar />
      {change === 'comparing' && <span class="soft">{locale.text('comparing')}</span>}
      {change === 'large' && <span class="soft">{locale.text('tooLargeToCompare')}</span>}
      {mayHaveRows(before) && mayHaveRows(version) && (
        <a href={hrefOfRef(context, refOf(version), 'diff/')}>{locale.text('whatChanged')}</a>
      )}
    </div>
  );
}

/** Numbers of rows and names of columns that changed. Where only columns did, there are no numbers. @param hasBar with the shares of rows */
export function ChangesInBrief({
  context,
  dataset,
  before,
  version,
  change,
  hasBar = false,
}: ChangesProps & { readonly hasBar?: boolean }): VNode {
  const { locale } = context;
  const figures = typeof change === 'object' ? change : null;
  const { renamed, added, dropped, retyped } = columnChangesOf(dataset, before, version, figures);
  const more = figures ? 0 : (version.rows ?? 0) - (before.rows ?? 0);
  const names = (columns: readonly string[]) =>
    columns.slice(0, maxNames).join(', ') + (columns.length > maxNames ? ', …' : '');
  const inWords = (key: TextKey, columns: readonly string[]) =>
    columns.length > 0 && locale.text(key, { count: columns.length, names: names(columns) });
  const parts = [
    ['add', '+', more > 0 && locale.text('moreRows', { count: more })],
    ['del', '−', more < 0 && locale.text('fewerRows', { count: -more })],
    ['add', '+', inWords('columnsAdded', added)],
    ['del', '−', inWords('columnsDropped', dropped)],
    ['chg', '~', inWords('columnsRenamed', renamed)],
    ['chg', '~', inWords('columnsRetyped', retyped)],
  ] as const;
  const haveRowsChanged =
    figures !== null && figures.counts.added + figures.counts.removed + figures.counts.changed > 0;
  return (
    <>
      {figures && (haveRowsChanged || parts.every(([, , text]) => !text)) && (
        <>
          <ChangeSigns locale={locale} counts={figures.counts} />
          {hasBar && <ShareBar width={120} height={6} parts={sharesOf(figures.counts)} />}
        </>
      )}
      {parts.map(
        ([kind, sign, text]) =>
          text && (
            <span key={text} class={kind} dir="auto">
              {sign} {text}
            </span>
          ),
      )}
    </>
  );
}

/** Names of the columns that changed: measured, else as far as the records name columns. */
function columnChangesOf(dataset: Dataset, before: Version, version: Version, figures: DifferenceFigures | null) {
  const old = new Map(before.columns?.map(({ name, type }) => [name, type]));
  const now = new Map(version.columns?.map(({ name, type }) => [name, type]));
  const isKnown = before.columns !== null && version.columns !== null;
  const recorded = {
    added: isKnown ? [...now.keys()].filter((name) => !old.has(name)) : [],
    dropped: isKnown ? [...old.keys()].filter((name) => !now.has(name)) : [],
    retyped: [...now].flatMap(([name, type]) => (old.has(name) && old.get(name) !== type ? [name] : [])),
  };
  const name = (column: { readonly name: string }) => column.name;
  const measured = figures?.columns;
  const { added, dropped, retyped } = measured
    ? { added: measured.added.map(name), dropped: measured.dropped.map(name), retyped: measured.retyped.map(name) }
    : recorded;
  const renames = [
    ...(measured?.renamed ?? []),
    ...(figures?.renames ?? []),
    ...dropped.flatMap((from) => {
      const known = Object.hasOwn(dataset.former_names, from) ? dataset.former_names[from] : undefined;
      const to = known?.find((one) => added.includes(one));
      return to === undefined || figures?.renames?.some((one) => one.from === from) ? [] : [{ from, to }];
    }),
  ];
  return {
    retyped,
    renamed: renames.map(({ from, to }) => `${from} → ${to}`),
    added: added.filter((one) => renames.every(({ to }) => to !== one)),
    dropped: dropped.filter((one) => renames.every(({ from }) => from !== one)),
  };
}
