/** Breadcrumbs of the pages of a dataset. */
import { refOf } from '../catalogue/ref.ts';
import type { Dataset } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections } from '../catalogue/urls.ts';
import type { Crumb } from './layout.tsx';
import { hrefOf, hrefOfRef, type PageContext } from './page-context.ts';

/** Breadcrumbs of a dataset and of what is below it. */
export function datasetCrumbs(
  context: PageContext,
  dataset: Dataset,
  namespace: string,
  below: readonly Crumb[] = [],
): readonly Crumb[] {
  const { locale } = context;
  const own = { text: dataset.slug, href: hrefOfRef(context, refOf(dataset)) };
  return [
    { text: locale.text('datasets'), href: hrefOf(context, `${apiRoot}${collections.dataset}/`) },
    { text: namespace, href: hrefOf(context, apiPath({ kind: 'namespace', slug: dataset.namespace })) },
    ...(below.length ? [own, ...below] : [{ text: dataset.slug }]),
  ];
}
