/** Checks the accounts: the one private file that can't be made again. */

import { UnusableCatalogueError } from '../../catalogue/errors.ts';
import { makeDiagnostic, type RecordDiagnostic } from '../../catalogue/record-set.ts';
import type { Diagnostic } from '../../catalogue/types.ts';
import { AccountsAdapter, accountsPath } from '../accounts/accounts-file.ts';

/**
 * Problems of the accounts of a catalogue folder. Their contents are never quoted.
 * @param root the catalogue folder
 */
export async function checkAccounts(
  root: string,
): Promise<readonly (RecordDiagnostic & Pick<Diagnostic, 'line' | 'column'>)[]> {
  try {
    await new AccountsAdapter(root).read();
    return [];
  } catch (error) {
    if (!(error instanceof UnusableCatalogueError)) throw error;
    const [, line = '1', column = '1'] = /at line (\d+), column (\d+)/.exec(error.message) ?? [];
    const found = makeDiagnostic(accountsPath, { code: 'accounts', message: error.message });
    return [{ ...found, line: Number(line), column: Number(column) }];
  }
}
