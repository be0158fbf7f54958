/**
 * The form that edits a dataset: a page for people at `…/datasets/<ds>/?_edit`, which is sent back to its own address. It writes as
 * PATCH does, and only what was changed in it. The other requests to the dataset's address are those of its route.
 */
import type { Middleware, ParameterizedContext } from 'koa';
import { type FieldErrors, MovedError, StaleError, ValidationError } from '../catalogue/errors.ts';
import type { Dataset } from '../catalogue/types.ts';
import { apiRoot } from '../catalogue/urls.ts';
import { type EditPageParts, renderEditPage } from '../pages/edit-page.tsx';
import { hrefOf } from '../pages/page-context.ts';
import { assertInputWithoutDryRun, assertNotCompressed, bodyType, readInputBody } from './body.ts';
import { assertOwnOrigin, ensureCsrfToken, identifyUser, isCsrfToken } from './credentials.ts';
import {
  compareForm,
  editedFields,
  type FormTexts,
  hasLines,
  inputFromTexts,
  tagsOf,
  textsInBody,
  textsOfDataset,
} from './edit-form.ts';
import { BadRequestError, errorResponse, ReadOnlyError, UnsupportedMediaTypeError } from './errors.ts';
import { preferredType } from './negotiate.ts';
import { makePageContext } from './page-context.ts';
import { seeOther } from './redirects.ts';
import { baseUrlOf } from './request.ts';
import { type AppContext, allowHeader, type RequestContext, type Route, refFromRouteParams } from './route.ts';
import { assertMayEdit } from './write-permissions.ts';
import { editDatasetIfUnchanged } from './writes.ts';

const form = 'application/x-www-form-urlencoded';
const html = 'text/html';
const noHandler = async () => undefined;

/** The form as a route of its own, for the log, `Allow`, and redirects from former addresses. */
const route: Route = {
  path: `${apiRoot}namespaces/:namespace/datasets/:dataset/`,
  name: 'Dataset Edit Form',
  handlers: { GET: noHandler, POST: noHandler },
  types: [html],
  parses: [form],
};

/** A request for the form. */
type Visit = Pick<RequestContext, 'app' | 'catalogue' | 'viewer' | 'links'> & { readonly ctx: ParameterizedContext };

/** The page, by the path of a dataset. */
export function datasetEditPage(app: AppContext): readonly [path: string, page: Middleware] {
  const page: Middleware = async (ctx, next) => {
    if (app.staticExport || !isForForm(ctx)) return next();
    ctx.state = { route, type: html };
    ctx.set('Allow', allowHeader(route, true));
    ctx.set('X-Frame-Options', 'DENY');
    ctx.set('Cache-Control', 'private, no-store');
    ctx.vary(['Accept', 'Cookie', 'Accept-Language']);
    ctx.remove('Access-Control-Allow-Origin');
    const { viewer } = await identifyUser(ctx, app.signIn.accounts);
    ctx.state.viewer = viewer;
    const catalogue = app.catalogueFor(viewer);
    const links = { base: baseUrlOf(ctx.req, catalogue.settings, app.baseUrl), suffix: '' };
    if (app.readOnly) throw new ReadOnlyError('This server is read-only.');
    const visit: Visit = { ctx, app, catalogue, viewer, links };
    return ctx.method === 'POST' ? save(visit) : show(visit);
  };
  return [route.path, page];
}

/** True if a request is for the form: a browser's GET, or a form that is sent back. */
function isForForm(ctx: ParameterizedContext): boolean {
  const query = new URLSearchParams(ctx.querystring);
  if (!query.has('_edit')) return false;
  if (ctx.method === 'POST') return true;
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || query.has('format') || query.has('_format')) return false;
  return preferredType(ctx.req.headers.accept, ['application/json', html]) === html;
}

async function show(visit: Visit): Promise<void> {
  const { ctx, viewer, links } = visit;
  if (viewer.username === null) {
    const back = encodeURIComponent(hrefOf(links, `${ctx.path}?_edit`));
    redirect(visit, `/auth/login/?next=${back}`);
    return;
  }
  const dataset = await editableDataset(visit);
  const texts = textsOfDataset(dataset);
  await sendForm(visit, dataset, { texts, etag: tagsOf(texts) });
}

/** The dataset at the address. @throws NotFoundError, MovedError; NotPermittedError if the viewer may not edit it */
async function editableDataset(visit: Visit): Promise<Dataset> {
  const dataset = await visit.catalogue.get<'dataset'>(refFromRouteParams('dataset', visit.ctx.params));
  await assertMayEdit(visit, dataset);
  return dataset;
}

/** Writes what was changed in the form, and redirects to the dataset; or sends the form again as it was typed, and says why. */
async function save(visit: Visit): Promise<void> {
  const { ctx, viewer, links } = visit;
  assertOwnOrigin(ctx, links.base);
  assertNotCompressed(ctx);
  if (![null, form].includes(bodyType(ctx))) throw new UnsupportedMediaTypeError(ctx.get('Content-Type'));
  if (new URLSearchParams(ctx.querystring).has('dry_run'))
    throw new BadRequestError(
      'The form can’t be tried without writing. Take dry_run out of the address, or send PATCH with ?dry_run=true.',
    );
  const isSignedIn = viewer.username !== null;
  const dataset = isSignedIn ? await editableDataset(visit) : null;
  const body = assertInputWithoutDryRun(await readInputBody(ctx));
  const sent = { texts: textsInBody(body), etag: typeof body._etag === 'string' ? body._etag : '' };
  if (!dataset) return sendForm(visit, null, { ...sent, status: 403, problem: 'loggedOutMeanwhile' });
  if (!isCsrfToken(ctx, body.csrfmiddlewaretoken)) {
    const texts = { ...textsOfDataset(dataset), ...sent.texts };
    return sendForm(visit, dataset, { ...sent, texts, status: 403, problem: 'formIsOld' });
  }
  return write(visit, dataset, sent);
}

/** Times that a form is compared anew with a dataset that changes while it is written. */
const mostAttempts = 3;

async function write(visit: Visit, found: Dataset, sent: Pick<FormState, 'texts' | 'etag'>): Promise<void> {
  const { ctx } = visit;
  let dataset = found;
  for (let attempt = 1; ; attempt++) {
    const present = textsOfDataset(dataset);
    const { own, others, texts } = compareForm(sent.texts, sent.etag, present);
    if (others.length > 0) {
      const now = Object.fromEntries(others.map((name) => [name, present[name] ?? '']));
      return sendForm(visit, dataset, { texts, etag: tagsOf(present), status: 412, problem: 'changedMeanwhile', now });
    }
    try {
      if (own.length > 0) await editDatasetIfUnchanged(visit, dataset, inputFromTexts(texts, own, dataset));
      return redirect(visit, ctx.path);
    } catch (error) {
      if (!(error instanceof StaleError) || attempt === mostAttempts)
        return sendRefusal(visit, dataset, { ...sent, texts }, error);
    }
    dataset = await editableDataset(visit);
  }
}

/** The form with the messages of an error. @throws the error, if it is ours, or names another address */
async function sendRefusal(visit: Visit, dataset: Dataset, state: FormState, error: unknown): Promise<void> {
  const { status, body, headers, unexpected } = errorResponse(error);
  if (unexpected || error instanceof MovedError) throw error;
  for (const [name, value] of headers) visit.ctx.set(name, value);
  const errors = error instanceof ValidationError ? error.fields : {};
  const isShown = (name: string) => editedFields.some((field) => field.name === name);
  const messages = Object.entries(body)
    .filter(([name]) => !(name in errors && isShown(name)))
    .flatMap(([, message]) => message as string | readonly string[]);
  const problem = Object.keys(errors).some(isShown) ? 'fieldsToCorrect' : 'notSaved';
  await sendForm(visit, dataset, { ...state, status, problem, errors, messages });
}

/** What the form is sent with. */
interface FormState extends Partial<Pick<EditPageParts, 'problem' | 'messages'>> {
  readonly texts: FormTexts;
  readonly etag: string;
  readonly status?: number;
  readonly errors?: FieldErrors;
  /** Texts on the server of the fields that others have changed. */
  readonly now?: FormTexts;
}

/** @param dataset null if the viewer isn't known: then the page has nothing of it */
async function sendForm(visit: Visit, dataset: Dataset | null, state: FormState): Promise<void> {
  const { ctx, app, catalogue, viewer, links } = visit;
  const { texts, etag, status = 200, errors = {}, now = {}, problem = null, messages = [] } = state;
  const context = makePageContext(ctx, app.publicCatalogue.settings, links.base, viewer.username);
  const fields = editedFields.map((field) => {
    const { name, title, type, schema, required = false } = field;
    return {
      ...{ name, title, choices: schema.enum ?? [], isRequired: required },
      control: type === 'choice' ? ('choice' as const) : hasLines(field) ? ('lines' as const) : ('line' as const),
      text: texts[name] ?? '',
      errors: [errors[name] ?? []].flat(Number.POSITIVE_INFINITY) as string[],
      now: now[name] ?? null,
    };
  });
  const edited = dataset && { dataset, namespace: await labelOfNamespace(visit, dataset) };
  const facets = dataset && (await catalogue.list('dataset', { facets: true, pageSize: 1 })).facets;
  const licences = (facets?.values.licence ?? []).map(({ value }) => value);
  const csrf = ensureCsrfToken(ctx, links.base);
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderEditPage(context, { edited, fields, csrf, etag, licences, problem, messages });
}

async function labelOfNamespace({ catalogue }: Visit, { namespace: slug }: Dataset): Promise<string> {
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug }).catch(() => null);
  return namespace?.label ?? slug;
}

function redirect({ ctx, app }: Visit, path: string): void {
  seeOther({ ctx, app } as Pick<RequestContext, 'ctx' | 'app'>, path);
  ctx.set('Cache-Control', 'private, no-store');
}
