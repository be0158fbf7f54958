/** Who may write everything in a catalogue that is measured. */
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';

/** Makes a user of the staff in the folder. @returns a token of theirs */
export async function staffToken(root: string): Promise<string> {
  const files = await openFileCatalogue(root);
  await files.for().create('user', { username: 'bench', staff: true });
  const { token } = await files.accounts.addToken('bench');
  await files.close();
  return token;
}
