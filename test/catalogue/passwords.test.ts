/** New passwords: those that are soon guessed are refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ValidationError } from '../../src/catalogue/errors.ts';
import { normalizeNewPassword } from '../../src/catalogue/passwords.ts';

const short = 'This password is too short. It must contain at least 8 characters.';
const common = 'This password is too common.';
const numeric = 'This password is entirely numeric.';
const similar = 'The password is too similar to the username.';

describe('a new password', () => {
  const refused: readonly (readonly [string, ...string[]])[] = [
    ['', 'This field may not be blank.'],
    ['a b c', short],
    ['🦊🦊🦊🦊', short, common],
    ['1234567', short, common, numeric],
    ['12345678', common, numeric],
    ['1234567890', common, numeric],
    ['87654321', common, numeric],
    ['19840512', numeric],
    ['aaaaaaaa', common],
    ['password', common],
    ['Password1', common],
    ['P@ssw0rd', common],
    ['!!passw0rd2026!!', common],
    ['passwort123', common],
    ['password1password1', common],
    ['qwertyuiop', common],
    ['1q2w3e4r', common],
    ['1qaz2wsx', common],
    ['zyxwvuts', common],
    ['iloveyou2', common],
    ['trustno1', common],
    ['changeme', common],
    ['Sommer2026!', common],
    ['margarethe1', similar],
    ['x'.repeat(1025), 'Ensure this field has no more than 1024 characters.'],
    ['two\nlines of it', 'A password has no line breaks or null characters.'],
  ];
  for (const [password, ...messages] of refused)
    it(`may not be ${JSON.stringify(password).slice(0, 40)}`, () => {
      assert.throws(
        () => normalizeNewPassword(password, 'margarethe'),
        (error) => {
          assert.ok(error instanceof ValidationError);
          assert.deepEqual(error.fields, { password: messages });
          return true;
        },
      );
    });

  it('may be anything else', () => {
    for (const password of [
      'wonderland-4821',
      'builder-7305',
      'correct horse',
      'lookingglass',
      'ünïcödé!',
      ' pass word ',
    ])
      assert.equal(normalizeNewPassword(password), password.normalize('NFC'));
  });
});
