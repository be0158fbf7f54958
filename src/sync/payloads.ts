/** Payloads of new versions: the record of a version is written only where its bytes are, or have been sent. */
import { NotFoundError } from '../catalogue/errors.ts';
import { enclosingContainerFolders, kindAndRefOfPath, payloadPath } from '../catalogue/layout.ts';
import { type Files, type Side, syncFileKind, type ThreeWay } from './files.ts';
import { type Move, pathBeforeMoves } from './moves.ts';
import type { SyncStep } from './plan.ts';
import { nullIfRefused } from './run.ts';
import { parseRecordFields, type TextReader } from './texts.ts';

/** A function that returns the error for a step whose version has no payload; null if nothing is missing. */
export type PayloadCheck = (step: SyncStep, text: string) => NotFoundError | null;

/**
 * A check of the records of new versions that one side gets.
 * @param from the side that they come from
 * @param files of the other side, by the paths after all moves
 */
export function makePayloadCheck(steps: readonly SyncStep[], files: Files, from: Side): PayloadCheck {
  const added = new Set(steps.flatMap((step) => (step.do === 'put' ? [step.path] : [])));
  const hasFile = (path: string) => files.has(path) || added.has(path);
  return (step, text) => {
    if (step.do !== 'write' || step.ifMatch !== null || syncFileKind(step.path) !== 'version') return null;
    const name = missingPayload(step.path, text, hasFile);
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
  const payload = payloadOfVersion(path, text);
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
 * @param path of the record, which has this text
 */
export function payloadOfVersion(path: string, text: string): VersionPayload | null {
  const { ref } = kindAndRefOfPath(path);
  if (ref?.kind !== 'version') return null;
  const { file, ready } = parseRecordFields(path, text) ?? {};
  const { name, url } = Object(file) as { readonly name?: unknown; readonly url?: unknown };
  if (typeof name !== 'string' || url) return null;
  return { name, path: payloadPath(ref.namespace, ref.dataset, name), isReady: ready !== false };
}

/**
 * Local payloads that the remote doesn't list because their versions aren't ready there: it shows those to owners only. They
 * aren't changed since the last common state.
 * @param texts of the remote
 */
export async function findHiddenPayloads(
  { base, ours, theirs, moves }: ThreeWay & { readonly moves: readonly Move[] },
  texts: TextReader,
): Promise<ReadonlySet<string>> {
  const folders = new Set<string>();
  for (const [path, { checksum }] of ours)
    if (!theirs.has(path) && base.get(path)?.checksum === checksum && syncFileKind(path) === 'payload')
      folders.add(enclosingContainerFolders(path)[0] ?? '');
  const hidden = new Set<string>();
  if (folders.size === 0) return hidden;
  const byOurs = moves.filter(({ by }) => by === 'ours');
  for (const [path, { checksum }] of theirs) {
    if (syncFileKind(path) !== 'version' || !folders.has(enclosingContainerFolders(path)[0] ?? '')) continue;
    const text = await texts.get(pathBeforeMoves(path, byOurs), checksum).catch(nullIfRefused);
    const payload = text === null ? null : payloadOfVersion(path, text);
    if (payload && !payload.isReady) hidden.add(payload.path);
  }
  return hidden;
}
