/** References to records that are missing: a copy of a remote lacks the users whom the remote doesn't show. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { originPath } from '../catalogue/layout.ts';
import { localAdmin } from '../catalogue/permissions.ts';
import type { RecordDiagnostic } from '../catalogue/record-set.ts';
import type { Access } from './catalogue-files.ts';

/** True if a folder was cloned, or has been pushed. */
export const hasOrigin = (root: string): boolean => existsSync(join(root, originPath));

/**
 * True for an error that refuses a write.
 * @param allowMissing true if the write may name records that don't exist
 */
export function isRefusal({ files, viewer }: Access, found: RecordDiagnostic, allowMissing = false): boolean {
  if (found.severity !== 'error' || (found.code === 'reference' && allowMissing)) return false;
  return !(found.messageInCopy !== undefined && viewer === localAdmin && hasOrigin(files.root));
}

/** The diagnostic as it is in a copy: a warning, if what is missing may be on the remote. */
export function diagnosticInCopy<T extends RecordDiagnostic>(found: T): T {
  const { messageInCopy } = found;
  return messageInCopy === undefined ? found : { ...found, severity: 'warning', message: messageInCopy };
}
