/** After a write: the snapshot says what the files say, and servers that only poll are told where to look. */
import type { FileCatalogue } from '../file-catalogue.ts';
import { leaveNote } from '../following/touched.ts';
import type { Scope } from '../reading/unit-store.ts';

/** Looks at what was just written; resolves when every reader here sees it. */
export async function show(files: FileCatalogue, scopes: readonly Scope[]): Promise<void> {
  await files.refresh(scopes);
  await leaveNote(files.root, scopes);
}
