/** Examples in documents and docstrings: TypeScript that says itself what it prints, and commands with their output. */

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

/** The commands in the console blocks of a Markdown text, each with the output that is expected of it. */
export function commandsIn(text: string): readonly { readonly command: string; readonly expected: string }[] {
  return [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...output] = part.split('\n');
        return { command, expected: output.join('\n') };
      }),
  );
}
