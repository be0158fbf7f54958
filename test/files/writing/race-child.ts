/**
 * One of many who count and append in the same record, and publish in the same dataset, for race.test.ts:
 * `http <url of the dataset> <token> <name> <times>` or `file <root> <path of the record> <name> <times>`.
 */
import { editFile } from '../../support/edit.ts';

const [what, where = '', which = '', name = '', times = '0'] = process.argv.slice(2);

interface Counted {
  readonly contact?: unknown;
  readonly keywords?: unknown;
}
const counted = ({ contact, keywords }: Counted, word: string) => ({
  contact: String(Number(contact ?? 0) + 1),
  keywords: [...((keywords as string[] | undefined) ?? []), word],
});

/** Reads, and writes if nobody else has meanwhile. */
async function overHttp(word: string): Promise<void> {
  for (;;) {
    const read = await fetch(where, { headers: { 'Accept-Encoding': 'identity' } });
    const headers = {
      Authorization: `Token ${which}`,
      'Content-Type': 'application/json',
      'If-Match': read.headers.get('etag') ?? '',
    };
    const body = JSON.stringify(counted((await read.json()) as Counted, word));
    const written = await fetch(where, { method: 'PATCH', headers, body });
    if (written.status === 200) return;
    const answer = await written.text();
    if (written.status !== 412 && written.status !== 503) throw new Error(`${written.status}: ${answer}`);
  }
}

/** Other bytes each time, so that each is a version. */
async function publish(word: string): Promise<void> {
  const headers = { Authorization: `Token ${which}`, 'Content-Type': 'text/csv' };
  const answer = await fetch(`${where}version/?notes=${word}`, { method: 'POST', headers, body: `a\n${word}\n` });
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
}

for (let n = 0; n < Number(times); n++) {
  const word = `${name}-${n}`;
  if (what === 'http') {
    await overHttp(word);
    if (n < 3) await publish(word);
  } else await editFile(where, which, (value) => counted(value, word), { wait: 60_000 });
}
