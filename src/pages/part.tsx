/** A part of a page: its name and note in the margin, its content beside them. */
import type { ComponentChildren, VNode } from 'preact';

export function Part(props: {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly children: ComponentChildren;
}): VNode {
  const { id, title, note, children } = props;
  return (
    <section class="part" id={id} aria-labelledby={`h-${id}`}>
      <header>
        <h2 id={`h-${id}`}>{title}</h2>
        {note && <p>{note}</p>}
      </header>
      <div>{children}</div>
    </section>
  );
}
