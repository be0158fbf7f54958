/**
 * XML, element by element, by htmlparser2: it knows the five entities of XML and no others, so that no text can grow by
 * entities. A file that breaks off is refused here.
 */
import { Parser } from 'htmlparser2';
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { maxDepth, maxItemBytes } from '../../limits.ts';

/** Most characters of the texts of one element. */
const maxText = 16 * 1024 * 1024;

export interface XmlHandler {
  /** @param name without its prefix; @param attributes by their names, without prefixes */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** @param text of the element itself, without that of its children */
  close(name: string, text: string): void;
}

/** @param bytes those of a feature so far; @throws PayloadError for more than `maxItemBytes` */
export function assertItemFits(bytes: number): void {
  if (bytes > maxItemBytes) throw new PayloadError(`a feature of more than ${maxItemBytes} bytes`);
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1);

/** Reads XML in UTF-8, UTF-16, or the encoding that it declares. */
export class XmlStream {
  readonly #parser: Parser;
  #decoder: TextDecoder | undefined;
  #texts: string[] = [];
  #line = 1;
  #isEmpty = true;

  constructor(handler: XmlHandler) {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => {
          this.#isEmpty = false;
          if (this.#texts.length >= maxDepth) this.#fail(`elements are nested more than ${maxDepth} times`);
          this.#texts.push('');
          const plain: Record<string, string> = {};
          for (const key in attributes) plain[withoutPrefix(key)] = attributes[key] as string;
          handler.open(withoutPrefix(name), plain);
        },
        ontext: (text) => {
          const last = this.#texts.length - 1;
          if (last < 0) return;
          this.#texts[last] += text;
          if ((this.#texts[last] as string).length > maxText) this.#fail('an element has a text of more than 16 MB');
        },
        onclosetag: (name) => {
          handler.close(withoutPrefix(name), this.#texts.pop() ?? '');
        },
        onprocessinginstruction: (name, data) => {
          if (name.toLowerCase() === '!doctype' && data.includes('['))
            this.#fail('it declares entities of its own (<!DOCTYPE … [), which are not read');
        },
      },
      { xmlMode: true, decodeEntities: true },
    );
  }

  /** @throws PayloadError if it is no XML that can be read */
  push(chunk: Buffer): void {
    this.#decoder ??= decoderFor(chunk);
    let text: string;
    try {
      text = this.#decoder.decode(chunk, { stream: true });
    } catch {
      this.#fail(`the text is not valid ${this.#decoder.encoding}`);
    }
    this.#parser.write(text);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#line++;
  }

  /** Called after the last chunk. @throws PayloadError if elements are not closed, or there are none */
  end(): void {
    if (this.#isEmpty) this.#fail('it has no elements');
    if (this.#texts.length > 0) this.#fail('it breaks off: elements are not closed');
    this.#parser.end();
  }

  #fail(reason: string): never {
    throw new PayloadError(`the XML is broken: ${reason}`, { line: this.#line });
  }
}

/** The decoder for a text that begins so: by its byte order mark, or the encoding in its XML declaration. */
function decoderFor(head: Buffer): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le', { fatal: true });
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be', { fatal: true });
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(head.toString('latin1', 0, 200))?.[1];
  try {
    return new TextDecoder(declared && !/^utf-?16/i.test(declared) ? declared : 'utf-8', { fatal: true });
  } catch {
    throw new PayloadError(`there is no encoding "${excerpt(declared)}"`, { line: 1 });
  }
}
