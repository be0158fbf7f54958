/** The page of rows: what it shows beside them, and the forms that lead to it. */

import type { ColumnProfile } from '../catalogue/column-statistics.ts';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { datasetRefOf, refOf, type VersionRef } from '../catalogue/ref.ts';
import { haveAggregates, parametersFromRecord, withExactNames } from '../catalogue/row-parameters.ts';
import type { Dataset, Query, Version, WorkBudget } from '../catalogue/types.ts';
import { shownVersion } from '../pages/figures.ts';
import {
  columnsOfGroups,
  describedColumns,
  findRows,
  findRowsPage,
  limitedTo,
  type RowsFinder,
} from '../pages/find-rows.ts';
import { profilesByColumn } from '../pages/preview-columns.ts';
import type { QueryPageParts } from '../pages/records.tsx';
import { queryOfAreaForm, queryOfRowForms } from '../pages/row-forms.ts';
import { renderRowsPage } from '../pages/rows.tsx';
import type { RowsFacts } from '../pages/rows-in-files.tsx';
import { columnsThatLookTyped } from '../pages/snippets.ts';
import { datasetWithColumnsOf } from './dataset-page.ts';
import { isPrivate, whyNoRows } from './dataset-state.ts';
import { BadRequestError } from './errors.ts';
import { previewColumns, previewRows, profileSoon, readObjects } from './first-look.ts';
import { runInTurns } from './in-turns.ts';
import { pageLocale } from './page-context.ts';
import { seeOther } from './redirects.ts';
import { clientIpAddress } from './request.ts';
import type { Representation, RequestContext } from './route.ts';
import { throttleKeyOfAddress } from './sign-in.ts';
import { isNotReady, patienceOf, soon } from './soon.ts';

/** The budget of the client of a request: of a user, or of an address. Work for a client that has left ends. */
export function workBudgetOf({ app, catalogue, ctx, viewer }: RequestContext): WorkBudget {
  const address = () => throttleKeyOfAddress(clientIpAddress(ctx.req, catalogue.settings));
  const budget = app.workBudgets.of(viewer.username === null ? address() : `user:${viewer.username}`);
  return {
    spend: budget.spend,
    assertAvailable: () => {
      if (ctx.res.destroyed) throw new BadRequestError('The connection was cut off.');
      budget.assertAvailable();
    },
  };
}

/** A version and all parameters of its rows. */
export interface RowsPageSource {
  readonly ref: VersionRef;
  readonly parameters: readonly (readonly [string, string])[];
  readonly query: Query | null;
}

/** The rows as a table for people: those that were asked for, else the first. */
export async function rowsPage(request: RequestContext, source: RowsPageSource): Promise<Representation | undefined> {
  const { catalogue, ctx, query, params } = request;
  const version = await catalogue.get<'version'>(source.ref);
  const dataset = datasetWithColumnsOf(await catalogue.get<'dataset'>(datasetRefOf(version)), version);
  const locale = pageLocale(ctx, catalogue.settings);
  const plain = queryOfRowForms(query, locale, dataset.columns) ?? queryOfAreaForm(query, locale, dataset.columns);
  if (plain !== null) {
    seeOther(request, ctx.path + plain);
    return undefined;
  }
  const profile = await profileSoon(catalogue, version, patienceOf(request.app));
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug: dataset.namespace }).catch(() => null);
  const facts: RowsFacts = {
    ...{ dataset, namespace: namespace?.label ?? dataset.namespace, version, profile },
    ...{ query: source.query, isVersionPage: params.version !== undefined, isPrivate: isPrivate(dataset, namespace) },
  };
  const found = await findRowsPage(rowsFinder(request, version), facts, source.parameters);
  return {
    title: dataset.label,
    dependsOn: [],
    json: () => JSON.stringify(found.rows),
    page: (context) => runInTurns(request, renderRowsPage(context, found)),
  };
}

/** The rows of a version, for the client of a request. */
function rowsFinder(request: RequestContext, version: Version): RowsFinder {
  const { catalogue, app } = request;
  const budget = workBudgetOf(request);
  return {
    pageSizes: catalogue.settings,
    find: (parameters) => readObjects(catalogue, version, parameters, budget),
    profile: async (parameters) =>
      (await profileSoon(catalogue, version, patienceOf(app), { parameters, budget }))?.matched ?? null,
  };
}

/** The first rows that a saved query finds, if they are ready soon and the client may have them found. */
export async function firstRowsOfQuery(
  request: RequestContext,
  query: Query,
  asked: Dataset | null,
): Promise<Omit<QueryPageParts, 'query' | 'dataset' | 'isPrivate'>> {
  const none = { preview: null, reason: '', matched: 0, columnCount: 0, textColumns: [] };
  if (!asked) return none;
  const named = query.version && query.version !== 'latest' ? query.version : null;
  const version = named === null ? shownVersion(asked) : asked.versions.find(({ slug }) => slug === named);
  if (!version?.ready) {
    const locale = pageLocale(request.ctx, request.catalogue.settings);
    const isGone = named !== null && !version;
    return { ...none, reason: isGone ? locale.text('queriedVersionGone') : whyNoRows(locale, version) };
  }
  const find = async () => {
    const { catalogue } = request;
    const profile = await catalogue.profile(refOf(version));
    const allColumns = describedColumns(datasetWithColumnsOf(asked, version).columns, profile);
    const parameters = withExactNames(parametersFromRecord(query.parameters), allColumns);
    const isAggregated = haveAggregates(parameters);
    const first = limitedTo(previewRows, parameters, catalogue.settings);
    const known = { allColumns, profile, isAggregated, formerNames: asked.former_names };
    const found = await findRows(rowsFinder(request, version), first, version, known, previewColumns);
    const columns = isAggregated ? columnsOfGroups(found.items) : found.columns;
    const columnCount = isAggregated ? columns.length : allColumns.length;
    const preview = { columns, rows: found.items.slice(0, previewRows) };
    const profiles: ReadonlyMap<string, Partial<ColumnProfile>> = profilesByColumn(version, profile);
    const textColumns = columnsThatLookTyped(isAggregated ? columns : allColumns, profiles);
    return { preview, reason: '', matched: found.matched, columnCount, textColumns };
  };
  try {
    return (await soon(find(), patienceOf(request.app))) ?? none;
  } catch (error) {
    if (isNotReady(error)) return none;
    if (error instanceof NotFoundError || error instanceof ValidationError) return { ...none, reason: error.message };
    throw error;
  }
}
