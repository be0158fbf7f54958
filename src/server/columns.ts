/** One column of a dataset: its texts, its profile, and its name and type in each version. */
import { closestWord } from '../catalogue/closest.ts';
import { columnInVersions } from '../catalogue/column-in-versions.ts';
import { nameAfterRename } from '../catalogue/column-names.ts';
import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import { excerpt, NotFoundError } from '../catalogue/errors.ts';
import { composeLetters } from '../catalogue/normalize.ts';
import { refOf } from '../catalogue/ref.ts';
import { resourceUrl, toJson } from '../catalogue/represent.ts';
import type { Dataset } from '../catalogue/types.ts';
import { columnPath } from '../catalogue/urls.ts';
import { renderColumnPage } from '../pages/column.tsx';
import { shownVersion } from '../pages/figures.ts';
import { datasetWithColumnsOf } from './dataset-page.ts';
import { whyNoRows } from './dataset-state.ts';
import { profileSoon } from './first-look.ts';
import { pageLocale } from './page-context.ts';
import { seeOther } from './redirects.ts';
import { type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { patienceOf } from './soon.ts';

/** `…/columns/<name>/`; a former name, and one whose letters are composed in another way, lead to the present one. */
export async function columnHandler(request: RequestContext): Promise<Representation | undefined> {
  const { catalogue, ctx, isPage, links, params } = request;
  const found = await catalogue.get<'dataset'>(refFromRouteParams('dataset', params));
  const version = shownVersion(found);
  const dataset = version ? datasetWithColumnsOf(found, version) : found;
  const name = params.column ?? '';
  const column = dataset.columns.find((one) => one.name === name);
  if (!column) {
    const composed = composeLetters(name);
    const same = dataset.columns.find((one) => composeLetters(one.name) === composed)?.name;
    const present = same ?? nameAfterRename(dataset.former_names, name);
    if (present === undefined) throw unknownColumn(name, dataset);
    seeOther(request, columnPath(refOf(dataset), present));
    return undefined;
  }
  const locale = pageLocale(ctx, catalogue.settings);
  let reason = whyNoRows(locale, version);
  const reading = version?.ready ? () => catalogue.profile(refOf(version)) : async () => null;
  const profile = await (isPage && version?.ready
    ? profileSoon(catalogue, version, patienceOf(request.app))
    : reading()
  ).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
    reason = error.message;
    return null;
  });
  const measured: ColumnProfile | null = profile?.columns.find((one) => one.name === name) ?? null;
  if (profile && !measured) reason = locale.text('columnNotInFile');
  const rows = profile?.rows ?? version?.rows ?? null;
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug: dataset.namespace }).catch(() => null);
  return {
    title: 'Column',
    // A page without its profile is made anew until it is ready.
    dependsOn: isPage && !profile && !reason ? [] : [found, namespace, profile],
    json: () =>
      toJson({
        url: `${links.base}${columnPath(refOf(dataset), name)}${links.suffix}`,
        dataset: resourceUrl(links, refOf(dataset)),
        ...column,
        rows,
        profile: measured,
        versions: columnInVersions(dataset, name).map(({ version: { slug, datetime }, name, type }) => ({
          slug,
          datetime,
          name,
          type,
        })),
      }),
    ...(isPage && {
      page: (context) =>
        renderColumnPage(context, {
          ...{ dataset, namespace: namespace?.label ?? dataset.namespace, column },
          ...{ profile: measured, reason, rows: rows ?? 0 },
        }),
    }),
  };
}

function unknownColumn(name: string, dataset: Dataset): NotFoundError {
  const near = closestWord(
    name,
    dataset.columns.map((one) => one.name),
  );
  return new NotFoundError(
    `There is no column "${excerpt(name)}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
  );
}
