/** DCAT-US 1.1 (`data.json`), which Socrata, ArcGIS Hub and agencies of data.gov publish. Source: https://resources.data.gov/resources/dcat-us/ */
import { httpUrl, importedDataset, listOf, membersOf, type SourceItem, skip, textOf } from './imported.ts';

/** True if a value is a catalogue in DCAT-US. */
export function isDcatUs(value: unknown): boolean {
  const { dataset, '@type': type, conformsTo } = membersOf(value);
  return (
    Array.isArray(dataset) &&
    (/dcat|project-open-data/i.test(`${textOf(type)} ${textOf(conformsTo)}`) ||
      dataset.some((one) => 'title' in membersOf(one)))
  );
}

/** Path of the list of datasets in the document. */
export const dcatUsKeys = ['dataset'];

export function readDcatUsDataset(value: unknown): SourceItem {
  const one = membersOf(value);
  if (Object.keys(one).length === 0) return skip('', 'it is not an object');
  const identifier = textOf(one.identifier) || textOf(one['@id']);
  const contact = membersOf(one.contactPoint);
  const files = listOf(one.distribution).flatMap((given) => {
    const { downloadURL, accessURL, title, description, format, mediaType } = membersOf(given);
    const label = textOf(title) || textOf(description).split('\n')[0] || textOf(format);
    return [
      ...(textOf(downloadURL) ? [{ address: downloadURL, label, format, mediaType, isFile: true }] : []),
      ...(textOf(accessURL) && accessURL !== downloadURL ? [{ address: accessURL, label, format, mediaType }] : []),
    ];
  });
  return importedDataset({
    id: identifier || textOf(one.landingPage),
    label: one.title,
    description: one.description,
    keywords: [...listOf(one.keyword), ...listOf(one.theme)],
    licence: [one.license],
    homepage: httpUrl(one.landingPage) || httpUrl(identifier),
    publisher: membersOf(one.publisher).name ?? one.publisher,
    contact: [contact.hasEmail, contact.hasURL],
    issued: one.issued,
    modified: one.modified,
    links: [
      ...files,
      ...listOf(one.describedBy).map((address) => ({ address, label: 'Data dictionary' })),
      ...listOf(one.references).map((address) => ({ address, label: 'Reference' })),
    ],
  });
}
