/** The Registry of Open Data on AWS: a YAML file per dataset. Source: https://github.com/awslabs/open-data-registry */
import { importedDataset, listOf, membersOf, type SourceItem, textOf } from './imported.ts';

/** True if a value is a dataset of the registry. */
export function isRegistryDataset(value: unknown): boolean {
  const { Name, Description, ManagedBy, Resources, Documentation } = membersOf(value);
  return (
    Boolean(Name) && Boolean(Description) && (Boolean(ManagedBy) || Boolean(Documentation) || Array.isArray(Resources))
  );
}

/** @param name of the file, without its extension: the registry's address of the dataset */
export function readRegistryDataset(value: unknown, name: string): SourceItem {
  const one = membersOf(value);
  const licence = textOf(one.License);
  const notice =
    one.Deprecated === true ? `**${textOf(one.DeprecatedNotice) || 'This dataset is deprecated.'}**\n\n` : '';
  return importedDataset({
    id: name,
    name,
    label: one.Name,
    description: notice + textOf(one.Description),
    keywords: listOf(one.Tags),
    licence: [...urlsIn(licence), ...(licence.length <= 80 ? [licence] : [])],
    homepage: urlsIn(textOf(one.Documentation))[0] ?? `https://registry.opendata.aws/${name}/`,
    publisher: textOf(one.ManagedBy).replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1'),
    contact: [...emailsIn(textOf(one.Contact)), ...urlsIn(textOf(one.Contact))],
    links: [...listOf(one.Resources).flatMap(linksOfResource), ...linksOfExamples(one.DataAtWork)],
  });
}

function linksOfResource(given: unknown) {
  const { ARN, Description, Type, Explore } = membersOf(given);
  const label = textOf(Description).split('\n')[0] || textOf(Type);
  const bucket = /^arn:aws[\w-]*:s3:::(\S+)$/.exec(textOf(ARN).trim())?.[1];
  return [
    ...(bucket ? [{ address: `s3://${bucket}`, label }] : []),
    ...listOf(Explore).flatMap((text) =>
      urlsIn(textOf(text)).map((address) => ({ address, label: /\[([^\]]+)\]/.exec(textOf(text))?.[1] ?? label })),
    ),
  ];
}

const linksOfExamples = (given: unknown) =>
  Object.values(membersOf(given)).flatMap((list) =>
    listOf(list).map((example) => ({ address: membersOf(example).URL, label: membersOf(example).Title })),
  );

const urlsIn = (text: string): readonly string[] => text.match(/https?:\/\/[^\s)<>\]"'`]+(?<![.,;:])/g) ?? [];
const emailsIn = (text: string): readonly string[] => text.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [];
