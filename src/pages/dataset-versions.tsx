/** The versions of a dataset: date, notes, what changed in columns and rows, size. */
import type { VNode } from 'preact';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { dateOfVersion, sizeAndFormat } from './figures.ts';
import { firstParagraph } from './markdown.ts';
import { hrefOfRef, type PageContext } from './page-context.ts';

/** Versions shown before the rest is folded. */
const shownVersions = 10;
/** Columns that are named in a change. */
const maxNames = 6;

interface Props {
  readonly context: PageContext;
  readonly dataset: Dataset;
}

export function VersionList({ context, dataset }: Props): VNode {
  const { locale } = context;
  const { versions } = dataset;
  const newest = versions.find(({ ready }) => ready);
  const item = (version: Version) => (
    <VersionItem key={version.id} context={context} dataset={dataset} version={version} isNewest={version === newest} />
  );
  const rest = versions.slice(shownVersions);
  return (
    <>
      <ol class="versions">{versions.slice(0, shownVersions).map(item)}</ol>
      {rest.length > 0 && (
        <details class="rest">
          <summary>{locale.text('olderVersions', { count: rest.length })}</summary>
          <ol class="versions">{rest.map(item)}</ol>
        </details>
      )}
      <div class="after">
        <CompareForm context={context} dataset={dataset} />
        <a href={hrefOfRef(context, refOf(dataset), 'history/')}>{locale.text('recordHistory')}</a>
      </div>
    </>
  );
}

/** The form that compares two versions; the server redirects to their differences. */
function CompareForm({ context, dataset }: Props): VNode | null {
  const { locale } = context;
  const ready = dataset.versions.filter((version) => version.ready && version.rows !== null);
  if (ready.length < 2) return <span />;
  const select = (name: string, label: string, chosen: number) => (
    <>
      <label for={`compare${name}`}>{label}</label>
      <select id={`compare${name}`} name={name}>
        {ready.map((version, i) => (
          <option key={version.slug} value={version.slug} selected={i === chosen}>
            {dateOfVersion(locale, version, ready)}
          </option>
        ))}
      </select>
    </>
  );
  return (
    <form class="row cmp" action={hrefOfRef(context, refOf(dataset))}>
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
}

function VersionItem({ context, dataset, version, isNewest }: ItemProps): VNode {
  const { locale } = context;
  const before = version.ready ? readyVersionBefore(dataset, version.slug) : undefined;
  return (
    <li>
      <div>
        <a href={hrefOfRef(context, refOf(version))}>
          <time dateTime={version.datetime}>{locale.date(version.datetime)}</time>
        </a>{' '}
        {isNewest && <span class="tag on">{locale.text('newest')}</span>}
        {!version.ready && <span class="tag private">{locale.text(version.draft ? 'draft' : 'notReady')}</span>}
      </div>
      <div>
        {version.notes && <p dir="auto">{firstParagraph(version.notes)}</p>}
        {before && <Changes context={context} before={before} version={version} />}
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

/** Changes of columns and of the number of rows since the version before. */
function Changes({
  context,
  before,
  version,
}: {
  readonly context: PageContext;
  readonly before: Version;
  readonly version: Version;
}): VNode {
  const { locale } = context;
  const old = new Map(before.columns?.map(({ name, type }) => [name, type]));
  const now = new Map(version.columns?.map(({ name, type }) => [name, type]));
  const isKnown = before.columns !== null && version.columns !== null;
  const added = isKnown ? [...now.keys()].filter((name) => !old.has(name)) : [];
  const dropped = isKnown ? [...old.keys()].filter((name) => !now.has(name)) : [];
  const retyped = [...now].flatMap(([name, type]) => (old.has(name) && old.get(name) !== type ? [name] : []));
  const more = (version.rows ?? 0) - (before.rows ?? 0);
  const names = (columns: readonly string[]) =>
    columns.slice(0, maxNames).join(', ') + (columns.length > maxNames ? ', …' : '');
  const parts = [
    more > 0 && { sign: '+', kind: 'add', text: locale.text('moreRows', { count: more }) },
    more < 0 && { sign: '−', kind: 'del', text: locale.text('fewerRows', { count: -more }) },
    added.length > 0 && {
      sign: '+',
      kind: 'add',
      text: locale.text('columnsAdded', { count: added.length, names: names(added) }),
    },
    dropped.length > 0 && {
      sign: '−',
      kind: 'del',
      text: locale.text('columnsDropped', { count: dropped.length, names: names(dropped) }),
    },
    retyped.length > 0 && {
      sign: '~',
      kind: 'chg',
      text: locale.text('columnsRetyped', { count: retyped.length, names: names(retyped) }),
    },
  ].filter((part) => part !== false);
  return (
    <div class="since">
      {parts.map(({ sign, kind, text }) => (
        <span key={text} class={kind}>
          {sign} {text}
        </span>
      ))}
      <a href={hrefOfRef(context, refOf(version), 'diff/')}>{locale.text('whatChanged')}</a>
    </div>
  );
}
