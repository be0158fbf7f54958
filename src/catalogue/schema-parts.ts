/** What several of the schemas have in common. */

/** The greatest identifier: 31 bits, so that it fits a signed 32-bit integer of any client. */
export const maxId = 2_147_483_647;

export const id = {
  title: 'ID',
  description: 'Identifier, unique within its kind. Left out, one is derived from the address.',
  type: 'integer',
  minimum: 1,
  maximum: maxId,
} as const;

export const label = {
  title: 'Label',
  description: 'Human readable label.',
  type: 'string',
  minLength: 1,
  maxLength: 200,
} as const;

export const slugPattern = '^[-a-zA-Z0-9_]+$';

export const visibility = {
  title: 'Visibility',
  description: 'Who may see it: everybody, or only those who may write it.',
  enum: ['public', 'private'],
} as const;

export const aliases = {
  title: 'Aliases',
  description: 'Former addresses, which answer with a redirect to this one.',
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 201 },
} as const;

export const text = (title: string, description: string) => ({ title, description, type: 'string' }) as const;
export const image = (title: string) =>
  ({
    title,
    description: 'Path below /site_media/, or a URL.',
    type: 'string',
    maxLength: 255,
  }) as const;
