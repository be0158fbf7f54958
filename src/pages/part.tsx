/** A part of a page: its name and note in the margin, its content beside them. */
import type { ComponentChildren, VNode } from 'preact';

export function Part(props: {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly children?: ComponentChildren;
  /** Content that is rendered by itself, as HTML. */
  readonly html?: (() => string) | undefined;
}): VNode {
  const { id, title, note, children, html } = props;
  return (
    <section class="part" id={id} aria-labelledby={`h-${id}`}>
      <header>
        <h2 id={`h-${id}`}>{title}</h2>
        {note && <p>{note}</p>}
      </header>
      {html === undefined ? <div>{children}</div> : <div dangerouslySetInnerHTML={{ __html: html() }} />}
    </section>
  );
}
