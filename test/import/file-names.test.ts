/** Names of files from the Content-Disposition of servers, which are read only if they are harmless. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { HttpDocuments } from '../../src/import/http-documents.ts';

const cases: readonly (readonly [disposition: string, name: string | undefined])[] = [
  ['attachment; filename="trees.csv"', 'trees.csv'],
  ['attachment; filename=trees.csv', 'trees.csv'],
  ['INLINE; FileName="trees of 2020.csv"', 'trees of 2020.csv'],
  ['attachment; filename="trees.csv";', 'trees.csv'],
  ['attachment; filename="B?ume.csv"; filename*=UTF-8\'\'B%C3%A4ume.csv', 'Bäume.csv'],
  ["attachment; filename*=iso-8859-1'de'B%E4ume.csv", 'Bäume.csv'],
  ['attachment; filename="Bäume.csv"', 'Bäume.csv'],
  ['attachment; filename="the \\"old\\" trees.csv"', 'the "old" trees.csv'],
  ['attachment; filename=" trees.csv "', 'trees.csv'],
  ['attachment', undefined],
  ['', undefined],
  ['attachment; filename=""', undefined],
  ['attachment; filename="../../etc/passwd.csv"', undefined],
  ['attachment; filename="/etc/passwd.csv"', undefined],
  ['attachment; filename="C:\\\\trees.csv"', undefined],
  ["attachment; filename*=UTF-8''..%2F..%2Ftrees.csv", undefined],
  ["attachment; filename*=UTF-8''..%5Ctrees.csv", undefined],
  ["attachment; filename*=UTF-8''trees%00.csv", undefined],
  ["attachment; filename*=UTF-8''trees%0D%0Aevil.csv", undefined],
  ["attachment; filename*=UTF-8''%1B%5B31mtrees.csv", undefined],
  ["attachment; filename*=UTF-8''vsc%E2%80%AEseert.csv", undefined],
  ["attachment; filename*=UTF-8''trees%E2%80%A8.csv", undefined],
  ["attachment; filename*=UTF-8''trees%FF.csv", undefined],
  ["attachment; filename*=UTF-7''trees.csv", undefined],
  ['attachment; filename=".htaccess"', undefined],
  ['attachment; filename=" .trees.csv"', undefined],
  ['attachment; filename=".."', undefined],
  [`attachment; filename="${'x'.repeat(300)}.csv"`, undefined],
  [`attachment; filename*=UTF-8''${'%F0%9F%8C%B3'.repeat(70)}.csv`, undefined],
  ['attachment; filename="trees.csv', undefined],
  ['attachment; filename=trees of 2020.csv', undefined],
  ['attachment; filename="a.csv"; filename="b.csv"', undefined],
  ['filename="trees.csv"', undefined],
  ['attachment; =; filename="trees.csv"', undefined],
];

describe('the name of a file in an answer', () => {
  it('is that of its Content-Disposition if it is harmless', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        const [disposition = ''] = cases[Number(/^GET \/(\d+)/.exec(request.toString())?.[1])] ?? [];
        const named = disposition && `Content-Disposition: ${disposition}\r\n`;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: "1"\r\n${named}\r\na\n`);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const source = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
    const documents = await HttpDocuments.open({ folder, source, interval: 0 });
    try {
      for (const [i, [disposition, name]] of cases.entries()) {
        assert.equal((await documents.open(`${source}/${i}`)).fileName, name, disposition);
        assert.equal((await documents.open(`${source}/${i}`)).fileName, name, 'it is kept');
      }
    } finally {
      await documents.close();
      server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
