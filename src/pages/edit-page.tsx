/** The page with the form that edits a dataset. */
import type { VNode } from 'preact';
import type { Dataset } from '../catalogue/types.ts';
import { datasetCrumbs } from './dataset-crumbs.ts';
import { renderPage } from './layout.tsx';
import { commonLicences } from './licence-and-citing.tsx';
import { hrefOf, type PageContext } from './page-context.ts';
import type { TextKey } from './texts/english.ts';

/** A field of the form. */
export interface EditField {
  readonly name: string;
  /** Label in English, for a field that the texts don't know. */
  readonly title: string;
  readonly control: 'line' | 'lines' | 'choice';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  readonly text: string;
  /** Messages in English. */
  readonly errors: readonly string[];
  /** Text on the server, if somebody else has changed it since the form was opened. */
  readonly now: string | null;
}

export interface EditPageParts {
  /** What is edited, and the label of its namespace; null if the viewer isn't known, and sees what they typed only. */
  readonly edited: { readonly dataset: Dataset; readonly namespace: string } | null;
  readonly fields: readonly EditField[];
  /** CSRF token of the form. */
  readonly csrf: string;
  /** ETag of the form. */
  readonly etag: string;
  /** Licences of the catalogue's datasets. */
  readonly licences: readonly string[];
  /** Why nothing is saved: a text, or messages of the API that are about no field. */
  readonly problem: EditProblem | null;
  readonly messages: readonly string[];
}

export type EditProblem = 'fieldsToCorrect' | 'changedMeanwhile' | 'formIsOld' | 'loggedOutMeanwhile' | 'notSaved';

export function renderEditPage(context: PageContext, parts: EditPageParts): string {
  const { locale, settings } = context;
  const { edited, fields, csrf, etag } = parts;
  const label = edited?.dataset.label ?? fields.find(({ name }) => name === 'label')?.text ?? '';
  const address = hrefOf(context, context.path);
  return renderPage(context, {
    title: locale.text('editDataset', { label }),
    isHidden: true,
    json: null,
    section: 'datasets',
    ...(edited && {
      crumbs: datasetCrumbs(context, edited.dataset, edited.namespace, [{ text: locale.text('edit') }]),
    }),
    children: (
      <>
        <h1 dir="auto">{locale.text('editDataset', { label })}</h1>
        <Summary context={context} {...parts} />
        <form method="post" action={`${address}?_edit`} class="form broad">
          <input type="hidden" name="csrfmiddlewaretoken" value={csrf} />
          <input type="hidden" name="_etag" value={etag} />
          {fields.map((field) => (
            <Field key={field.name} context={context} field={field} />
          ))}
          <datalist id="licences">
            {[...new Set([...parts.licences, ...commonLicences])].map((licence) => (
              <option key={licence} value={licence} />
            ))}
          </datalist>
          <div class="row">
            <button class="btn main" type="submit">
              {locale.text('save')}
            </button>
            <a href={address}>{locale.text('cancel')}</a>
            {settings.git.commit && <span class="soft">{locale.text('becomesCommit')}</span>}
          </div>
        </form>
      </>
    ),
  });
}

const labels: Readonly<Record<string, TextKey>> = {
  label: 'fieldLabel',
  description: 'fieldDescription',
  keywords: 'keywords',
  licence: 'licence',
  homepage: 'fieldHomepage',
  publisher: 'publisher',
  contact: 'contact',
  issued: 'fieldIssued',
  modified: 'fieldModified',
  visibility: 'fieldVisibility',
};

const hints: Readonly<Record<string, TextKey>> = {
  description: 'hintDescription',
  keywords: 'hintKeywords',
  licence: 'hintLicence',
  homepage: 'hintHomepage',
  contact: 'hintContact',
  issued: 'hintIssued',
  modified: 'hintModified',
};

const choiceTexts: Readonly<Record<string, TextKey>> = { public: 'choicePublic', private: 'choicePrivate' };

interface FieldProps {
  readonly context: PageContext;
  readonly field: EditField;
}

const idOf = ({ name }: EditField): string => `edit-${name}`;

function FieldName({ context: { locale }, field: { name, title } }: FieldProps): VNode {
  const key = labels[name];
  return <span lang={key ? undefined : locale.langOf(title)}>{key ? locale.text(key) : title}</span>;
}

function Field({ context, field }: FieldProps): VNode {
  const { locale } = context;
  const { name, errors, now } = field;
  const id = idOf(field);
  const hint = hints[name];
  return (
    <div class="field">
      <label for={id}>
        <span>
          <FieldName context={context} field={field} /> {hint && <small>{locale.text(hint)}</small>}
        </span>
      </label>
      <Control context={context} field={field} />
      {errors.length > 0 && (
        <p class="err" id={`${id}-error`} lang={locale.langOf(errors[0] ?? '')}>
          {errors.join(' ')}
        </p>
      )}
      {now !== null && (
        <div class="note warn" id={`${id}-now`}>
          {now === field.text ? (
            <p>{locale.text('takenFromOthers')}</p>
          ) : (
            <>
              <p>{locale.text('changedByOthers')}</p>
              <p class="now" dir="auto">
                {now || <em>{locale.text('empty')}</em>}
              </p>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function Control({ context: { locale }, field }: FieldProps): VNode {
  const { name, control, choices, text, errors, now, isRequired } = field;
  const id = idOf(field);
  const described = [errors.length > 0 && `${id}-error`, now !== null && `${id}-now`].filter(Boolean).join(' ');
  const common = {
    ...{ id, name, required: isRequired },
    'aria-invalid': errors.length > 0 ? ('true' as const) : undefined,
    'aria-describedby': described || undefined,
  };
  if (control === 'choice')
    return (
      <select {...common}>
        {choices.map((choice) => {
          const key = choiceTexts[choice];
          return (
            <option key={choice} value={choice} selected={choice === text}>
              {key ? locale.text(key) : choice}
            </option>
          );
        })}
      </select>
    );
  // HTML takes away a line break at the start of a text area.
  if (control === 'lines') return <textarea {...common} rows={12} dir="auto" value={`\n${text}`} />;
  return (
    <input {...common} value={text} dir="auto" autocomplete="off" list={name === 'licence' ? 'licences' : undefined} />
  );
}

/** Why nothing is saved, above the form, with links to the fields concerned. */
function Summary({
  context,
  fields,
  problem,
  messages,
}: EditPageParts & { readonly context: PageContext }): VNode | null {
  const { locale } = context;
  if (!problem) return null;
  const concerned = fields.filter(({ errors, now }) => errors.length > 0 || now !== null);
  const next = hrefOf(context, `${context.path}?_edit`);
  const login = (
    <a href={hrefOf(context, `/auth/login/?next=${encodeURIComponent(next)}`)} target="_blank" rel="noopener nofollow">
      {locale.text('logIn')}
    </a>
  );
  return (
    <div class={problem === 'changedMeanwhile' ? 'note warn' : 'note bad'} role="alert">
      <h2>{locale.text('notSaved')}</h2>
      {problem !== 'notSaved' && <p>{locale.fill(problem, { link: login, count: concerned.length })}</p>}
      {messages.map((message) => (
        <p key={message} dir="auto" lang={locale.langOf(message)}>
          {message}
        </p>
      ))}
      {concerned.length > 0 && (
        <ul>
          {concerned.map((field) => (
            <li key={field.name}>
              <a href={`#${idOf(field)}`}>
                <FieldName context={context} field={field} />
              </a>
              {field.errors.length > 0 && (
                <span lang={locale.langOf(field.errors[0] ?? '')}>: {field.errors.join(' ')}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
