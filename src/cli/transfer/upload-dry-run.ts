/** `--dry-run` of an upload: the bytes are read to their end, and nothing is kept. */
import { changesBetween } from '../../catalogue/columns.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { formatRef } from '../../catalogue/ref.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { Call } from '../command.ts';
import { columnChangeLines } from '../output/difference-lines.ts';
import { factsOf, type Source, type UploadOptions, withProgress } from './upload.ts';

/**
 * Shows what a source would be as the newest version of a dataset.
 * @throws ValidationError if it would be refused
 */
export async function dryRunUpload(
  call: Call,
  dataset: Pick<Dataset, 'kind' | 'namespace' | 'slug' | 'columns' | 'versions'>,
  source: Source,
  { checksum, mediaType }: UploadOptions,
): Promise<void> {
  const { show } = call;
  const [{ ingest }, { PayloadError }] = await Promise.all([
    import('../../data/ingest/ingest.ts'),
    import('../../data/errors.ts'),
  ]);
  const intake = await withProgress(call, source, 'Nothing was kept.', (options) =>
    ingest(source.bytes, { fileName: source.fileName, mediaType, ...options }),
  ).catch((error) => {
    throw error instanceof PayloadError ? new ValidationError({ file: [error.message] }) : error;
  });
  if (checksum !== undefined && checksum.toLowerCase() !== intake.checksum)
    throw new ValidationError({ checksum: [`The bytes have the checksum ${intake.checksum}, and not ${checksum}.`] });
  if (intake.isLfsPointer)
    throw new ValidationError({ file: ['It is a Git LFS pointer, and not the file itself. Run "git lfs pull".'] });

  const { format, mediaType: media_type, rows, bbox, size, columns } = intake;
  const [newest] = dataset.versions;
  const isNew = newest?.checksum !== intake.checksum;
  const changes = changesBetween(dataset.columns, columns.length && isNew ? columns : dataset.columns);
  if (show.asJson)
    show.json({ created: isNew, checksum: intake.checksum, format, media_type, size, rows, bbox, columns, changes });
  else if (!isNew) show.line(`Would add nothing: the newest version, ${formatRef(newest)}, has the same bytes`);
  else {
    show.line(`Would add a version to dataset ${formatRef(dataset)}: ${factsOf(intake)}`);
    for (const line of columnChangeLines(changes)) show.line(line);
  }
}
