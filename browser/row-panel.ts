/** The row of a feature that was clicked: its first columns, and a link to all of it. */

export const mapTexts = {
  label: 'Map. Arrow keys move it, plus and minus zoom, Enter shows the row in the middle.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  close: 'Close',
  openRow: 'Open this row',
  rowsInView: 'Rows in this view',
  moreRows: 'and {count} more rows here: zoom in to see each',
  oneMoreRow: 'and one more row here: zoom in to see it',
  tilesFailed: 'Parts of the map could not be loaded.',
  tryAgain: 'Try again',
  failed: 'The map can’t be shown now. The picture stays.',
  rowFailed: 'The row can’t be shown now.',
};
export type MapTexts = typeof mapTexts;

const mostColumns = 8;
const longestValue = 200;

export class RowPanel {
  readonly #element: HTMLElement;
  readonly #rows: string;
  readonly #texts: MapTexts;
  readonly #map: HTMLElement;
  /** The row that was asked for last. */
  #asked = -1;

  /** @param map gets the focus of a panel that is closed @param rows address of the rows, with the filters of the map */
  constructor(stage: HTMLElement, map: HTMLElement, rows: string, texts: MapTexts) {
    this.#map = map;
    this.#rows = rows;
    this.#texts = texts;
    this.#element = Object.assign(document.createElement('div'), { className: 'map-row', hidden: true });
    this.#element.setAttribute('role', 'status');
    stage.append(this.#element);
  }

  hide(): void {
    this.#asked = -1;
    const hadFocus = this.#element.contains(document.activeElement);
    this.#element.hidden = true;
    if (hadFocus) this.#map.focus({ preventScroll: true });
  }

  /** @param offset number of the row among those of the address @param count of rows that the feature stands for */
  async show(offset: number, count: number): Promise<void> {
    this.#asked = offset;
    const address = new URL(this.#rows, document.baseURI);
    address.searchParams.set('_offset', String(offset));
    address.searchParams.set('_limit', '1');
    const link = makeLink({ href: address.href, textContent: this.#texts.openRow });
    address.searchParams.set('_format', 'objects');
    const row = await this.#fetchRow(address);
    if (this.#asked !== offset) return;
    const parts: HTMLElement[] = [this.#closeButton(), row ? listOf(row) : paragraph(this.#texts.rowFailed)];
    if (count > 1) parts.push(paragraph(this.#moreRows(count - 1)));
    this.#element.replaceChildren(...parts, link);
    this.#element.hidden = false;
  }

  #moreRows(count: number): string {
    const { moreRows, oneMoreRow } = this.#texts;
    if (count === 1) return oneMoreRow;
    return moreRows.replace('{count}', count.toLocaleString(document.documentElement.lang || undefined));
  }

  async #fetchRow(address: URL): Promise<Record<string, unknown> | null> {
    try {
      const response = await fetch(address, { headers: { Accept: 'application/json' } });
      const [row = null] = response.ok ? ((await response.json()) as Record<string, unknown>[]) : [];
      return row;
    } catch {
      return null;
    }
  }

  #closeButton(): HTMLElement {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: '×' });
    button.setAttribute('aria-label', this.#texts.close);
    button.addEventListener('click', () => this.hide());
    return button;
  }
}

/** A link of the map. In the page of another site it opens a tab: no page but the embedded one is shown in a frame. */
export function makeLink(properties: Partial<HTMLAnchorElement>): HTMLAnchorElement {
  const link = Object.assign(document.createElement('a'), properties);
  return window.top === window ? link : Object.assign(link, { target: '_blank', rel: 'noopener' });
}

function paragraph(text: string): HTMLElement {
  return Object.assign(document.createElement('p'), { textContent: text });
}

/** The columns of a row as a list of terms; the geometry is on the map already. */
function listOf(row: Record<string, unknown>): HTMLElement {
  const list = document.createElement('dl');
  const columns = Object.entries(row).filter(([name, value]) => name !== 'geometry' && value !== null);
  for (const [name, value] of columns.slice(0, mostColumns)) {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    const term = Object.assign(document.createElement('dt'), { textContent: name, dir: 'auto' });
    const short = text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
    list.append(term, Object.assign(document.createElement('dd'), { textContent: short, dir: 'auto' }));
  }
  return list;
}
