/** Metadata of a version as text: a line for each key, and for each object in a list or in an object. */
import { excerpt, maxShownValue } from '../../catalogue/errors.ts';
import { metadataForPeople } from '../../catalogue/metadata.ts';

/**
 * @param text as the API has it
 * @param forPeople false for one line of JSON, or the text itself if it holds none
 * @param withObjects false to leave out keys that hold several objects, such as the figures of columns
 */
export function metadataForDisplay(text: string, forPeople: boolean, withObjects = true): string {
  const value = metadataForPeople(text);
  if (typeof value === 'string')
    // A text that isn't JSON.
    return forPeople && value === text ? excerpt(text, maxShownValue) : value;
  if (!forPeople) return JSON.stringify(value);
  return Object.entries(value)
    .flatMap(([key, item]) => {
      const parts = typeof item === 'object' && item !== null ? Object.entries(item) : [];
      if (!parts.some(([, part]) => typeof part === 'object' && part !== null)) return [`${key}: ${valueText(item)}`];
      const name = (part: string) => (Array.isArray(item) ? '' : `${part}: `);
      return withObjects ? [`${key}:`, ...parts.map(([part, value]) => `- ${name(part)}${valueText(value)}`)] : [];
    })
    .join('\n');
}

/** A value on one line: of an object, its keys and values. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, item]) => `${key} ${typeof item === 'string' ? item : JSON.stringify(item)}`)
    .join(', ');
}
