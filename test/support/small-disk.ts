/** A file system that is small, and can be made read-only. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from './folder.ts';

/** A small file system of its own; null where mounting isn't permitted. */
export function smallDisk(t: TestContext): string | null {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', root]).status === 0;
  t.after(() => {
    if (mounted) spawnSync('umount', ['-l', root]);
    rmSync(root, { recursive: true, force: true });
  });
  if (!mounted) t.skip('mounting is not permitted here');
  return mounted ? root : null;
}

/** Makes a mounted file system read-only, or writable again. */
export async function remount(root: string, mode: 'ro' | 'rw'): Promise<void> {
  await until(() => spawnSync('mount', ['-o', `remount,${mode}`, root]).status === 0);
}
