/** Questions to the person at the terminal: asked on stderr, answered on stdin. An end of the input is an empty answer. */
import type { Readable, Writable } from 'node:stream';
import type { Context } from './context.ts';

/** The prompts of a terminal. */
export function promptsOn(stdin: Readable, stderr: Writable): Pick<Context, 'confirm' | 'ask' | 'secret'> {
  async function ask(question: string, output: Writable, isHidden = false): Promise<string> {
    const { createInterface } = await import('node:readline');
    const prompt = createInterface({ input: stdin, output, ...(isHidden && { terminal: true, historySize: 0 }) });
    try {
      return await new Promise<string>((resolve) => {
        prompt.on('close', () => resolve(''));
        prompt.question(question, resolve);
      });
    } finally {
      prompt.close();
    }
  }

  return {
    confirm: async (question) => /^\s*y(es)?\s*$/i.test(await ask(`${question} [y/N] `, stderr)),
    ask: (question) => ask(`${question} `, stderr),
    async secret(question) {
      const { Writable } = await import('node:stream');
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      stderr.write(`${question} `);
      try {
        return await ask('', nowhere, true);
      } finally {
        stderr.write('\n');
      }
    },
  };
}
