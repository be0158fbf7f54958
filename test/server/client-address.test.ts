/** The address of a client, by which attempts and work are limited. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { it } from 'node:test';
import type { Settings } from '../../src/catalogue/types.ts';
import { clientIpAddress } from '../../src/server/request.ts';
import { throttleKeyOfAddress } from '../../src/server/sign-in.ts';

it('is the same for all connections, whatever port a proxy writes with it', () => {
  const addressIn = (forwarded: string) => {
    const request = { headers: { 'x-forwarded-for': forwarded }, socket: {} } as unknown as IncomingMessage;
    return clientIpAddress(request, { trust_proxy: true } as Settings);
  };
  for (const text of [
    '203.0.113.7',
    '203.0.113.7:51234',
    '::ffff:203.0.113.7',
    '::ffff:cb00:7107',
    '[::ffff:cb00:7107]:9',
  ])
    assert.equal(addressIn(`10.0.0.1, ${text}`), '203.0.113.7', text);
  for (const text of ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:443'])
    assert.equal(addressIn(text), '2001:db8::1', text);
  assert.equal(addressIn('unknown'), 'unknown');
  assert.equal(addressIn('fe80::1%eth0'), 'fe80::1%eth0');
  assert.notEqual(
    throttleKeyOfAddress(addressIn('::ffff:cb00:7107')),
    throttleKeyOfAddress(addressIn('::ffff:cb00:7108')),
  );
});
