/** The page of a kind of file: its keys, their meaning, their values, their defaults. */
import type { VNode } from 'preact';
import type { Schema } from '../catalogue/field.ts';
import type { FileSchema } from '../catalogue/schemas.ts';
import { renderPage } from './layout.tsx';
import { hrefOf, type PageContext } from './page-context.ts';
import { ScrollBox } from './scroll-box.tsx';

export function renderFileSchemaPage(context: PageContext, schema: FileSchema): string {
  const { locale } = context;
  const head = ['schemaKey', 'schemaMeaning', 'schemaValue', 'schemaDefault'] as const;
  return renderPage(context, {
    title: schema.title,
    section: 'api',
    crumbs: [{ text: locale.text('fileFormats'), href: hrefOf(context, '/schemas/') }, { text: schema.title }],
    children: (
      <>
        <h1 lang="en">{schema.title}</h1>
        <p class="prose">
          <span lang="en">{schema.description}</span> {locale.text('schemaOtherKeys')}
        </p>
        <ScrollBox label={schema.title}>
          <table class="grid keys-of-file">
            <thead>
              <tr>
                {head.map((key) => (
                  <th key={key} scope="col">
                    {locale.text(key)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{keyRows(context, schema)}</tbody>
          </table>
        </ScrollBox>
      </>
    ),
  });
}

/** A row for each key, those within it below: `file.name`, `columns[].type`. */
function keyRows(context: PageContext, { properties = {}, required = [] }: Schema, within = ''): VNode[] {
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = `${within}${key}`;
    return [
      <tr key={name}>
        <th scope="row">
          <code>{name}</code>
          {required.includes(key) && ` (${context.locale.text('required')})`}
        </th>
        <td lang="en">{property.description ?? property.title ?? ''}</td>
        <td lang="en">{describeValues(property)}</td>
        <td>{property.default === undefined ? '' : <code>{JSON.stringify(property.default)}</code>}</td>
      </tr>,
      ...keyRows(context, property, `${name}.`),
      ...keyRows(context, property.items ?? {}, `${name}[].`),
    ];
  });
}

function describeValues({ type, enum: choices, items, maxLength }: Schema): string {
  if (choices) return choices.join(', ');
  if (items) return `list of ${items.properties ? 'groups of keys' : describeValues(items)}`;
  const names = [type].flat().map((name) => (name === 'object' ? 'group of keys' : name));
  return `${names.join(' or ')}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}`;
}
