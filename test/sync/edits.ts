/** What people do to a catalogue's folder, at random: with an editor, a file manager and git's habits. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { extensions } from '../../src/catalogue/layout.ts';

/** What is done, and to which of those things that are there. */
export interface Edit {
  readonly kind: (typeof kinds)[number] | (typeof kindsOfReaders)[number];
  readonly which: number;
}

const kinds = [
  'add dataset',
  'edit dataset',
  'edit dataset',
  'remove dataset',
  'rename dataset',
  'move dataset',
  'add version',
  'edit version',
  'remove version',
  'add namespace',
  'edit namespace',
  'rename namespace',
  'remove namespace',
  'add query',
  'edit query',
  'remove query',
  'edit user',
  'add user',
  'remove user',
  'add image',
  'rewrite with another extension',
  'rewrite with another extension',
] as const;

/** Changes of who sees something, and of where it is. */
const kindsOfReaders = [
  'change readers of dataset',
  'change readers of dataset',
  'change readers of namespace',
  'move dataset',
  'add version',
  'add query of a dataset',
] as const;

/** Who may see a namespace or dataset: everybody, those who may edit it, or the groups g1 and g2. */
const audiences = [
  { visibility: 'public' },
  { visibility: 'private' },
  { visibility: 'private', readers: ['g1'] },
  { visibility: 'private', readers: ['g2'] },
  { visibility: 'private', readers: ['g1', 'g2'] },
];

export const edits = (maxLength: number) => editsOf(kinds, maxLength);
/** Edits of every kind, of which half change who sees something. */
export const editsWithReaders = (maxLength: number) =>
  editsOf([...kinds, ...kindsOfReaders, ...kindsOfReaders, ...kindsOfReaders], maxLength);

const editsOf = (chosen: readonly Edit['kind'][], maxLength: number) =>
  fc.array(fc.record({ kind: fc.constantFrom(...chosen), which: fc.nat(1000) }), { maxLength });

/** One side's hands. Names that they give are never given by others. */
export class Hands {
  readonly #root: string;
  readonly #who: string;
  /** Things are renamed by one side only: a thing of two new names is none that two could agree on. */
  readonly #mayRename: (name: string) => boolean;
  #count = 0;

  constructor(root: string, who: string, mayRename: (name: string) => boolean) {
    this.#root = root;
    this.#who = who;
    this.#mayRename = mayRename;
  }

  #new(): { name: string; id: number } {
    this.#count++;
    const name = `${this.#who}-${this.#count}`;
    return { name, id: Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 7), 16) };
  }

  do({ kind, which }: Edit): void {
    const pick = (list: readonly string[]) => list[which % Math.max(1, list.length)];
    const { name, id } = this.#new();
    const dataset = pick(this.#datasets());
    const namespace = pick(this.#namespaces());
    const version = pick(this.#datasets().flatMap((home) => this.#in(`${home}/versions`)));
    const query = pick(this.#in('queries').filter((path) => existsSync(this.#at(path))));
    const user = pick(this.#in('users'));
    const record = pick([
      ...this.#namespaces().map((home) => this.#record(`${home}/namespace`)),
      ...this.#datasets().map((home) => this.#record(`${home}/dataset`)),
      ...this.#datasets().flatMap((home) => this.#in(`${home}/versions`)),
      ...this.#in('queries'),
      ...this.#in('users'),
    ]);
    switch (kind) {
      case 'add dataset':
        if (namespace) this.#write(`${namespace}/datasets/${name}/dataset.yaml`, { id, label: name });
        return;
      case 'edit dataset':
        if (dataset) this.#label(this.#record(`${dataset}/dataset`), name);
        return;
      case 'remove dataset':
        if (dataset) this.#remove(dataset);
        return;
      case 'rename dataset':
        if (dataset && this.#mayRename(dataset)) this.#rename(dataset, `${dirname(dataset)}/${name}`);
        return;
      case 'move dataset':
        if (dataset && namespace && this.#mayRename(dataset)) this.#rename(dataset, `${namespace}/datasets/${name}`);
        return;
      case 'add version':
        if (dataset) this.#version(dataset, name, id);
        return;
      case 'edit version':
        if (version) this.#label(version, name);
        return;
      case 'remove version':
        if (version) this.#removeVersion(version);
        return;
      case 'add namespace':
        this.#write(`namespaces/${name}/namespace.yaml`, { id, label: name });
        return;
      case 'edit namespace':
        if (namespace) this.#label(this.#record(`${namespace}/namespace`), name);
        return;
      case 'rename namespace':
        if (namespace && this.#mayRename(namespace)) this.#rename(namespace, `namespaces/${name}`);
        return;
      case 'remove namespace':
        if (namespace) this.#remove(namespace);
        return;
      case 'add query':
        this.#write(`queries/${name}.yaml`, { id, label: name, dataset: 'kept/kept' });
        return;
      case 'add query of a dataset':
        if (dataset) this.#write(`queries/${name}.yaml`, { id, label: name, dataset: nameOfDataset(dataset) });
        return;
      case 'change readers of dataset':
        if (dataset) this.#share(this.#record(`${dataset}/dataset`), which);
        return;
      case 'change readers of namespace':
        if (namespace) this.#share(this.#record(`${namespace}/namespace`), which);
        return;
      case 'edit query':
        if (query) this.#label(query, name);
        return;
      case 'remove query':
        if (query) this.#remove(query);
        return;
      case 'add user':
        this.#write(`users/${name}.yaml`, { id, label: name, groups: ['all'] });
        return;
      case 'edit user':
        if (user) this.#label(user, name);
        return;
      case 'remove user':
        if (user) this.#remove(user);
        return;
      case 'rewrite with another extension':
        if (record) this.#rewrite(record, which, name);
        return;
      case 'add image': {
        mkdirSync(this.#at('site_media'), { recursive: true });
        writeFileSync(this.#at(`site_media/${name}.png`), name);
      }
    }
  }

  #at = (path: string) => join(this.#root, path);

  #in(folder: string): readonly string[] {
    if (!existsSync(this.#at(folder))) return [];
    const names = readdirSync(this.#at(folder)).filter((name) => !name.startsWith('.'));
    return names.sort().map((name) => `${folder}/${name}`);
  }

  #namespaces = () => this.#in('namespaces').filter((path) => !path.endsWith('/kept'));
  #datasets = () => this.#namespaces().flatMap((path) => this.#in(`${path}/datasets`));

  #write(path: string, fields: object): void {
    mkdirSync(dirname(this.#at(path)), { recursive: true });
    writeFileSync(this.#at(path), `# By ${this.#who}\n${stringify(fields)}`);
  }

  #label(path: string, label: string): void {
    const text = readFileSync(this.#at(path), 'utf8');
    const changed = path.endsWith('.json') ? /"label": ".*"/ : /^label:.*$/m;
    writeFileSync(
      this.#at(path),
      text.replace(changed, path.endsWith('.json') ? `"label": "${label}"` : `label: ${label}`),
    );
  }

  #share(path: string, which: number): void {
    const { visibility: _, readers: __, ...others } = parse(readFileSync(this.#at(path), 'utf8'));
    const fields = { ...others, ...audiences[which % audiences.length] };
    writeFileSync(this.#at(path), path.endsWith('.json') ? `${JSON.stringify(fields, null, 2)}\n` : stringify(fields));
  }

  /** Path of a record, with the extension that it has. */
  #record(stem: string): string {
    return `${stem}.${extensions.find((extension) => existsSync(this.#at(`${stem}.${extension}`)))}`;
  }

  /** Gives a record another extension, with the same text where that can be. */
  #rewrite(path: string, which: number, name: string): void {
    const [stem = '', extension = ''] = path.split(/\.(?=[^.]+$)/);
    const [other = ''] = extensions.filter((one) => one !== extension).slice(which % 2);
    const text = readFileSync(this.#at(path), 'utf8');
    const fields = { ...parse(text), label: name };
    const isSame = which % 3 === 0 && other !== 'json';
    const json = `${JSON.stringify(fields, null, 2)}\n`;
    writeFileSync(
      this.#at(`${stem}.${other}`),
      isSame ? text : other === 'json' ? json : `# By ${this.#who}\n${stringify(fields)}`,
    );
    rmSync(this.#at(path));
  }

  #remove(path: string): void {
    rmSync(this.#at(path), { recursive: true });
  }

  #rename(path: string, to: string): void {
    mkdirSync(dirname(this.#at(to)), { recursive: true });
    renameSync(this.#at(path), this.#at(to));
  }

  #version(home: string, name: string, id: number): void {
    const bytes = `name\n${name}\n`;
    mkdirSync(this.#at(`${home}/data`), { recursive: true });
    writeFileSync(this.#at(`${home}/data/${name}.csv`), bytes);
    const checksum = createHash('sha256').update(bytes).digest('hex');
    const file = { name: `${name}.csv`, format: 'csv', size: bytes.length };
    this.#write(`${home}/versions/${name}.yaml`, { id, label: name, checksum, file });
  }

  #removeVersion(path: string): void {
    const payload = path.replace('/versions/', '/data/').replace(/(yaml|yml|json)$/, 'csv');
    this.#remove(path);
    if (existsSync(this.#at(payload))) this.#remove(payload);
  }
}

/** `parks/trees` for the folder of a dataset. */
const nameOfDataset = (home: string): string => home.replace(/^namespaces\/(.*)\/datasets\//, '$1/');
