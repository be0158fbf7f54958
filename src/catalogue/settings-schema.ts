/** The schema of catalogue.yaml; what `schemas.ts` says of schemas holds here too. */
import { text } from './schema-parts.ts';

export const settingsSchema = {
  $id: 'catalogue.json',
  title: 'Catalogue settings',
  description: 'catalogue.yaml: what the catalogue is called and how it is served.',
  type: 'object',
  properties: {
    title: text('Title', 'Name of the catalogue.'),
    description: text('Description', 'What the catalogue holds, in Markdown.'),
    base_url: {
      title: 'Base URL',
      description: 'Public address of the server, without /api/v1. Left out, that of each request.',
      type: 'string',
      pattern: '^https?://[^\\s?#]+$',
    },
    page_size: {
      title: 'Page size',
      description: 'Length of a page of a list.',
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 20,
    },
    max_page_size: {
      title: 'Maximum page size',
      description: 'The greatest ?page_size= that is granted.',
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 1000,
    },
    ordering: {
      title: 'Ordering',
      description: 'Default order of lists: comma-separated fields, a minus for descending.',
      type: 'string',
      default: 'namespace,slug',
    },
    licence: text('Licence', 'SPDX identifier of the licence of datasets that name none.'),
    publisher: text('Publisher', 'Publisher of datasets that name none.'),
    contact: text('Contact', 'E-mail address or URL for questions about datasets that name none.'),
    homepage: text('Homepage', 'Website about the catalogue.'),
    trust_proxy: {
      title: 'Trust proxy',
      description: 'Believe X-Forwarded-Proto, -Host and -For, and X-Request-Id: a proxy writes them.',
      type: 'boolean',
      default: false,
    },
    cors: {
      title: 'Cross-origin reads',
      description: 'Whether pages of every origin may read the API.',
      type: 'boolean',
      default: true,
    },
    git: {
      title: 'Git',
      description: 'What the server does with the git repository that the folder is in.',
      type: 'object',
      properties: {
        commit: {
          title: 'Commit',
          description: 'Make a commit of each write over HTTP, in the name of the user who wrote.',
          type: 'boolean',
          default: false,
        },
      },
    },
    metrics: {
      title: 'Metrics',
      description: 'Count requests and more for Prometheus, at /metrics, from the next start on.',
      type: 'boolean',
      default: false,
    },
  },
} as const;
