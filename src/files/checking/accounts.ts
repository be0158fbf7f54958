/** Whether those who may sign in can: the one private file that can't be made again. */
import { UnusableCatalogueError } from '../../catalogue/errors.ts';
import { AccountsAdapter, accountsPath } from '../accounts/accounts-file.ts';
import type { Doubt } from './rules.ts';

/**
 * What is wrong with the accounts of a catalogue folder. Of what stands in them, nothing is said.
 * @param root the catalogue folder
 */
export async function checkAccounts(root: string): Promise<readonly Doubt[]> {
  try {
    await new AccountsAdapter(root).read();
    return [];
  } catch (error) {
    if (!(error instanceof UnusableCatalogueError)) throw error;
    const [, line = '1', column = '1'] = /at line (\d+), column (\d+)/.exec(error.message) ?? [];
    return [{ path: accountsPath, line: Number(line), column: Number(column), message: error.message }];
  }
}
