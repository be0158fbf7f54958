/** Boxes with wide content. */
import type { ComponentChildren, VNode } from 'preact';

interface ScrollBoxProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A box that scrolls by itself. It takes the focus, so that it can be scrolled by keyboard (WCAG 2.2, success criterion 2.1.1). */
export const ScrollBox = ({ label, children }: ScrollBoxProps): VNode => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
);
