/** Passwords as they are stored: hashed with scrypt (RFC 7914), each with a salt of its own and the cost it was made at. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** As strong as OWASP's "Password Storage Cheat Sheet" asks, with the least memory (16 MB). */
const cost = { ln: 14, r: 8, p: 5 };

/** Costs that a stored hash may have: a file that says more was not written by us, and would bind all memory. */
const maxCost = { ln: 17, r: 16, p: 16 };

const storedFormat = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,})\$([A-Za-z0-9+/]{40,})$/;

/** Hashes a password: `$scrypt$ln=…,r=…,p=…$<salt>$<hash>`, as the PHC string format has it. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await deriveKey(password, salt, 32, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64Unpadded(salt)}$${base64Unpadded(hash)}`;
}

/**
 * Whether a password is the one that was hashed.
 * @param stored null where there is none: then the work is done all the same, so that the time it takes tells nothing
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = storedFormat.exec(stored ?? '') ?? [];
  const wanted = { ln: Number(ln), r: Number(r), p: Number(p) };
  const known = hash !== '' && wanted.ln <= maxCost.ln && wanted.r <= maxCost.r && wanted.p <= maxCost.p;
  if (!known) {
    await deriveKey(password, Buffer.alloc(16), 32, cost);
    return false;
  }
  const expected = Buffer.from(hash, 'base64');
  const found = await deriveKey(password, Buffer.from(salt, 'base64'), expected.length, wanted);
  return timingSafeEqual(found, expected);
}

/** Whether a text is a hash of ours. */
export const isPasswordHash = (text: string): boolean => storedFormat.test(text);

/** One at a time: the threads that hash are those that read files, and a flood of guesses shouldn't take them all. */
let lastDerivation: Promise<unknown> = Promise.resolve();

function deriveKey(password: string, salt: Buffer, length: number, { ln, r, p }: typeof cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 2 ** ln * r * 128 + 2 ** 20 * 16 };
  const work = lastDerivation.then(
    () =>
      new Promise<Buffer>((resolve, reject) =>
        scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key))),
      ),
  );
  lastDerivation = work.catch(() => {});
  return work;
}

const base64Unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
