/** Examples in documents and docstrings: TypeScript that says itself what it prints. */

export interface Example {
  readonly code: string;
  /** Lines that it prints, each as a comment behind an arrow says: `// → 3 datasets`. */
  readonly expected: readonly string[];
}

/** The code blocks of TypeScript or JavaScript in a Markdown text, or in the docstrings of a source. */
export function examplesIn(text: string): readonly Example[] {
  const plain = text.replace(/^ *\* ?/gm, '');
  return [...plain.matchAll(/^```[jt]s\n(.*?)^```$/gms)].map(([, code = '']) => ({
    code,
    expected: [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) => line),
  }));
}
