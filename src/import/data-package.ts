/** Data Packages (Frictionless, version 1 and 2): each resource is a dataset, since each has rows of its own. Source: https://datapackage.org */
import { readingOfResource } from './data-package-reading.ts';
import { type ImportedColumn, importedDataset, listOf, membersOf, type SourceItem, skip, textOf } from './imported.ts';
import { resolveAddress } from './links.ts';

/** Names of the descriptor in a folder. */
export const dataPackageFiles = ['datapackage.json', 'datapackage.yaml', 'datapackage.yml'];

/** True if a value is the descriptor of a data package. */
export function isDataPackage(value: unknown): boolean {
  const { resources, profile, $schema } = membersOf(value);
  if (!Array.isArray(resources)) return false;
  return (
    /data-?package/i.test(`${textOf(profile)} ${textOf($schema)}`) ||
    resources.some((one) => 'path' in membersOf(one) || 'data' in membersOf(one))
  );
}

/** @param base address of the descriptor's folder, with a slash at its end */
export function* readDataPackage(value: unknown, base: string): Generator<SourceItem, void, undefined> {
  const whole = membersOf(value);
  const resources = listOf(whole.resources).slice(0, isOfThisProgram(whole) ? 1 : undefined);
  yield { total: resources.length };
  const name = textOf(whole.name) || textOf(whole.id);
  const isSingle = resources.length === 1;
  for (const [index, given] of resources.entries()) {
    const resource = membersOf(given);
    if (Object.keys(resource).length === 0) {
      yield skip(`${name}/${index + 1}`, 'the resource is not an object');
      continue;
    }
    const own = textOf(resource.name) || `resource-${index + 1}`;
    const title = isSingle ? textOf(whole.title) || textOf(resource.title) || name : textOf(resource.title) || own;
    const paths = listOf(resource.path ?? resource.url);
    const format = textOf(resource.format) || extensionOf(paths[0]) || textOf(resource.mediatype);
    yield importedDataset({
      id: name ? `${name}/${own}` : own,
      name: isSingle ? name || own : own,
      label: title || own,
      description: describe(whole, resource, isSingle),
      keywords: listOf(whole.keywords),
      licence: [...licenceTexts(resource.licenses), ...licenceTexts(whole.licenses ?? whole.license)],
      homepage: textOf(whole.homepage).replace(/^git\+/, ''),
      publisher: publisherOf(whole),
      issued: whole.created,
      contact: [...listOf(whole.contributors), ...listOf(whole.sources)].map((one) => membersOf(one).email),
      ...readingOfResource(resource, format.toLowerCase()),
      links: [
        ...paths.map((path) => ({
          address: resolveAddress(path, base),
          label: paths.length > 1 ? textOf(path) : textOf(resource.title) || own,
          format: resource.format || extensionOf(path),
          mediaType: resource.mediatype,
          isFile: true,
          columns: columnsOf(resource.schema),
        })),
        ...[...listOf(resource.sources), ...listOf(whole.sources)].map((source) => {
          const { path, web, title, name } = membersOf(source);
          return { address: path ?? web, label: `Source: ${textOf(title) || textOf(name) || 'page'}` };
        }),
      ],
    });
  }
}

/** True for the package of a dataset in a catalogue of this program. Its first resource is the file, the others are its rows in other formats. */
function isOfThisProgram({ id, resources }: Readonly<Record<string, unknown>>): boolean {
  const address = textOf(id);
  const isBelow = (resource: unknown) => textOf(membersOf(resource).path).startsWith(`${address}version/`);
  return /\/api\/v1\/namespaces\/[^/]+\/datasets\/[^/]+\/$/.test(address) && listOf(resources).every(isBelow);
}

/** The extension of a file, before that of its compression. */
const extensionOf = (path: unknown): string => /\.(\w+)(?:\.gz)?$/.exec(textOf(path))?.[1] ?? '';

/** The text of the resource; of a single one, that of the package before it. */
function describe(
  whole: Readonly<Record<string, unknown>>,
  resource: Readonly<Record<string, unknown>>,
  isSingle: boolean,
): string {
  const texts = isSingle
    ? [textOf(whole.description), textOf(resource.description)]
    : [textOf(resource.description) || textOf(whole.description)];
  return [...new Set(texts.filter(Boolean))].join('\n\n');
}

const licenceTexts = (value: unknown): readonly unknown[] =>
  listOf(value).flatMap((one) => {
    const { name, path, title, type, url } = membersOf(one);
    return typeof one === 'string' ? [one] : [name, type, path ?? url, title];
  });

/** The contributor with the role publisher, or else the only one. */
function publisherOf({ contributors }: Readonly<Record<string, unknown>>): unknown {
  const people = listOf(contributors).map(membersOf);
  const roles = (one: Readonly<Record<string, unknown>>) => [...listOf(one.role), ...listOf(one.roles)].map(textOf);
  const found = people.find((one) => roles(one).includes('publisher')) ?? (people.length === 1 ? people[0] : undefined);
  return found?.title;
}

function columnsOf(schema: unknown): readonly ImportedColumn[] {
  return listOf(membersOf(schema).fields).flatMap((given) => {
    const { name, title, description, unit } = membersOf(given);
    return textOf(name)
      ? [{ name: textOf(name), label: textOf(title), description: textOf(description), unit: textOf(unit) }]
      : [];
  });
}
