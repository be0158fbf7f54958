/** `catalogue publish`: a dataset and its version in one go. */
import { basename } from 'node:path';
import { Option } from 'commander';
import type { Catalogue, Input } from '../../catalogue/catalogue.ts';
import { labelFor } from '../../catalogue/columns.ts';
import { NotFoundError, NotPermittedError } from '../../catalogue/errors.ts';
import { type DatasetRef, formatRef, parseDatasetRef, parseSlug, type Ref, refOf } from '../../catalogue/ref.ts';
import { slugify } from '../../catalogue/slug.ts';
import type { Dataset } from '../../catalogue/types.ts';
import type { Call, Verb } from '../command.ts';
import { UsageError } from '../errors.ts';
import { fieldOptions, inputFrom } from '../fields.ts';
import { mustGiveSlug } from '../input.ts';
import { interruptible } from '../interruption.ts';
import { find } from '../naming.ts';
import { dryRun } from '../options.ts';
import { tell } from '../output/outcome.ts';
import { rehearsal, type Writes } from '../rehearsal.ts';
import { claim, refFrom } from '../taken.ts';
import { openSource, type TransferOptions, tellPublished, transferOptions, upload } from '../transfer/upload.ts';
import { rehearseUpload } from '../transfer/upload-rehearsal.ts';
import { versionTexts } from './version-add.ts';

interface PublishOptions extends TransferOptions {
  readonly to: string;
  readonly label?: string;
  readonly notes?: string;
  readonly metadata?: string;
  readonly dryRun?: boolean;
}

export const command: Verb<PublishOptions> = {
  usage: 'publish <file>',
  description: "Take a file in as the newest version of a dataset, made where it isn't there.",
  notes:
    'The file - is stdin. With the namespace alone, the dataset gets the name that its label makes; without a label, ' +
    "it gets one from the file's name. What is said of a dataset that is there changes it.",
  examples: [
    'catalogue publish trees.csv --to parks/trees',
    'catalogue publish trees.csv --to parks --label "Street trees" --licence CC0-1.0 --notes "First count"',
  ],
  options: () => [
    new Option('--to <dataset>', 'The dataset, or the namespace of a new one.').makeOptionMandatory(),
    ...fieldOptions('dataset', false),
    // The label is the dataset's.
    ...versionTexts().filter((option) => option.attributeName() !== 'label'),
    ...transferOptions(),
    dryRun(),
  ],
  async run(call, [file = ''], options) {
    const target = targetOf(file, options);
    const given = await inputFrom('dataset', { ...options }, call.context);
    const catalogue = await call.open();
    const { slug: namespace } = await find(catalogue, { kind: 'namespace', slug: target.namespace }, call.show);
    const existing = await existingDataset(call, catalogue, { kind: 'dataset', namespace, slug: target.slug });
    const trial = rehearsal(catalogue);
    // Nobody should wait for bytes to be taken in to hear that a field is wrong.
    const change = existing && Object.keys(given).length ? () => catalogue.edit<'dataset'>(existing, given) : null;
    if (change && existing) await trial.edit<'dataset'>(existing, given);
    const make = async (writes: Writes, said: Input) => {
      const input = { label: target.label, ...said, namespace, slug: target.slug };
      return claim(catalogue, refFrom('dataset', input), () => writes.create('dataset', input));
    };
    const source = await openSource(call.context, file, options.name);
    if (options.dryRun) {
      const said = { dryRun: true, done: existing ? (['Changed', 'change'] as const) : (['Added', 'add'] as const) };
      const dataset = existing ?? (await make(trial, given));
      if ((change || !existing) && !call.show.asJson) tell(call, { ...said, ref: dataset });
      await rehearseUpload(call, dataset, source, options);
      return 0;
    }
    const { notes, metadata, checksum, mediaType } = options;
    const fields = { notes, metadata, checksum, mediaType };
    const { dataset, published } = await interruptible(call.context, 'Nothing was kept.', async (signal) => {
      // Images stay where they are once they have come: they come last.
      const [images, others] = apart(given);
      if (!existing) await make(trial, given);
      const dataset = existing ?? (await make(catalogue, others));
      try {
        signal.throwIfAborted();
        const published = await upload(call, catalogue, dataset, source, fields);
        if (!existing && Object.keys(images).length) await catalogue.edit<'dataset'>(dataset, images);
        return { dataset, published };
      } catch (error) {
        // What was made for these bytes alone goes with them.
        if (!existing) await takeBack(catalogue, refOf(dataset));
        throw error;
      }
    });
    await change?.();
    if (change || !existing) call.show.message(`${existing ? 'Changed' : 'Added'} dataset ${formatRef(dataset)}.`);
    tellPublished(call, catalogue, published);
    return 0;
  },
};

interface Target {
  readonly namespace: string;
  readonly slug: string;
  /** What the dataset is called where it has to be made, and nothing else is said. */
  readonly label: string;
}

/** @throws UsageError where there is nothing to make a name of */
function targetOf(file: string, { to, label, name }: PublishOptions): Target {
  const fileName = name ?? (file === '-' ? '' : basename(file));
  const made = label ?? labelFor(fileName.replace(/(?<=.)(\.[A-Za-z0-9]{1,12}){1,2}$/, ''));
  if (to.includes('/')) {
    const { namespace, slug } = parseDatasetRef(to);
    return { namespace, slug, label: made || labelFor(slug) };
  }
  const { slug: namespace } = parseSlug('namespace', to);
  if (!made)
    throw new UsageError('There is nothing to make a name of. Give one: --label …, or --to <namespace>/<dataset>');
  mustGiveSlug(made, `catalogue publish ${file} --to ${namespace}/<dataset>`);
  return { namespace, slug: slugify(made), label: made };
}

/** The fields that are images, and those that aren't. */
function apart(fields: Input): readonly [images: Input, others: Input] {
  const part = (isImage: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value instanceof Uint8Array === isImage));
  return [part(true), part(false)];
}

/** Removes a dataset that is empty, and from the trash as well: there is nothing to put back. */
async function takeBack(catalogue: Catalogue, ref: Ref): Promise<void> {
  await catalogue.remove(ref);
  const name = formatRef(ref);
  try {
    const entry = (await catalogue.trash.list()).find(
      (one) => one.ref.kind === 'dataset' && formatRef(one.ref) === name,
    );
    if (entry) await catalogue.trash.remove(entry.id);
  } catch (error) {
    // The trash of another server is for its staff.
    if (!(error instanceof NotPermittedError)) throw error;
  }
}

/** The dataset, or null where it has to be made. */
async function existingDataset(call: Call, catalogue: Catalogue, ref: DatasetRef): Promise<Dataset | null> {
  const isMissing = await catalogue.get<'dataset'>(ref).then(
    () => false,
    (error) => error instanceof NotFoundError,
  );
  return isMissing ? null : find(catalogue, ref, call.show);
}
