/** Rules for new passwords, with Django's messages. */
import { ValidationError } from './errors.ts';
import { normalizeText } from './normalize.ts';

/** In characters (NIST SP 800-63B, section 5.1.1.2). */
const minPasswordLength = 8;
/** In UTF-16 code units: hashing very long passwords would cost time for nothing. */
const maxPasswordLength = 1024;

/**
 * Words of the commonest passwords. Digits and punctuation around them, capitals, and digits and signs in the place of
 * letters (`P@ssw0rd123`) make no other password of them. Compiled for this project, under its licence.
 */
const commonWords = new Set(
  `password passwords passwort passwoerter passphrase kennwort geheim secret secrets default changeme changeit letmein
  admin administrator root user username test tester testing guest login logon access master superuser sysadmin
  welcome willkommen bienvenue hello hallo bonjour hola qwerty qwertz azerty qwertyui qwertyuiop qwertzui qwertzuiop
  azertyuiop asdf asdfgh asdfghj asdfghjk asdfghjkl asdasd qweasd qweasdzxc qweqwe zxcv zxcvbn zxcvbnm yxcvbnm
  qaywsx qazwsx qazwsxedc qaz wsx qwe asd zxc abc abcd abcde abcdef abcdefg abcdefgh aa aaa iloveyou loveyou ilove love
  lovely iloveu iloveme princess prinzessin sunshine sonnenschein rainbow flower blume chocolate butterfly angel
  schatz liebe monkey dragon tiger eagle lion mustang ferrari porsche mercedes yamaha corvette harley
  football fussball futbol baseball basketball hockey soccer liverpool chelsea arsenal barcelona realmadrid juventus
  bayern dortmund superman batman spiderman pokemon pikachu starwars startrek matrix naruto minecraft fortnite
  computer internet network samsung google facebook youtube microsoft windows apple iphone linux ubuntu server system
  database oracle postgres mysql whatever nothing freedom forever friends family mother father jesus jesuschrist christ
  heaven summer winter spring autumn sommer herbst fruehling january february march april june july august september
  october november december monday friday sunday montag freitag sonntag michael michelle jordan jennifer jessica ashley
  charlie daniel andrew thomas joshua matthew nicole amanda robert anthony william alexander andreas stefan sabine
  hunter killer shadow ninja maverick phoenix trustno trustnoone nopassword mypassword newpassword thisisapassword
  correcthorsebatterystaple catalogue catalog dataset opendata`.split(/\s+/),
);

/** Letters for which digits and signs stand. */
const letterFor: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

/** Rows of keys, of which parts are common passwords. */
const sequences = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn',
  '1qay2wsx3edc4rfv5tgb6zhn',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1b2c3d4e5f6g7h8',
];

/**
 * The password in the form that is hashed: normalized to NFC, so that all keyboards give the same (RFC 8265, section 4.2).
 * @param username of the user who gets it; undefined if it isn't known yet
 * @throws ValidationError if it is too short, too long or too common, or has line breaks or null characters
 */
export function normalizeNewPassword(password: string, username?: string): string {
  const errors = [...passwordErrors(normalizeText(password, 'NFC'), username)];
  if (errors.length > 0) throw new ValidationError({ password: errors });
  return normalizeText(password, 'NFC');
}

function* passwordErrors(password: string, username: string | undefined): Generator<string> {
  if (password === '') return yield 'This field may not be blank.';
  if (password.length > maxPasswordLength)
    return yield `Ensure this field has no more than ${maxPasswordLength} characters.`;
  if (/[\0\r\n]/.test(password)) return yield 'A password has no line breaks or null characters.';
  if (Array.from(password).length < minPasswordLength)
    yield `This password is too short. It must contain at least ${minPasswordLength} characters.`;
  if (isCommon(password)) yield 'This password is too common.';
  if (/^\d+$/.test(password)) yield 'This password is entirely numeric.';
  if (username && core(password) === core(username)) yield 'The password is too similar to the username.';
}

function isCommon(password: string): boolean {
  const lower = password.toLowerCase();
  if (new Set(lower).size <= 2) return true;
  const reversed = [...lower].reverse().join('');
  if (sequences.some((keys) => keys.includes(lower) || keys.includes(reversed))) return true;
  const half = lower.slice(0, lower.length / 2);
  const words = [lower, ...(half + half === lower ? [half] : [])];
  return words.some((word) => [core(word), core(withLetters(word)), withLetters(core(word))].some(isCommonWord));
}

const isCommonWord = (word: string) => commonWords.has(word);

/** The text in lower case, without digits and punctuation around it. */
const core = (text: string) => text.toLowerCase().replace(/^[\d\p{P}\p{S}\s]+|[\d\p{P}\p{S}\s]+$/gu, '');

const withLetters = (text: string) => Array.from(text, (char) => letterFor[char] ?? char).join('');
