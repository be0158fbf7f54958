// Makes the pages more comfortable. All of them work without it.

/** Says to readers of screens what a button has done. */
const said = document.createElement('p');
said.className = 'vh';
said.setAttribute('role', 'status');
document.body.append(said);

/** Gives the elements of a part of the page what the script does for them. */
function prepare(root) {
  // Copies what the button names, or the code beside it.
  for (const button of root.querySelectorAll('[data-copy]')) {
    const before = button.textContent;
    let timer;
    button.title = button.previousElementSibling?.ariaLabel ?? '';
    button.addEventListener('click', async () => {
      said.textContent = '';
      const code = button.parentElement.querySelector('code');
      if (!(await copy(button.dataset.copy || code.textContent, code))) return;
      said.textContent = button.textContent = button.dataset.copied || before;
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.textContent = before;
      }, 1500);
    });
  }

  // The moving map is loaded when it is asked for.
  for (const button of root.querySelectorAll('[data-map-open]')) {
    const load = async () => {
      try {
        await import('./map-start.js');
        button.removeEventListener('click', load);
        button.click();
      } catch {
        const { mapTexts = '{}' } = button.closest('figure').dataset;
        button.textContent = JSON.parse(mapTexts).failed ?? button.textContent;
      }
    };
    button.addEventListener('click', load);
  }

  // The tool that was chosen last is chosen again.
  for (const input of root.querySelectorAll('[data-remember]')) {
    const key = `catalogue-${input.dataset.remember}`;
    if (readStored(key) === input.value) input.checked = true;
    input.addEventListener('change', () => store(key, input.value));
  }

  // Rows of a static export: the script filters them, so only it leads to them.
  for (const link of root.querySelectorAll('a[data-rows]')) link.setAttribute('href', link.dataset.rows);

  // A long list is narrowed as one types; folded parts unfold for it.
  for (const input of root.querySelectorAll('[data-filter]')) {
    const narrow = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const root = input.closest('section');
      for (const folded of root.querySelectorAll('details')) folded.open = words.length > 0;
      for (const item of root.querySelectorAll(input.dataset.filter)) {
        const text = item.textContent.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
    };
    input.addEventListener('input', narrow);
    // Going back, browsers fill in what was typed.
    addEventListener('pageshow', () => input.value && narrow());
  }

  // A rectangle is drawn on a map of where the datasets lie.
  const areas = root.querySelectorAll('[data-area]');
  if (areas.length && document.querySelector('.where'))
    import('./draw-area.js').then(({ drawArea }) => areas.forEach(drawArea));
}

prepare(document);

// A page that has changed or gone meanwhile says so. It is asked for now and then while it is seen, and never loaded by itself.
const changed = document.querySelector('[data-changed]');
if (changed) {
  const ask = async () => {
    if (document.hidden || changed.firstChild) return;
    const request = { method: 'HEAD', headers: { Accept: 'text/html' }, cache: 'no-store' };
    const response = await fetch(location.href, request).catch(() => null);
    // Another question may have been answered meanwhile.
    if (!response || changed.firstChild) return;
    const { status, headers } = response;
    if (status === 404 || status === 410) changed.append(changed.dataset.gone);
    const now = status === 200 && headers.get('ETag');
    if (!now || now.includes(changed.dataset.tag)) return;
    const link = Object.assign(document.createElement('a'), {
      href: location.href,
      textContent: changed.dataset.show,
    });
    link.addEventListener('click', (event) => {
      event.preventDefault();
      location.reload();
    });
    changed.append(`${changed.dataset.changed} `, link);
  };
  // Not while the page is still loading. One that lacks what is still being read is soon another.
  let pause = 'soon' in changed.dataset ? 3000 : 60_000;
  const askAgain = () => {
    ask();
    setTimeout(askAgain, pause);
    pause = Math.min(2 * pause, 60_000);
  };
  setTimeout(askAgain, 3000);
  document.addEventListener('visibilitychange', ask);
}

// In a static export the browser searches, and filters rows: what is there are all datasets or the first rows, not those of the address.
const isStatic = document.body.dataset.search !== undefined;
document.documentElement.classList.add('has-script');
const rows = document.querySelector('script#rows');
const results = location.search && document.querySelector('.three[data-failed]');
const busy = results || (location.search && rows && document.querySelector('#main'));
if (busy) busy.setAttribute('aria-busy', 'true');
if (rows) import('./rows-start.js').then(({ startRows }) => startRows(prepare)).catch(() => busy && sayFailed(rows));
if (results) import('./search.js').then(({ showSearch }) => showSearch(prepare)).catch(() => sayFailed(results));

const search = document.querySelector('[data-suggest]');

// "/" goes to the search, as on most sites with one, if it is seen.
addEventListener('keydown', (event) => {
  if (isComposing(event) || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!search?.offsetParent || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')) return;
  event.preventDefault();
  search.focus();
});

// The list of columns lies over the page: it closes on Escape, and when the focus or a pointer goes to something else.
for (const type of ['keydown', 'focusin', 'pointerdown'])
  addEventListener(type, ({ key, target }) => {
    const picker = document.querySelector('.picker[open]');
    if (!picker || (key !== 'Escape' && picker.contains(target))) return;
    picker.open = false;
    if (key === 'Escape') picker.firstElementChild.focus();
  });

// A cell that is cut shows all of its text to a pointer.
addEventListener('pointerover', ({ target }) => {
  const cell = target.closest?.('td.t');
  if (cell && cell.scrollWidth > cell.clientWidth) cell.title ||= cell.textContent;
});

// The part of the page that is read is marked in the list of parts: the chosen one, or the last that begins in the upper third
// of the window. At its end the page can't be scrolled further: the last parts begin below.
const parts = [...document.querySelectorAll('.toc a')];
if (parts.length) {
  const mark = () => {
    const isAtEnd = scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 2;
    const topOf = ({ hash }) => document.querySelector(hash)?.getBoundingClientRect().top ?? innerHeight;
    const begun = parts.filter((link) => topOf(link) < innerHeight * (isAtEnd ? 1 : 0.3));
    const read = begun.find((link) => link.hash === location.hash && topOf(link) >= 0) ?? begun.at(-1);
    // On phones the list is wider than the window.
    if (read && !read.ariaCurrent) read.closest('ul').scrollLeft = read.offsetLeft - 40;
    for (const link of parts) link.ariaCurrent = link === read ? 'location' : null;
  };
  for (const type of ['scroll', 'resize', 'hashchange']) addEventListener(type, mark);
  mark();
}

// Suggestions while a search is typed: a combobox with a list (ARIA 1.2). Enter without a choice asks the server.
if (search) {
  const list = document.createElement('ul');
  Object.assign(list, { id: 'suggestions', className: 'sugg', role: 'listbox', hidden: true });
  list.setAttribute('aria-label', search.labels?.[0]?.textContent ?? '');
  search.parentElement.append(list);
  search.autocomplete = 'off';
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-controls': 'suggestions',
    'aria-autocomplete': 'list',
  }))
    search.setAttribute(name, value);
  let chosen = -1;
  let asked = 0;

  const show = (isOpen) => {
    list.hidden = !isOpen;
    search.setAttribute('aria-expanded', String(isOpen));
    chosen = -1;
    search.removeAttribute('aria-activedescendant');
  };
  show(false);

  const choose = (index) => {
    const items = [...list.children];
    chosen = (index + items.length) % items.length;
    for (const [i, item] of items.entries()) item.setAttribute('aria-selected', String(i === chosen));
    search.setAttribute('aria-activedescendant', items[chosen].id);
    items[chosen].scrollIntoView({ block: 'nearest' });
  };

  /** Closes the list; an answer that is still to come opens it no more. */
  const close = () => {
    asked++;
    show(false);
  };

  const open = (item) => {
    asked++;
    location.href = item.dataset.href;
  };

  search.addEventListener('input', async () => {
    const text = search.value.trim();
    const turn = ++asked;
    if (text.length < 2) return show(false);
    const address = `${search.dataset.suggest}?search=${encodeURIComponent(text)}`;
    const answer = isStatic
      ? import('./search.js').then(({ suggest }) => suggest(text))
      : fetch(address).then((response) => (response.ok ? response.json() : []));
    const found = await answer.catch(() => []);
    if (turn !== asked) return;
    list.replaceChildren(
      ...found.map(({ label, namespace, url }, i) => {
        const item = document.createElement('li');
        Object.assign(item, { id: `suggestion-${i}`, role: 'option', dir: 'auto' });
        item.setAttribute('aria-selected', 'false');
        item.dataset.href = new URL(url).pathname;
        const place = document.createElement('small');
        place.textContent = namespace;
        item.append(label, ' ', place);
        return item;
      }),
    );
    show(found.length > 0);
  });

  search.addEventListener('keydown', (event) => {
    if (isComposing(event)) return;
    if (list.hidden) {
      if (event.key === 'Escape') asked++;
      return;
    }
    const moves = { ArrowDown: () => choose(chosen + 1), ArrowUp: () => choose(chosen < 0 ? -1 : chosen - 1) };
    if (moves[event.key]) moves[event.key]();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && chosen >= 0) open(list.children[chosen]);
    else return;
    event.preventDefault();
  });
  list.addEventListener('mousedown', (event) => {
    const item = event.target.closest('li');
    if (item && event.button === 0) open(item);
  });
  search.addEventListener('blur', close);
}

/** Says in place of datasets or rows that those of the address could not be loaded. */
function sayFailed({ dataset }) {
  const note = Object.assign(document.createElement('p'), { className: 'note', textContent: dataset.failed });
  note.setAttribute('role', 'alert');
  document.querySelector('.three, .big-grid')?.replaceWith(note);
  busy.removeAttribute('aria-busy');
}

/** True if a key is pressed for an input method, as for Japanese. The last one in Safari is known by its code only. */
function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}

/** A text in the storage of the browser; null if it has none, or refuses to be read. */
function readStored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text for later pages, unless the browser refuses. */
function store(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The choice holds for this page.
  }
}

/** Copies a text; true if that is done. Over plain HTTP pages have no clipboard: the code is selected, and copied as by a key. */
async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (code) getSelection().selectAllChildren(code);
    const give = (event) => {
      event.clipboardData.setData('text/plain', text);
      event.preventDefault();
    };
    document.addEventListener('copy', give);
    const isCopied = document.execCommand('copy');
    document.removeEventListener('copy', give);
    return isCopied;
  }
}
