/** Notes about the page of a dataset as a whole: private, an older version, no data. */
import type { VNode } from 'preact';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import { CodeBlock } from './code-block.tsx';
import type { LeadProps } from './dataset-lead.tsx';
import { hrefOfRef } from './page-context.ts';

export function DatasetNotes({ context, dataset, version, isVersionPage }: LeadProps): VNode {
  const { locale } = context;
  const newest = dataset.versions[0];
  const ready = latestReadyVersion(dataset);
  const link = (to: Version) => (
    <a href={to === ready ? hrefOfRef(context, refOf(dataset)) : hrefOfRef(context, refOf(to))}>
      {locale.date(to.datetime, 'long')}
    </a>
  );
  return (
    <>
      {dataset.visibility === 'private' && (
        <div class="note warn">
          <h2>{locale.text('onlySeenBy')}</h2>
          <p>{locale.text('onlySeenByWhy')}</p>
        </div>
      )}
      {isVersionPage && version && ready && version !== ready && (
        <div class="note">
          <h2>{locale.text('notTheNewest')}</h2>
          <p>{locale.fill('newestIs', { date: link(ready) })}</p>
        </div>
      )}
      {!isVersionPage && newest && ready && newest !== ready && (
        <div class="note warn">
          <h2>{locale.text('newestNotReady')}</h2>
          <p>{locale.fill('newestNotReadyShown', { newest: link(newest), shown: link(ready) })}</p>
        </div>
      )}
      {!newest && (
        <div class="note">
          <h2>{locale.text('noVersionsYet')}</h2>
          <p>{locale.text('publishWith')}</p>
          <CodeBlock
            context={context}
            label="Shell"
            code={`catalogue publish data.csv --to ${formatRef(refOf(dataset))}`}
          />
        </div>
      )}
      {newest && !ready && (
        <div class="note warn">
          <h2>{locale.text('noVersionReady')}</h2>
        </div>
      )}
    </>
  );
}
