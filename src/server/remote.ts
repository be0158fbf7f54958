/** Where a request comes from. */
import type { IncomingMessage } from 'node:http';
import type { Settings } from '../catalogue/types.ts';

/**
 * The address of the client. Behind a trusted proxy, what it says of that: the last entry, since the client itself may
 * have written those before.
 */
export function remoteAddress({ headers, socket }: IncomingMessage, { trust_proxy }: Settings): string {
  const forwarded = trust_proxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : '';
  return (forwarded || socket.remoteAddress || '').replace(/^::ffff:(?=\d+\.)/i, '');
}
