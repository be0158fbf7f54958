/** Messages quote at most 200 characters of what people wrote: parsers, validators, HTTP and `check`, with very long texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerpt, ValidationError } from '../../src/catalogue/errors.ts';
import { fieldsOf } from '../../src/catalogue/fields.ts';
import { parseInput } from '../../src/catalogue/input.ts';
import { type RecordKind, schemas } from '../../src/catalogue/schemas.ts';
import { findMisspelledKeys } from '../../src/catalogue/validators.ts';
import { validateRecord } from '../../src/files/reading/validate-record.ts';
import { parseRecordText } from '../../src/text/parse.ts';
import { serveAccounts } from '../support/accounts.ts';
import { makeFolder } from '../support/folder.ts';
import { type } from '../support/prompt.ts';

const letters = 'x'.repeat(50_000);
const emoji = '\u{1f333}'.repeat(1000);
const isTooLong = (text: string) => /x{201}|\u{1f333}{101}/u.test(text) || !text.isWellFormed();
const assertShort = (text: string, name: string) =>
  assert.equal(text.split('\n').find(isTooLong)?.slice(0, 300), undefined, name);

describe('an excerpt', () => {
  it('has at most 200 characters, and all of a shorter text', () => {
    assert.equal(excerpt('x'.repeat(200)), 'x'.repeat(200));
    assert.equal(excerpt('x'.repeat(201)), `${'x'.repeat(199)}…`);
    assert.equal(excerpt(`x${emoji}`).isWellFormed(), true);
    assert.equal(excerpt(null), 'null');
  });
});

/** Records with a long text in many wrong places. */
const records = (long: string): readonly string[] => [
  `${long}: 1\n${long}: 2\n`,
  `label: 1\n  ${long}: 2\n`,
  `"${long}": 1\n"${long}": 2\n`,
  `a: {${long}: 1, ${long}: 2}\n`,
  `${long}:1\n`,
  `${long}\n`,
  `label: *${long}\n`,
  `label: &${long} [*${long}]\n`,
  `label: !${long} 1\n`,
  `label: @${long}\n`,
  `${long}: @x\n`,
  `label: "${long}\n`,
  `label: "${long}" x\n`,
  `label: "\\${long}"\n`,
  `label: [${long}\n`,
  `label: ${long}: ${long}\n`,
  `? ${long}\n`,
  `%${long}\n---\nlabel: a\n`,
  `%YAML ${long}\n---\nlabel: a\n`,
  `%TAG ! ${long}\n---\nlabel: !a b\n`,
  `<<<<<<< ${long}\na: 1\n=======\na: 2\n>>>>>>> ${long}\n`,
  `<<<<<<< a\na: 1\n=======\na: 2\n>>>>>>> b\n`.repeat(1000),
  `\t${long}: 1\n`,
];
const jsonRecords = (long: string): readonly string[] => [
  `{"${long}": 1, "${long}": 2}`,
  `{"a": ${long}}`,
  `{"a": '${long}'}`,
  `{${long}: 1}`,
  `{"a": "${long}`,
  `{"a": 1} ${long}`,
  `{"a": 1 ${long}}`,
  `{"a": "\\${long}"}`,
];

describe('messages about records', () => {
  it('of the parsers', () => {
    for (const long of [letters, emoji])
      for (const [format, texts] of [
        ['yaml', records(long)],
        ['json', jsonRecords(long)],
      ] as const)
        for (const text of texts) {
          const parsed = parseRecordText(text, format);
          if ('error' in parsed) assertShort(parsed.error.message, text.slice(0, 30));
          if ('error' in parsed) assert.ok(parsed.error.message.length < 1000, parsed.error.message.slice(0, 300));
        }
  });

  it('of the validators', () => {
    for (const long of [letters, emoji])
      for (const value of [long, [long], { [long]: long }, [{ [long]: 1 }], { name: long, type: long }, [long, long]])
        for (const kind of Object.keys(schemas) as RecordKind[]) {
          const record = Object.fromEntries(Object.keys(schemas[kind].properties).map((name) => [name, value]));
          const checked = validateRecord(kind, { ...record, [long]: value });
          if ('errors' in checked) for (const { message } of checked.errors) assertShort(message, kind);
          for (const { message } of findMisspelledKeys(kind, { [long]: 1, [`label${long}`]: 1 }))
            assertShort(message, kind);
        }
  });

  it('of the input', () => {
    const kinds = ['dataset', 'version', 'namespace', 'group', 'query', 'user'] as const;
    for (const long of [letters, emoji])
      for (const kind of kinds)
        for (const { name } of fieldsOf(kind))
          for (const value of [long, [long], { [long]: long }, [{ name: long, label: 1 }], [[long]]])
            try {
              parseInput(kind, { [name]: value }, { partial: true });
            } catch (error) {
              assert.ok(error instanceof ValidationError);
              assertShort(error.message, `${kind}.${name}`);
            }
  });
});

describe('messages of the server', () => {
  it('about fields, parameters, headers and rows', async (test) => {
    const { send, ask, accounts, log } = await serveAccounts(test);
    const { token } = await accounts.addToken('alice');
    const short = (name: string, { text, status }: { text: string; status: number }) => {
      assert.ok(status < 500, `${name}: ${status}`);
      if (status >= 400) assertShort(text, name);
    };
    const long = 'x'.repeat(4000);
    const dataset = '/api/v1/namespaces/parks/datasets/trees/';
    await send('POST', '/api/v1/datasets/', { label: 'Trees', namespace: '/api/v1/namespaces/parks/' }, token);
    const csv = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: `name,${long}\noak,1\n` };
    assert.equal((await ask(`${dataset}version/`, csv, token)).status, 201);

    const collections = {
      dataset: 'datasets',
      namespace: 'namespaces',
      group: 'groups',
      query: 'queries',
      user: 'users',
    };
    for (const [kind, path] of Object.entries(collections))
      for (const { name } of fieldsOf(kind as 'dataset'))
        for (const value of [long, [long], { [long]: long }, `/api/v1/${path}/${long}/`, [`/api/v1/groups/${long}/`]])
          short(`${kind}.${name}`, await send('POST', `/api/v1/${path}/`, { label: 'a', [name]: value }, token));
    for (const columns of [[{ name: long, label: 'a' }], [{ name: 'name', former_names: [long] }]])
      short('columns', await send('PATCH', dataset, { columns }, token));
    for (const query of [
      ...[
        `${long}=1`,
        `name__${long}=1`,
        `_${long}=1`,
        `_fields=${long}`,
        `_ordering=${long}`,
        `_group_by=${long}`,
        `_aggregate=${long}`,
        `_aggregate=sum(${long})`,
        `_format=${long}`,
      ],
      ...[`${long}__gt=${long}`, `_limit=${long}`, `_page=${long}`, `_filter=${long}`, `_filter=name+LIKE+${long}`],
      ...[
        `_filter=${long}(1)`,
        `bbox=${long}`,
        `_bbox=${long},1`,
        `_group_by=${long}`,
        `_aggregate=${long}`,
        `format=${long}`,
      ],
    ])
      short(query.slice(0, 20), await ask(`${dataset}data/?${query}`));
    for (const path of [
      ...[`${dataset}data.${long}`, `${dataset}version/latest/diff/?_from=${long}`, `${dataset}version/${long}/`],
      ...[
        `/api/v1/changes/?since=${long}`,
        `/api/v1/datasets/?page=${long}&ordering=${long}&${long}=1`,
        `/schemas/${long}`,
      ],
      ...[`${dataset}version/latest/diff/?_from=latest&_key=${long}`, `${dataset}version/latest/diff/?_${long}=1`],
    ])
      short(path.slice(0, 80), await ask(path, {}, token));
    for (const headers of [
      { Accept: long },
      { 'Content-Type': long },
      { 'Content-Type': `text/${long}` },
      { Authorization: `Token ${long}` },
      { Authorization: long },
      { 'If-Match': long },
      { 'Content-Encoding': long },
      { Origin: long, Cookie: `csrftoken=${long}` },
    ] as unknown as Record<string, string>[])
      for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])
        short(Object.keys(headers).join(), await ask(`${dataset}?x=1`, { method, headers }, undefined));
    for (const parameter of [
      'encoding',
      'delimiter',
      'decimal',
      'date_format',
      'longitude',
      'geometry',
      'crs',
      'types',
      'type',
    ])
      short(
        parameter,
        await ask(`${dataset}version/?${parameter}=${long}&strict=true`, { ...csv, body: 'a\n2\n' }, token),
      );
    for (const [mediaType, body] of [
      ['application/geo+json', `{"type": "${letters}"}`],
      ['application/geo+json', `{"type": "Feature", "geometry": {"type": "${letters}"}, "properties": {}}`],
      ['application/geo+json', `{"type": "FeatureCollection", "crs": "${letters}", "features": []}`],
      ['application/json', `[{"a": ${letters}}]`],
      ['text/csv', `${letters},b\n1,2\n`],
      ['text/csv', `a\n${'1\n'.repeat(10)}${letters}\n`],
    ] as const) {
      const upload = { method: 'POST', headers: { 'Content-Type': mediaType }, body };
      short(mediaType, await ask(`${dataset}version/?types=a%3Dinteger&strict=true`, upload, token));
    }
    for (const path of [long, `${long}/dataset.yaml`, `namespaces/${long}/namespace.yaml`, `site_media/${long}`])
      for (const change of [
        { do: 'write', path, text: `${letters}: 1\n${letters}: 2\n`, ifMatch: null },
        { do: 'remove', path, ifMatch: long },
        { do: 'move', path, to: path, ifMatch: long },
      ]) {
        const { status, text } = await send('PATCH', '/api/v1/files/', [change], token);
        assert.ok(status < 500 && !/"status":5/.test(text), text.slice(0, 300));
        for (const { path: _, ...outcome } of status === 200 ? JSON.parse(text) : [])
          assertShort(JSON.stringify(outcome), path);
      }
    assertShort(log.join('\n'), 'log');
  });
});

describe('check', () => {
  it('quotes at most 200 characters, and the server and its log too', async (test) => {
    const folder = makeFolder({ namespaces: { parks: { label: 'Parks' } }, users: { alice: { staff: true } } }, test);
    for (const [i, text] of records(letters).entries()) folder.write(`groups/g${i}.yaml`, text);
    for (const [i, text] of jsonRecords(letters).entries()) folder.write(`groups/j${i}.json`, text);
    folder.write('groups/a.yaml', `label: [${letters}]\n`);
    folder.write(
      'namespaces/a/namespace.yaml',
      `label: a\nowners: [${letters}]\nreaders: [${letters}, user:${letters}]\n`,
    );
    folder.write('queries/a.yaml', `label: a\ndataset: ${letters}/${letters}\nversion: ${letters}\n`);
    folder.write('users/a.yaml', `groups: [${letters}]\nlabell${letters}: 1\n`);
    folder.write(
      'namespaces/parks/datasets/a/dataset.yaml',
      `label: a\nimage: /site_media/${letters}\ncolumns: [{type: ${letters}}]\n`,
    );
    for (const format of ['text', 'github']) {
      const { out, err, exitCode } = await type(['check', '--format', format], { root: folder.root });
      assert.equal(exitCode, 1, err);
      assertShort(out, format);
    }
    const { out } = await type(['check', '--format', 'json'], { root: folder.root });
    for (const { message } of JSON.parse(out).problems ?? JSON.parse(out)) assertShort(message, 'json');
  });
});
