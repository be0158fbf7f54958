/** The OpenAPI document as a page: the operations by subject, and the schemas that they use. */
import type { VNode } from 'preact';
import { apiRoot } from '../catalogue/urls.ts';
import { renderPage } from './layout.tsx';
import { hrefOf, type PageContext } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';

type Schema = Readonly<Record<string, unknown>>;
type Bodies = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Bodies };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** The members of an OpenAPI document that the page shows. */
export interface ReferenceDocument {
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, unknown>>;
  };
}

interface Parts {
  readonly context: PageContext;
  readonly document: ReferenceDocument;
}

export function renderApiReferencePage(context: PageContext, document: ReferenceDocument): string {
  const { locale } = context;
  const title = locale.text('apiReference');
  const json = hrefOf(context, `${apiRoot}openapi.json`);
  return renderPage(context, {
    title,
    section: 'api',
    json,
    crumbs: [{ text: locale.text('api'), href: hrefOf(context, apiRoot) }, { text: title }],
    children: (
      <div class="api-reference">
        <h1>{title}</h1>
        <div class="prose" lang="en">
          {document.info.description.split('\n\n').map((paragraph) => (
            <p key={paragraph}>{withCode(paragraph)}</p>
          ))}
        </div>
        <p>
          <a href={json}>OpenAPI 3.1</a> · <code>{document.servers[0]?.url}</code>
        </p>
        <nav aria-label={title} lang="en">
          <ul class="dots">
            {[...document.tags.map(({ name }) => name), 'Errors', 'Schemas'].map((name) => (
              <li key={name}>
                <a href={`#${name}`}>{name}</a>
              </li>
            ))}
          </ul>
        </nav>
        {document.tags.map((tag) => (
          <Tag key={tag.name} context={context} document={document} {...tag} />
        ))}
        <section aria-labelledby="Errors" lang="en">
          <h2 id="Errors">Errors</h2>
          <Grid
            label={locale.text('apiBodies')}
            heads={[locale.text('apiStatus'), locale.text('apiBody'), locale.text('schemaMeaning')]}
          >
            {Object.entries(document.components.responses).map(([name, response]) =>
              responseRow(name, response as Response),
            )}
          </Grid>
        </section>
        <section aria-labelledby="Schemas" lang="en">
          <h2 id="Schemas">Schemas</h2>
          {Object.entries(document.components.schemas).map(([name, schema]) => (
            <details key={name} id={`schema-${name}`}>
              <summary>
                <code class="name">{name}</code>
              </summary>
              {typeof schema.description === 'string' && <p>{schema.description}</p>}
              <Members context={context} label={name} schema={schema} />
            </details>
          ))}
        </section>
      </div>
    ),
  });
}

/** Text in which `code` is marked by backquotes. */
const withCode = (words: string) =>
  words.split('`').map((part, i) => (i % 2 ? <code key={`${i}`}>{part}</code> : part));

function Tag({ name, description, ...parts }: Parts & { readonly name: string; readonly description: string }): VNode {
  const operations = Object.entries(parts.document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method, { tags }]) => method !== 'head' && method !== 'options' && tags?.includes(name))
      .map(([method, operation]) => ({ path, method, operation })),
  );
  return (
    <section aria-labelledby={name} lang="en">
      <h2 id={name}>{name}</h2>
      <p>{description}</p>
      {operations.map(({ path, method, operation }) => (
        <details key={operation.operationId} id={operation.operationId}>
          <summary>
            <b>{method.toUpperCase()}</b>
            <code>{path}</code>
            <span>{operation.summary}</span>
          </summary>
          <OperationDetails operation={operation} {...parts} />
        </details>
      ))}
    </section>
  );
}

function OperationDetails({ operation, context, document }: Parts & { readonly operation: Operation }): VNode {
  const { locale } = context;
  const { summary, description, parameters = [], requestBody, responses } = operation;
  return (
    <>
      {description && <p>{withCode(description)}</p>}
      {parameters.length > 0 && (
        <Grid
          label={`${locale.text('apiParameters')}: ${summary}`}
          heads={[locale.text('apiParameter'), locale.text('apiPlace'), locale.text('schemaMeaning')]}
        >
          {parameters
            .map((parameter) => resolve(document.components.parameters, parameter))
            .map(({ name, in: place, required, schema, description }) => (
              <tr key={`${place} ${name}`}>
                <th scope="row">
                  <code>{name}</code>
                  {required && ` (${locale.text('required')})`}
                </th>
                <td>
                  {place} · {shapeOf(schema)}
                </td>
                <td>{withCode(description)}</td>
              </tr>
            ))}
        </Grid>
      )}
      <Grid
        label={`${locale.text('apiBodies')}: ${summary}`}
        heads={[locale.text('apiStatus'), locale.text('apiBody'), locale.text('schemaMeaning')]}
      >
        {requestBody && (
          <tr>
            <th scope="row">{locale.text('apiRequestBody')}</th>
            <td>{bodiesOf(requestBody.content)}</td>
            <td />
          </tr>
        )}
        {Object.entries(responses)
          .filter(([, response]) => !isShared(response))
          .map(([status, response]) => responseRow(status, response as Response))}
        <tr>
          <th scope="row">{locale.text('apiOtherStatuses')}</th>
          <td />
          <td>
            <a href="#Errors">
              {Object.keys(responses)
                .filter((status) => isShared(responses[status]))
                .join(', ')}
            </a>
          </td>
        </tr>
      </Grid>
    </>
  );
}

const isShared = (response: unknown): boolean => '$ref' in Object(response);

const responseRow = (status: string, { description, content = {} }: Response): VNode => (
  <tr key={status}>
    <th scope="row">{status}</th>
    <td>{bodiesOf(content)}</td>
    <td>{description}</td>
  </tr>
);

interface Response {
  readonly description: string;
  readonly content?: Bodies;
}

/** A part of the document, or the shared one that it refers to. */
function resolve<T extends object>(shared: Readonly<Record<string, T>>, part: T | { readonly $ref: string }): T {
  return '$ref' in part ? (shared[part.$ref.split('/').at(-1) ?? ''] as T) : part;
}

/** Media types of bodies, each with its schema. */
const bodiesOf = (content: Bodies): readonly VNode[] =>
  Object.entries(content).map(([type, { schema }]) => (
    <div key={type}>
      <code>{type}</code> {shapeOf(schema)}
    </div>
  ));

/** A short form of a schema: its name as a link, or its type. */
function shapeOf(schema: Schema): VNode | string {
  const { $ref, type, items, enum: choices, anyOf, oneOf, const: constant, format } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    return <a href={`#schema-${name}`}>{name}</a>;
  }
  if (Array.isArray(choices)) return choices.join(', ');
  if (constant !== undefined) return String(constant);
  if (items) return <>list of {shapeOf(items as Schema)}</>;
  const parts = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  if (parts)
    return (
      <>
        {parts.map((part, i) => (
          <span key={`${i}`}>
            {i > 0 && ' or '}
            {shapeOf(part)}
          </span>
        ))}
      </>
    );
  return [[type].flat().join(' or '), typeof format === 'string' ? format : ''].filter(Boolean).join(', ');
}

/** The members of an object, or the shape of another schema. */
function Members({ context, label, schema }: { context: PageContext; label: string; schema: Schema }): VNode {
  const { locale } = context;
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  const members = Object.entries(properties);
  if (members.length === 0) return <p>{shapeOf(schema)}</p>;
  return (
    <Grid label={label} heads={[locale.text('schemaKey'), locale.text('schemaValue'), locale.text('schemaMeaning')]}>
      {members.map(([name, member]) => (
        <tr key={name}>
          <th scope="row">
            <code>{name}</code>
            {required.includes(name) && ` (${locale.text('required')})`}
          </th>
          <td>{shapeOf(member)}</td>
          <td>{String(member.description ?? '')}</td>
        </tr>
      ))}
    </Grid>
  );
}

interface GridProps {
  readonly label: string;
  readonly heads: readonly string[];
  readonly children: unknown;
}

/** A table that scrolls by itself on small screens. */
const Grid = ({ label, heads, children }: GridProps): VNode => (
  <ScrollBox label={label}>
    <table class="grid keys-of-file">
      <thead>
        <tr>
          {heads.map((head, i) => (
            <th key={`${i}`} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children as VNode[]}</tbody>
    </table>
  </ScrollBox>
);
