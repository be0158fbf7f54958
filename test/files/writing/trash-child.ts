/** Prints how many entries the trash of a folder has: a process of its own, in which few files may be open. */
import { listTrash } from '../../../src/files/writing/trash.ts';

const entries = await listTrash(process.argv[2] ?? '');
process.stdout.write(String(entries.length));
