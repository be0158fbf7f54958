/** The pages to log in and out. */
import type { ComponentChildren, VNode } from 'preact';
import { renderPage } from './layout.tsx';
import type { PageContext } from './page-context.ts';

/** Why the last attempt failed: a text, and the seconds to wait in it. */
export interface SignInProblem {
  readonly key: 'wrongPair' | 'tooManyAttempts' | 'formOutOfDate';
  readonly count?: number;
}

export interface SignInParts {
  /** CSRF token of the form. */
  readonly csrf: string;
  /** Path to redirect to afterwards. */
  readonly next: string;
  readonly username?: string;
  readonly problem?: SignInProblem;
}

/** The form that asks for username and password. */
export function renderSignInPage(context: PageContext, { csrf, next, username = '', problem }: SignInParts): string {
  const { locale } = context;
  return renderPage(context, {
    title: locale.text('logIn'),
    isHidden: true,
    json: null,
    children: (
      <>
        <h1>{locale.text('logIn')}</h1>
        <Problem context={context} problem={problem} />
        <SessionForm csrf={csrf} next={next} button={locale.text('logIn')}>
          <label for="username">
            {locale.text('username')}
            <input
              id="username"
              name="username"
              value={username}
              autocomplete="username"
              autocapitalize="none"
              required
            />
          </label>
          <label for="password">
            {locale.text('password')}
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              aria-invalid={problem ? 'true' : undefined}
            />
          </label>
        </SessionForm>
      </>
    ),
  });
}

/** The form that asks to confirm logging out. */
export function renderSignOutPage(context: PageContext, { csrf, next, username = '', problem }: SignInParts): string {
  const { locale } = context;
  return renderPage(context, {
    title: locale.text('logOut'),
    isHidden: true,
    json: null,
    children: (
      <>
        <h1>{locale.text('logOut')}</h1>
        <Problem context={context} problem={problem} />
        <SessionForm csrf={csrf} next={next} button={locale.text('logOut')}>
          <p>{locale.text('loggedInAs', { name: username })}</p>
        </SessionForm>
      </>
    ),
  });
}

interface ProblemProps {
  readonly context: PageContext;
  readonly problem: SignInProblem | undefined;
}

function Problem({ context, problem }: ProblemProps): VNode | null {
  if (!problem) return null;
  return (
    <p role="alert" class="note bad">
      {context.locale.text(problem.key, { count: problem.count ?? 0 })}
    </p>
  );
}

interface SessionFormProps {
  readonly csrf: string;
  readonly next: string;
  readonly button: string;
  readonly children: ComponentChildren;
}

/** A form that is sent to its own page. */
function SessionForm({ csrf, next, button, children }: SessionFormProps): VNode {
  return (
    <form method="post" class="form">
      <input type="hidden" name="csrfmiddlewaretoken" value={csrf} />
      <input type="hidden" name="next" value={next} />
      {children}
      <div>
        <button class="btn main" type="submit">
          {button}
        </button>
      </div>
    </form>
  );
}
