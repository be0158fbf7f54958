/** `catalogue version add`: data taken in. */
import { parseDatasetRef } from '../../catalogue/ref.ts';
import type { Verb } from '../command.ts';
import { fieldOptions } from '../fields.ts';
import { find } from '../naming.ts';
import { dryRun } from '../options.ts';
import { openSource, type TransferOptions, tellPublished, transferOptions, upload } from '../transfer/upload.ts';
import { rehearseUpload } from '../transfer/upload-rehearsal.ts';

interface AddOptions extends TransferOptions {
  readonly label?: string;
  readonly notes?: string;
  readonly metadata?: string;
  readonly dryRun?: boolean;
}

/** The fields of a version that can be given along with its data: it is ready when it is there. */
export const versionTexts = () => fieldOptions('version', true).filter((option) => option.attributeName() !== 'ready');

export const add: Verb<AddOptions> = {
  usage: 'add <dataset> <file>',
  description: 'Add a version: take a file in as the newest data of a dataset.',
  notes:
    'The file - is stdin. GeoJSON, JSON lines, JSON, CSV, TSV and Parquet are read, gzipped ones too; any other file is ' +
    'kept as it is. Columns that were described keep their words. The same bytes as the newest version make no other ' +
    'one. Ctrl-C stops it, and nothing remains.',
  examples: [
    'catalogue version add parks/trees trees.csv',
    'catalogue version add parks/trees trees.csv --notes "Counted again" --dry-run',
    'catalogue version add parks/trees - --name trees.geojson',
  ],
  options: () => [...versionTexts(), ...transferOptions(), dryRun()],
  async run(call, [name = '', file = ''], options) {
    const ref = parseDatasetRef(name);
    const catalogue = await call.open();
    const dataset = await find(catalogue, ref, call.show);
    const source = await openSource(call.context, file, options.name);
    if (options.dryRun) await rehearseUpload(call, dataset, source, options);
    else tellPublished(call, catalogue, await upload(call, catalogue, dataset, source, options));
    return 0;
  },
};
