/** The newest commits of many files, from one walk, are those that git names for each: in random histories with merges. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runGit } from '../../../src/files/git/git.ts';
import { NewestCommits, newestCommitsArguments } from '../../../src/files/git/newest-commits.ts';
import { randomIntegers } from '../../support/random.ts';
import { makeRepository } from '../../support/repository.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const files = ['a', 'b', 'c', 'd/e', 'd/f', 'ä ö', 'g', 'h'];

for (const round of [1, 2, 3])
  it(`newest commits are those of git log -1 (SEED=${seed}, history ${round})`, async (t) => {
    const { root, git } = await makeRepository({ files: { a: '0\n' } }, t);
    const next = randomIntegers(seed + round);
    // By git fast-import: merges may have any contents, such as those of the first or second parent, old or new ones.
    const commands: string[] = [];
    const states: Map<string, number>[] = [];
    for (let i = 0; i < 150; i++) {
      const back = () => Math.max(0, i - 1 - next(6));
      const parents = i === 0 ? [] : [...new Set(next(3) ? [back()] : [back(), back(), back()])];
      const state = new Map(states[parents[next(Math.max(1, parents.length))] ?? -1]);
      for (let n = next(3); n > 0; n--) {
        const file = files[next(files.length)] as string;
        if (next(5)) state.set(file, next(3));
        else state.delete(file);
      }
      states.push(state);
      const message = `Commit ${i}`;
      commands.push(
        `commit refs/heads/made\nmark :${i + 1}\ncommitter T <t@example.org> ${1_600_000_000 + next(1000)} +0000`,
        `data ${message.length}\n${message}`,
        ...parents.map((parent, n) => `${n ? 'merge' : 'from'} :${parent + 1}`),
        'deleteall',
        ...[...state].map(([file, text]) => `M 100644 inline data/${file}\ndata 1\n${text}`),
      );
      commands.push('');
    }
    await runGit(root, ['fast-import', '--quiet', '--force'], { input: commands.join('\n') });
    const heads = git('rev-list', 'made').trim().split('\n');
    for (const head of [heads[0], heads[7], heads[20]] as string[]) {
      const expected = new Map<string, string>();
      for (const file of files) {
        const id = (await runGit(root, ['--literal-pathspecs', 'log', '-1', '--format=%H', head, '--', file])).trim();
        if (id) expected.set(file, id);
      }
      const request = { head, paths: [...files, 'none'] };
      const output = await runGit(root, newestCommitsArguments(head), { newestCommits: request });
      const sorted = (found: Iterable<readonly [string, string]>) => Object.fromEntries([...found].sort());
      assert.deepEqual(sorted(JSON.parse(output)), sorted(expected), head);
      // Pieces of any size.
      const whole = Buffer.from(await runGit(root, newestCommitsArguments(head)));
      const reader = new NewestCommits(request);
      for (let at = 0; at < whole.length; at += 7) if (reader.push(whole.subarray(at, at + 7))) break;
      assert.deepEqual(sorted(reader.end()), sorted(expected));
    }
  });
