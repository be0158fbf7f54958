/** The OpenAPI document as a judge: does an exchange match a path, a status and a schema of it? */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../../src/server/openapi/document.ts';

export interface Exchanged {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  readonly requestType?: string;
  readonly requestBody?: unknown;
  readonly status: number;
  readonly type: string;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

interface MediaType {
  readonly schema: object;
}
interface Part {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

/** Objects of the document's schemas may have no other members than those described: what isn't described would be missed. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]));
  const isObject = 'properties' in copy && [copy.type].flat().includes('object');
  return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

/** @param isLater true for members that a response of an older service may lack */
export function makeContract(document: OpenApiDocument, isLater: (member: string) => boolean = () => false) {
  const judges = [false, true].map((coerceTypes) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    const schemas = coerceTypes ? document.components.schemas : closed(document.components.schemas);
    ajv.addSchema({ $id: 'document', components: { schemas } });
    return ajv;
  });
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (schema: object, isRequest: boolean) => {
    const key = `${isRequest} ${JSON.stringify(schema)}`;
    const known = compiled.get(key);
    if (known) return known;
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
    const made = (judges[Number(isRequest)] as Ajv2020).compile(absolute);
    compiled.set(key, made);
    return made;
  };
  const paths = Object.entries(document.paths).map(([template, item]) => ({
    template,
    item,
    pattern: new RegExp(
      `^${template.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.+' : '[^/]+'))}$`,
    ),
  }));

  /** The path of the document that an address matches: the one with the fewest parameters. */
  const pathOf = (address: string) => {
    const path = address.split('?')[0] ?? '';
    const found = paths.filter(({ pattern }) => pattern.test(path));
    return found.sort((a, b) => a.template.split('{').length - b.template.split('{').length)[0];
  };

  const resolve = (part: unknown): Part => {
    const { $ref } = part as Part;
    return ($ref ? document.components.responses[$ref.split('/').at(-1) ?? ''] : part) as Part;
  };

  /** Differences between a body and a schema of its media type; empty if there are none. */
  const differences = (
    content: Part['content'],
    type: string,
    body: unknown,
    isRequest: boolean,
  ): readonly string[] => {
    const name = type.split(';')[0]?.trim() ?? '';
    // With its parameters, for a media type that documents of several standards have.
    const media = content?.[type.replaceAll(/\s*;\s*/g, ';')] ?? content?.[name] ?? content?.['*/*'];
    if (!media) return [`the media type ${name} is not described`];
    const validate = validatorOf(media.schema, isRequest);
    if (validate(body)) return [];
    const wrong = (validate.errors ?? []).filter(({ params }) => !isLater(String(params.missingProperty)));
    return wrong.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  };

  return {
    pathOf,
    validatorOf,
    /** What of an exchange the document doesn't have; empty if it matches. */
    judge(exchange: Exchanged): readonly string[] {
      const { method, status, type, body, requestBody, requestType } = exchange;
      const found = pathOf(exchange.path);
      if (!found) return ['no path'];
      const operation = found.item[method.toLowerCase()];
      if (!operation) return status >= 400 && status < 500 ? [] : [`${found.template} has no ${method}`];
      const responses = operation.responses as Readonly<Record<string, unknown>>;
      const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
      if (!response) return [`${method} ${found.template} has no status ${status}`];
      const errors: string[] = [];
      if (method !== 'HEAD' && type && body !== undefined && status !== 304 && status !== 204)
        errors.push(...differences(resolve(response).content, type, body, false));
      if (requestBody !== undefined && requestType && status < 300)
        errors.push(
          ...differences(operation.requestBody?.content, requestType, structuredClone(requestBody), true).map(
            (error) => `request: ${error}`,
          ),
        );
      return errors;
    },
  };
}
