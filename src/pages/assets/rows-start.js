// The page of rows in a static export: each link and form within it changes the address, by which the browser filters the rows.

/** @param prepare gives the elements of a part of the page what the script does for them */
export function startRows(prepare) {
  const main = document.querySelector('#main');
  const { failed } = document.querySelector('#rows').dataset;
  const whole = [...main.childNodes];
  const title = document.title;
  const status = Object.assign(document.createElement('p'), { className: 'vh' });
  status.setAttribute('role', 'status');
  main.after(status);
  let shown = '';
  let turn = 0;

  const show = async () => {
    const own = ++turn;
    shown = location.search;
    main.setAttribute('aria-busy', 'true');
    try {
      if (location.search) {
        await import('./rows.js').then(({ showRows }) => showRows());
        // Another address has been asked for meanwhile.
        if (own !== turn) return;
        prepare(main);
      } else {
        main.replaceChildren(...whole);
        document.title = title;
      }
      // Forms have become plain parameters.
      shown = location.search;
      status.textContent = main.querySelector('[aria-live] span, .problem')?.textContent ?? '';
      status.classList.add('vh');
    } catch {
      if (own !== turn) return;
      sayFailed();
    }
    main.removeAttribute('aria-busy');
  };

  const sayFailed = () => {
    status.textContent = failed;
    status.classList.remove('vh');
  };

  /** Goes to another address of the page; the element that asked for it keeps the focus, if it is still there. */
  const go = async (event, element, url) => {
    event.preventDefault();
    history.pushState(null, '', url);
    const { id, title: hint } = element;
    await show();
    const same = id ? document.getElementById(id) : hint && main.querySelector(`[title="${CSS.escape(hint)}"]`);
    if (!same) main.tabIndex = -1;
    (same || main).focus({ preventScroll: true });
    scrollTo(0, 0);
  };

  main.addEventListener('click', (event) => {
    const save = event.target.closest('[data-save]');
    if (save) import('./rows.js').then(({ saveRows }) => saveRows(save.dataset.save)).catch(sayFailed);
    const link = event.target.closest('a[data-rows], .empty a, .pager a');
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const url = new URL(link.getAttribute('href'), location.href);
    if (url.pathname === location.pathname) go(event, link, url);
  });
  main.addEventListener('submit', (event) => {
    const form = event.target;
    const url = new URL(form.getAttribute('action'), location.href);
    if (url.pathname !== location.pathname) return;
    url.search = new URLSearchParams(new FormData(form));
    go(event, form.querySelector('input[id]') ?? form, url);
  });
  addEventListener('popstate', () => {
    if (location.search !== shown) show();
  });
  if (location.search) show();
}
