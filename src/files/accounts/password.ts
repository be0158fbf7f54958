/** Password hashes: scrypt (RFC 7914), with a random salt; the parameters are stored with each hash. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { UnavailableError } from '../../catalogue/errors.ts';

/** The setting of OWASP's "Password Storage Cheat Sheet" that needs the least memory (16 MB). */
const cost = { ln: 14, r: 8, p: 5 };

/** Maximum parameters of a stored hash: with greater ones, the hashing could use up all memory. */
const maxCost = { ln: 17, r: 16, p: 16 };

const storedFormat = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{8,})\$([A-Za-z0-9+/]{40,})$/;

/** Hashes a password: `$scrypt$ln=…,r=…,p=…$<salt>$<hash>`, in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await deriveKey(password, salt, 32, cost);
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${base64Unpadded(salt)}$${base64Unpadded(hash)}`;
}

/**
 * True if a password matches a stored hash.
 * @param stored null if the user has none: the hashing takes the same time then, so that the time reveals nothing
 * @throws UnavailableError if too many wait for their hashes
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = storedFormat.exec(stored ?? '') ?? [];
  const parameters = { ln: Number(ln), r: Number(r), p: Number(p) };
  const isUsable = hash !== '' && parameters.ln <= maxCost.ln && parameters.r <= maxCost.r && parameters.p <= maxCost.p;
  if (!isUsable) {
    await deriveKeyToVerify(password, Buffer.alloc(16), 32, cost);
    return false;
  }
  const expected = Buffer.from(hash, 'base64');
  const found = await deriveKeyToVerify(password, Buffer.from(salt, 'base64'), expected.length, parameters);
  return timingSafeEqual(found, expected);
}

/** True if a text has the format of `hashPassword`. */
export const isPasswordHash = (text: string): boolean => storedFormat.test(text);

/** Hashing runs one at a time: it uses the threads that read files, and many guesses must not occupy them all. */
let lastDerivation: Promise<unknown> = Promise.resolve();
/** Verifications under way or waiting, and how many there may be: some fifteen seconds of work. */
let verifications = 0;
const mostVerifications = 100;

/** Hashes a password that anybody may have sent: a new one, of somebody who is signed in, waits however many there are. */
async function deriveKeyToVerify(...derivation: Parameters<typeof deriveKey>): Promise<Buffer> {
  if (verifications >= mostVerifications)
    throw new UnavailableError('Many passwords are being verified. Try again in a moment.');
  verifications++;
  try {
    return await deriveKey(...derivation);
  } finally {
    verifications--;
  }
}

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
