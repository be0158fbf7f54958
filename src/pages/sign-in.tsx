/** The pages to log in and out. */
import type { ComponentChildren, VNode } from 'preact';
import { renderPage } from './layout.tsx';
import type { PageContext } from './page-context.ts';

export interface SignInParts {
  /** CSRF token of the form. */
  readonly csrf: string;
  /** Path to redirect to afterwards. */
  readonly next: string;
  readonly username?: string;
  /** Error of the last attempt. */
  readonly message?: string;
}

/** The form that asks for username and password. */
export function renderSignInPage(context: PageContext, { csrf, next, username = '', message }: SignInParts): string {
  const { locale } = context;
  return renderPage(context, {
    title: locale.text('logIn'),
    isHidden: true,
    json: null,
    children: (
      <>
        <h1>{locale.text('logIn')}</h1>
        {message !== undefined && (
          <p role="alert" class="note bad">
            {message}
          </p>
        )}
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
              aria-invalid={message === undefined ? undefined : 'true'}
            />
          </label>
        </SessionForm>
      </>
    ),
  });
}

/** The form that asks to confirm logging out. */
export function renderSignOutPage(context: PageContext, { csrf, next, username = '' }: SignInParts): string {
  const { locale } = context;
  return renderPage(context, {
    title: locale.text('logOut'),
    isHidden: true,
    json: null,
    children: (
      <>
        <h1>{locale.text('logOut')}</h1>
        <SessionForm csrf={csrf} next={next} button={locale.text('logOut')}>
          <p>{locale.text('loggedInAs', { name: username })}</p>
        </SessionForm>
      </>
    ),
  });
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
