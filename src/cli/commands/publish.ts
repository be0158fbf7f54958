/** `catalogue publish`: a new version, with its dataset if that is new. */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Option } from 'commander';
import type { Catalogue, Input, Published, Upload } from '../../catalogue/catalogue.ts';
import { ConflictError, NotFoundError, NotPermittedError } from '../../catalogue/errors.ts';
import { labelFromName } from '../../catalogue/field.ts';
import { parseDatasetRef, refFromSlug } from '../../catalogue/parse-ref.ts';
import { type DatasetRef, datasetRefOf, formatRef, refOf } from '../../catalogue/ref.ts';
import { slugify } from '../../catalogue/slug.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { fieldOptions, inputFromOptions } from '../fields.ts';
import { runInterruptible } from '../interruption.ts';
import { findEntityOrRenamed } from '../lookup.ts';
import { dryRunOption } from '../options.ts';
import { showOutcome } from '../output/outcome.ts';
import {
  dryRunFirstVersion,
  openUploadSource,
  reportColumnChanges,
  type Source,
  showPublishedVersion,
  showUploadDryRun,
  uploadVersion,
} from '../transfer/upload.ts';
import {
  readableFormats,
  readingOptions,
  readingOptionsFrom,
  type UploadOptions,
  uploadDetails,
  uploadOptions,
  versionFieldOptions,
} from '../transfer/upload-options.ts';
import {
  assertLabelMakesSlug,
  createEntity,
  editAndCompare,
  editEntityFields,
  warnOfDoubtfulValues,
} from '../writes.ts';

interface PublishOptions extends UploadOptions {
  readonly to: string;
  readonly label?: string;
  readonly notes?: string;
  readonly metadata?: string;
  readonly dryRun?: boolean;
}

export const command: Verb<PublishOptions> = {
  usage: 'publish <file>',
  description: 'Add a file as the newest version of a dataset, and the dataset if it is new.',
  notes:
    'The file - is stdin. If only the namespace is given, the name of the dataset is made from its label, and the label ' +
    'from the name of the file. If the dataset is named, too, and no label is given, the label is made from that name. ' +
    `Fields that are given for an existing dataset change it. ${readableFormats}`,
  examples: [
    'catalogue publish trees.csv --to parks/trees',
    'catalogue publish trees.csv --to parks --label "Street trees" --licence CC0-1.0 --notes "First count"',
  ],
  options: () => [
    new Option('--to <dataset>', 'The dataset, or the namespace of a new one.').makeOptionMandatory(),
    ...fieldOptions('dataset', false),
    // The label is the dataset's.
    ...versionFieldOptions().filter((option) => option.attributeName() !== 'label'),
    ...uploadOptions(),
    ...readingOptions(),
    dryRunOption(),
  ],
  async run(call, [file = ''], options) {
    const named = await newNameOf(file, options);
    const reading = readingOptionsFrom(options);
    const given = await inputFromOptions('dataset', { ...options }, call.context);
    const catalogue = await call.open();
    const { slug: namespace } = await findEntityOrRenamed(call, catalogue, {
      kind: 'namespace',
      slug: named.namespace,
    });
    // A dataset may be older than the language in the settings.
    const made = [slugify(named.label, await catalogue.language()), slugify(named.label)];
    const slugs = named.slug === undefined ? made : [named.slug];
    // The file's name may say more than the name that it makes (Bäume, baeume); else it is another one (export_2024-05-01).
    const isMade = slugs.some((slug) => made.includes(slug));
    const label = isMade || options.label !== undefined ? named.label : labelFromName(String(named.slug));
    let existing: Dataset | null = null;
    for (const slug of new Set(slugs))
      existing ??= await existingDataset(call, catalogue, { kind: 'dataset', namespace, slug });
    if (existing && !options.to.includes('/') && !options.replace) await assertSameFormat(existing, file, options.name);
    const input = existing ? given : { label, ...given, namespace, slug: slugs[0] };
    // Before the bytes are read, so that an invalid field is reported at once.
    const checked = await checkedDataset(call, catalogue, existing, input);
    await warnOfDoubtfulValues(call.show, 'dataset', input);
    const source = await openUploadSource(call.context, file, options.name);
    const { notes, metadata } = options;
    const fields = { notes, metadata, reading, ...uploadDetails(options) };
    if (options.dryRun) {
      const published = existing
        ? await uploadVersion(call, catalogue, existing, source, fields, { dryRun: true })
        : await dryRunFirstVersion(call, source, options);
      const done = existing ? (['Changed', 'change'] as const) : (['Added', 'add'] as const);
      if (!isDeepStrictEqual(checked, existing) && !call.show.asJson)
        showOutcome(call, { done, ref: checked, dryRun: true });
      showUploadDryRun(call, checked, published);
      return 0;
    }
    const published = existing
      ? await publishNext(call, catalogue, existing, input, source, fields)
      : await publishNew(call, catalogue, input, source, fields);
    if (!existing) call.show.message(`Added dataset ${formatRef(datasetRefOf(published.version))}.`);
    showPublishedVersion(call, catalogue, published);
    if (existing) await reportColumnChanges(call, catalogue, published);
    return 0;
  },
};

/** The dataset as it would be with these fields. @throws ValidationError, ConflictError, NotPermittedError */
async function checkedDataset(
  call: Call,
  catalogue: Catalogue,
  existing: Dataset | null,
  input: Input,
): Promise<Dataset> {
  if (!existing) return createEntity(call, catalogue, 'dataset', input, { dryRun: true });
  if (Object.keys(input).length === 0) return existing;
  return editEntityFields<'dataset'>(call, catalogue, existing, input, { dryRun: true });
}

/**
 * Adds a version to a dataset and changes the fields that are given: before the upload if they may restrict who sees the
 * dataset, so that nobody else sees the new version, not even for a moment; else once the version is in.
 */
async function publishNext(
  call: Call,
  catalogue: Catalogue,
  dataset: Dataset,
  input: Input,
  source: Source,
  fields: Omit<Upload, 'source'>,
): Promise<Published> {
  const editFields = async () => {
    const { isUnchanged } = await editAndCompare<'dataset'>(call, catalogue, dataset, input);
    if (!isUnchanged) call.show.message(`Changed dataset ${formatRef(dataset)}.`);
  };
  const isEdited = Object.keys(input).length > 0;
  const isRestricted = input.visibility === 'private' || 'readers' in input;
  if (isRestricted) await editFields();
  const published = await uploadVersion(call, catalogue, dataset, source, fields);
  if (isEdited && !isRestricted) await editFields();
  return published;
}

/** Creates a dataset with its first version, or neither of them. */
async function publishNew(
  call: Call,
  catalogue: Catalogue,
  input: Input,
  source: Source,
  fields: Omit<Upload, 'source'>,
): Promise<Published> {
  let remains = 'Nothing was kept.';
  const work = async (signal: AbortSignal) => {
    // Images come last: once they are there, they stay.
    const [images, others] = splitImages(input);
    const dataset = await createEntity(call, catalogue, 'dataset', others);
    let published: Published | undefined;
    try {
      signal.throwIfAborted();
      published = await uploadVersion(call, catalogue, dataset, source, fields);
      if (Object.keys(images).length) await editEntityFields(call, catalogue, dataset, images);
      return published;
    } catch (error) {
      const ref = refOf(dataset) as DatasetRef;
      if (!(await removeAgain(catalogue, ref, published?.version.slug))) {
        remains = `The dataset ${formatRef(ref)} was added, and could not be removed again.`;
        if (!signal.aborted) call.show.failure(remains);
      }
      throw error;
    }
  };
  return runInterruptible(call.context, () => remains, work);
}

interface NewName {
  readonly namespace: string;
  /** Undefined if it is derived from the label. */
  readonly slug?: string;
  /** The label that a new dataset gets where no other is given. */
  readonly label: string;
}

/**
 * The name that --to gives, with the label that is given, or made of the file's name.
 * @throws UsageError if neither gives a name
 */
async function newNameOf(file: string, { to, label, name }: PublishOptions): Promise<NewName> {
  const fileName = name ?? (file === '-' ? '' : basename(file));
  const made = label ?? labelFromName(fileName.replace(/(?<=.)(\.[A-Za-z0-9]{1,12}){1,2}$/, ''));
  if (to.includes('/')) {
    const { namespace, slug } = parseDatasetRef(to);
    return { namespace, slug, label: made || labelFromName(slug) };
  }
  const { slug: namespace } = refFromSlug('namespace', to);
  if (!made) throw new UsageError('The dataset needs a name: give --label …, or --to <namespace>/<dataset>');
  await assertLabelMakesSlug(made, `catalogue publish ${file} --to ${namespace}/<dataset>`);
  return { namespace, label: made };
}

/**
 * Checks that a file which gets its dataset's name by its own isn't another dataset in another format: places.csv and
 * places.geojson.
 * @throws ConflictError
 */
async function assertSameFormat(dataset: Dataset, file: string, name = basename(file)): Promise<void> {
  const newest = dataset.versions.find(({ ready }) => ready);
  if (!newest?.rows || !newest.format) return;
  const { payloadFormats } = await import('../../data/formats/detect-format.ts');
  const extension = /\.([A-Za-z0-9-]+)(?:\.gz)?$/.exec(name)?.[1]?.toLowerCase() ?? newest.format;
  const [format = extension] =
    Object.entries(payloadFormats).find(([, { extensions }]) => extensions.includes(extension)) ?? [];
  if (format === newest.format || (format === 'json' && newest.format === 'geojson')) return;
  const known = formatRef(dataset);
  throw new ConflictError(
    `There is a dataset ${known} already, and its newest version is ${newest.format}, not ${format}. To add ${name} to it, ` +
      `type: --to ${known}. For another dataset, name it: --to ${dataset.namespace}/<name>`,
  );
}

/** The fields that are images, and the others. */
function splitImages(fields: Input): readonly [images: Input, others: Input] {
  const part = (isImage: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value instanceof Uint8Array === isImage));
  return [part(true), part(false)];
}

/**
 * Removes a new dataset again, and keeps nothing of it in the trash where that is permitted. If others have changed it
 * meanwhile, or added a version, it stays.
 * @param own slug of the version that was added with it, if any
 * @returns false if it stays, or may do so: the remote can't be reached
 */
async function removeAgain(catalogue: Catalogue, ref: DatasetRef, own: string | undefined): Promise<boolean> {
  try {
    const ifMatch = await catalogue.get<'dataset'>(ref);
    if (ifMatch.versions.some(({ slug }) => slug !== own)) return false;
    await catalogue.remove(ref, { ifMatch, permanently: true }).catch((error) => {
      if (!(error instanceof NotPermittedError)) throw error;
      return catalogue.remove(ref, { ifMatch });
    });
    return true;
  } catch (error) {
    // The error that made it necessary says more than any other.
    return error instanceof NotFoundError;
  }
}

/** The dataset; null where it doesn't exist yet. */
async function existingDataset(call: Call, catalogue: Catalogue, ref: DatasetRef): Promise<Dataset | null> {
  const isMissing = await catalogue.get<'dataset'>(ref).then(
    () => false,
    (error) => error instanceof NotFoundError,
  );
  return isMissing ? null : findEntityOrRenamed(call, catalogue, ref);
}
