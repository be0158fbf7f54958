/** src/README.md names files, folders and functions that exist. (`recipes.test.ts` follows its recipes.) */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(root, 'src/README.md'), 'utf8');
const named = [...readme.replace(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
const paths = readdirSync(join(root, 'src'), { recursive: true }).map((path) => String(path).replaceAll('\\', '/'));
const sources = paths
  .filter((path) => path.endsWith('.ts') || path.endsWith('.tsx'))
  .map((path) => readFileSync(join(root, 'src', path), 'utf8'));

/** Names in code font that are no function, class or interface of ours. */
const foreign = ['Allow', 'WeakMap', 'dependsOn', 'open', 'show'];

describe('src/README.md', () => {
  it('names files and folders that exist', () => {
    const files = named.filter((name) => /^[\w./-]+(\.(ts|json)|\/)$/.test(name));
    assert.ok(files.length > 40);
    const isThere = (name: string) =>
      existsSync(join(root, name)) || paths.some((path) => `/${path}/`.endsWith(`/${name.replace(/\/$/, '')}/`));
    assert.deepEqual(
      files.filter((name) => !isThere(name)),
      [],
    );
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    assert.deepEqual(
      links.filter((path) => !existsSync(join(root, 'src', path))),
      [],
    );
  });

  it('names functions and classes that exist, and every room', () => {
    const names = named.filter(
      (name) => /^[A-Za-z]+(\.[a-z]\w*)?$/.test(name) && !/\.(tsx?|json)$/.test(name) && !foreign.includes(name),
    );
    assert.ok(names.length > 40);
    const isDeclared = (name: string) => {
      const last = name.split('.').at(-1);
      const declared = new RegExp(
        String.raw`\b(function\*?|class|const|interface|type) ${last}\b|^ +(async |readonly )?\*?${last}[(<:]`,
        'm',
      );
      return sources.some((text) => declared.test(text));
    };
    assert.deepEqual(
      names.filter((name) => !isDeclared(name)),
      [],
    );
    const rooms = [...new Set(paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))];
    assert.deepEqual(
      rooms.filter((room) => !named.includes(`${room}/`)),
      [],
    );
    for (const room of ['files', 'data'])
      for (const path of paths.filter((one) => dirname(one) === room && !one.endsWith('.ts')))
        assert.ok(named.includes(`${path.slice(room.length + 1)}/`), path);
  });
});
