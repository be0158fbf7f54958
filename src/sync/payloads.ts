/** Payloads of new versions: the record of a version is written only where its bytes are, or have been sent. */
import { NotFoundError } from '../catalogue/errors.ts';
import { enclosingContainerFolders, kindAndRefOfPath, payloadPath } from '../catalogue/layout.ts';
import { type ComparedTexts, readSideFields } from './compared-texts.ts';
import type { RecordFields } from './field-conflicts.ts';
import { type Files, type Side, syncFileKind, type ThreeWay } from './files.ts';
import { finalPath, type SyncStep } from './steps.ts';
import { parseRecordFields } from './texts.ts';

/** A function that returns the error for a step whose version has no payload; null if nothing is missing. */
export type PayloadCheck = (step: SyncStep, text: string) => NotFoundError | null;

/**
 * A check of the records of new versions that one side gets.
 * @param files of the other side, by their paths after the moves
 * @param from the side that they come from
 */
export function makePayloadCheck(steps: readonly SyncStep[], files: Files, from: Side): PayloadCheck {
  const added = new Set(steps.flatMap((step) => (step.do === 'put' ? [finalPath(step)] : [])));
  const hasFile = (path: string) => files.has(path) || added.has(path);
  return (step, text) => {
    if (step.do !== 'write' || step.ifMatch !== null || syncFileKind(step.path) !== 'version') return null;
    const name = missingPayload(finalPath(step), text, hasFile);
    return name === null ? null : new NotFoundError(reasons[from](name));
  };
}

/** Reasons by the side that lacks the bytes. */
const reasons: Readonly<Record<Side, (name: string) => string>> = {
  ours: (name) =>
    `Its payload data/${name} is missing, or isn't complete. If it is a Git LFS pointer: git lfs pull. ` +
    'See also: catalogue check',
  theirs: (name) => `Its payload data/${name} is missing on the remote, or isn't complete there.`,
};

/**
 * Name of the payload that a version lacks; null if it lacks none, or isn't ready: the payload of such a version is hidden
 * from most.
 */
function missingPayload(path: string, text: string, hasFile: (path: string) => boolean): string | null {
  const { ref } = kindAndRefOfPath(path);
  if (ref?.kind !== 'version') return null;
  const hasPayload = (name: string) => hasFile(payloadPath(ref.namespace, ref.dataset, name));
  // To parse the records of a first push would take longer than to send them.
  for (const [, name = ''] of text.matchAll(/\bname"?:\s*["']?([^\s"',}]+)/g)) if (hasPayload(name)) return null;
  const payload = payloadOfVersion(path, parseRecordFields(path, text));
  return payload?.isReady && !hasFile(payload.path) ? payload.name : null;
}

interface VersionPayload {
  readonly name: string;
  /** In the same dataset. */
  readonly path: string;
  /** True if the version is ready. */
  readonly isReady: boolean;
}

/**
 * The payload that the record of a version names; null if it names no file of the catalogue.
 * @param path of the record, which has these fields; null if they can't be read
 */
function payloadOfVersion(path: string, fields: RecordFields | null): VersionPayload | null {
  const { ref } = kindAndRefOfPath(path);
  if (ref?.kind !== 'version') return null;
  const { file, ready } = fields ?? {};
  const { name, url } = Object(file) as { readonly name?: unknown; readonly url?: unknown };
  if (typeof name !== 'string' || url) return null;
  return { name, path: payloadPath(ref.namespace, ref.dataset, name), isReady: ready !== false };
}

/**
 * Local payloads that the remote doesn't list because their versions aren't ready there: it shows those to owners only. They
 * aren't changed since the last common state.
 */
export async function findHiddenPayloads(compared: ComparedTexts & ThreeWay): Promise<ReadonlySet<string>> {
  const { base, ours, theirs } = compared;
  const folders = foldersOfPayloads(
    ours,
    (path, { checksum }) => !theirs.has(path) && base.get(path)?.checksum === checksum,
  );
  const hidden = new Set<string>();
  for await (const payload of readPayloadsOfVersions(compared, 'theirs', folders, () => true))
    if (!payload.isReady && !theirs.has(payload.path)) hidden.add(payload.path);
  return hidden;
}

/**
 * Payloads of the last common state whose versions aren't in it: an interrupted run had transferred the bytes only, or a
 * conflict was resolved by the side that still has the version. They don't count as removed by a side that lacks both.
 */
export async function findPayloadsBeforeVersions(compared: ComparedTexts & ThreeWay): Promise<ReadonlySet<string>> {
  const { base } = compared;
  const found = new Set<string>();
  for (const side of ['ours', 'theirs'] as const) {
    const lacking = compared[side === 'ours' ? 'theirs' : 'ours'];
    const isLacking = (path: string) => !lacking.has(path);
    const folders = foldersOfPayloads(compared[side], (path) => base.has(path) && isLacking(path));
    const isNew = (path: string) => !base.has(path) && isLacking(path);
    for await (const { path } of readPayloadsOfVersions(compared, side, folders, isNew)) found.add(path);
  }
  return found;
}

/** Folders of the datasets whose payloads are chosen. */
function foldersOfPayloads(
  files: Files,
  isChosen: (path: string, file: { readonly checksum: string }) => boolean,
): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const [path, file] of files)
    if (isChosen(path, file) && syncFileKind(path) === 'payload') folders.add(enclosingContainerFolders(path)[0] ?? '');
  return folders;
}

/** The payloads that the records of chosen versions name, in some datasets of a side. */
async function* readPayloadsOfVersions(
  compared: ComparedTexts,
  side: Side,
  folders: ReadonlySet<string>,
  isChosen: (path: string) => boolean,
): AsyncIterable<VersionPayload> {
  if (folders.size === 0) return;
  for (const path of compared[side].keys()) {
    if (syncFileKind(path) !== 'version' || !folders.has(enclosingContainerFolders(path)[0] ?? '')) continue;
    if (!isChosen(path)) continue;
    const payload = payloadOfVersion(path, await readSideFields(compared, side, path));
    if (payload) yield payload;
  }
}
