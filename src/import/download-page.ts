/** Pages that lead to a file: those of payloads in a static export, where an address can't answer with a file of another name. */
import { Parser } from 'htmlparser2';
import { beginsLikeHtml } from '../catalogue/media-types.ts';
import { type OpenDocument, readDocumentHead, readDocumentText } from './documents.ts';

/** The address that a page offers to download (`<a href="…" download>`); null if it offers none, or the document is not a page. */
export async function findDownload(document: OpenDocument): Promise<string | null> {
  if (!beginsLikeHtml((await readDocumentHead(document, 1024)).trimStart())) return null;
  let found: string | null = null;
  const parser = new Parser({
    onopentag(name, { href = '', download }) {
      if (name === 'a' && download !== undefined && URL.canParse(href, document.address))
        found ??= new URL(href, document.address).href;
    },
  });
  parser.end(await readDocumentText(document));
  return found;
}
