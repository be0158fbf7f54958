/** Keeps out of logs what would let whoever reads them in: passwords, tokens and the like. */

const hidden = '[redacted]';
const secretName = /passw|token|secret|session|csrf|api_?key|signature|credential|authoriz|cookie/i;
const inText =
  /((?:passw\w*|\w*token|\w*secret|\w*session\w*|csrf\w*|api_?key|signature|credentials?|authorization|(?:set-)?cookie)["']?\s*[=:]\s*["']?)(?:(?:token|bearer|jwt|basic)\s+)?[^\s&"',;}]+/gi;
const schemes = /\b(token|bearer|jwt|basic)\s+[\w.~+/=-]{12,}/gi;

/** A text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  return text.replace(inText, `$1${hidden}`).replace(schemes, `$1 ${hidden}`);
}

/** The path and question of a request, without the values of parameters that are called like secrets. */
export function loggedUrl(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const parts = url.slice(start + 1).split('&');
  return (
    url.slice(0, start + 1) + parts.map((part) => (isSecret(part) ? `${part.split('=')[0]}=${hidden}` : part)).join('&')
  );
}

function isSecret(part: string): boolean {
  const name = part.split('=')[0] ?? '';
  try {
    return secretName.test(decodeURIComponent(name));
  } catch {
    // What can't be read can't be judged.
    return true;
  }
}
