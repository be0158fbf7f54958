/** Uploads: the payload of a new version by multipart form or as raw bytes, streamed into place. */

import { PassThrough, Readable } from 'node:stream';
import type { Input, Published, Upload, UploadDetails } from '../catalogue/catalogue.ts';
import { areColumnsUnchanged } from '../catalogue/columns.ts';
import type { Rename } from '../catalogue/difference.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { parseBooleanInput, parseInput } from '../catalogue/input.ts';
import { caseWarning, columnsRenamedByCase, lostColumnWarnings } from '../catalogue/next-version.ts';
import { parseReadingOptions, readingNames } from '../catalogue/reading.ts';
import { refOf } from '../catalogue/ref.ts';
import { representVersion, resourceUrl, toJson } from '../catalogue/represent.ts';
import type { ReadingOptionChanges } from '../catalogue/types.ts';
import { assertInputWithoutDryRun, bodyType, whileConnected } from './body.ts';
import { entityBytes } from './entity-json.ts';
import { TooLargeError } from './errors.ts';
import { type FormEntries, fieldsFromEntries } from './forms.ts';
import { assertContentLength } from './limits.ts';
import { readMultipartForm } from './multipart.ts';
import { refuseMisspelledParameters } from './query-string.ts';
import { type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import {
  checksumInHeader,
  fileNameInHeader,
  payloadMediaType,
  readingInMediaType,
  unknownFormatWarnings,
} from './upload-headers.ts';

/** The largest payload, in bytes. */
export const largestUpload = 64 * 1024 ** 3;

/** Parameters of the query string of an upload. */
const uploadParameters = [
  ...['name', 'label', 'notes', 'metadata', 'ready', 'checksum', 'rename', 'force', 'replace', 'dry_run'],
  ...readingNames,
];

/** Publishes an upload as a new version of the dataset: 201, or 200 with the newest version if it has the same bytes. */
export async function uploadVersionHandler(request: RequestContext): Promise<Representation> {
  const { catalogue, ctx, params, query, links, dryRun } = request;
  const ref = refFromRouteParams('dataset', params);
  await catalogue.get<'dataset'>(ref);
  refuseMisspelledParameters(query, uploadParameters);
  assertContentLength(ctx.req, largestUpload);
  const { published, mediaType } = await whileConnected(ctx, async (signal) => {
    const isForm = bodyType(ctx) === 'multipart/form-data';
    const bytes = new PassThrough({ highWaterMark: 1024 * 1024 });
    try {
      const upload = isForm ? await formUpload(request, bytes) : rawUpload(request);
      const { mediaType } = upload;
      return { published: await catalogue.publish(ref, { ...upload, signal }, { dryRun }), mediaType };
    } finally {
      // The rest of a form is read and dropped, like that of any other body.
      bytes.resume();
    }
  });
  const { version, created } = published;
  const warnings = [...warningsOf(published), ...unknownFormatWarnings(version, mediaType)];
  return {
    title: version.label,
    dependsOn: [],
    json: () =>
      toJson({
        ...representVersion(version, links),
        ...(!areColumnsUnchanged(published.changes) && { changes: published.changes }),
        ...(warnings.length && { warnings }),
        ...remarksOf(published),
      }),
    // That of the version, for a write with If-Match (RFC 9110, section 15.3.2).
    taggedBytes: () => entityBytes(version, request),
    status: created ? 201 : 200,
    headers: created && !dryRun ? [['Location', resourceUrl(links, refOf(version))]] : [],
  };
}

/** The warnings about changes of columns. */
const warningsOf = ({ changes, version }: Published): readonly string[] => [
  ...lostColumnWarnings(changes, version.draft),
  ...columnsRenamedByCase(changes).map(caseWarning),
];

/** The body is the payload; its details are in the query string. */
function rawUpload({ ctx, query }: RequestContext): Upload {
  if (bodyType(ctx) === null) throw noFile();
  const fileName = fileNameInHeader(ctx) ?? query.get('name') ?? undefined;
  const mediaType = payloadMediaType(ctx, fileName);
  const { checksum = checksumInHeader(ctx), ...details } = detailsOf([...query]);
  return {
    source: Readable.from(limited(ctx.req.iterator({ destroyOnReturn: false }))),
    ...{ mediaType, fileName, checksum },
    reading: readingOptions(mediaType, [...query]),
    ...details,
  };
}

/** The options for reading: those that are given, and those of the media type that they lack. @throws ValidationError */
function readingOptions(mediaType: string | undefined, given: FormEntries): ReadingOptionChanges {
  const implied = readingInMediaType(mediaType).filter(([name]) => !given.some(([other]) => other === name));
  return parseReadingOptions([...implied, ...given]);
}

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largestUpload) throw new TooLargeError(largestUpload);
    yield chunk;
  }
}

/** The part named `file` is the payload, and is passed on as it arrives; fields may stand before or behind it. */
async function formUpload({ ctx, query }: Pick<RequestContext, 'ctx' | 'query'>, bytes: PassThrough): Promise<Upload> {
  // The form reports its errors itself. If nobody reads the file (yet), they must not end the process.
  bytes.on('error', () => {});
  let files = 0;
  const fields: [name: string, chunks: Buffer[]][] = [];
  let form: Promise<FormEntries> | undefined;
  const file = new Promise<Pick<Upload, 'fileName' | 'mediaType'>>((begin) => {
    form = readMultipartForm(ctx, {
      largest: largestUpload,
      onField: (part) => {
        if (part.name === null || !readingNames.includes(part.name)) return;
        const chunks: Buffer[] = [];
        fields.push([part.name, chunks]);
        // The parser reuses its buffers.
        part.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
      },
      onFile: ({ name }, take) => {
        if (name === 'file' && ++files === 1) take();
      },
      formidable: {
        maxFileSize: largestUpload,
        fileWriteStreamHandler: (part: { originalFilename?: string; mimetype?: string } | undefined) => {
          begin({ fileName: part?.originalFilename, mediaType: part?.mimetype });
          return bytes;
        },
      },
    });
  });
  form?.catch((error) => bytes.destroy(error));
  const begun = await Promise.race([file, form?.then(() => null)]);
  if (!begun) throw noFile();
  const before = fields.map(([name, chunks]) => [name, Buffer.concat(chunks).toString()] as const);
  const details = async () => {
    const entries = (await form) ?? [];
    assertBefore(entries, before);
    return formDetails(entries, files, [...query]);
  };
  const source = Readable.from(chunksOf(bytes, form as Promise<FormEntries>));
  return { source, ...begun, reading: readingOptions(begun.mediaType, [...query, ...before]), details };
}

/** The chunks of a file in a form. A form that is broken off closes the file without an error: that of the form is the reason. What is not read is dropped. */
async function* chunksOf(file: PassThrough, form: Promise<FormEntries>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    await form;
    throw error;
  } finally {
    file.resume();
  }
}

const remarksOf = ({ remarks }: Published) => (remarks.length ? { remarks } : {});

/** Options for reading are needed before the bytes. @throws ValidationError if a form has one behind its file */
function assertBefore(entries: FormEntries, before: FormEntries): void {
  const late = entries.filter(([name]) => readingNames.includes(name))[before.length];
  if (late) throw new ValidationError({ [late[0]]: ['Send it before the file, or as a query parameter.'] });
}

/**
 * The details of an upload in a form, and those in the query string that the form lacks.
 * @throws ValidationError, before anything of the upload is kept
 */
function formDetails(entries: FormEntries, files: number, query: FormEntries): UploadDetails {
  if (files > 1) throw new ValidationError({ file: ['More than one file was submitted.'] });
  assertInputWithoutDryRun(fieldsFromEntries(entries));
  return detailsOf([...query, ...entries]);
}

/** The details of an upload in a query string or a form; a rename is `rename=<from>=<to>`. @throws ValidationError */
function detailsOf(entries: FormEntries): UploadDetails {
  const fields = fieldsFromEntries(entries);
  const { label, notes, metadata, ready } = parseInput('version', fields, { partial: true }) as UploadDetails;
  const renames = entries.filter(([name]) => name === 'rename').map(([, value]) => parseRename(String(value)));
  const accepted = { force: flag(fields, 'force'), replace: flag(fields, 'replace') };
  return { label, notes, metadata, ready, checksum: fields.checksum as string | undefined, ...accepted, renames };
}

/** A parameter that is true or false; undefined if it isn't given. @throws ValidationError */
function flag(fields: Input, name: string): boolean | undefined {
  if (fields[name] === undefined) return undefined;
  const parsed = parseBooleanInput(fields[name]);
  if ('errors' in parsed) throw new ValidationError({ [name]: parsed.errors });
  return parsed.value as boolean;
}

function parseRename(text: string): Rename {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 1 || !to) throw new ValidationError({ rename: ['Write it as <old name>=<new name>.'] });
  return { from, to };
}

const noFile = () => new ValidationError({ file: ['No file was submitted.'] });
