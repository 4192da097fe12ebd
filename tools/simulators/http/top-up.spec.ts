import { describe, expect, it } from '@jest/globals';
import { Refusal } from './http.js';
import { parseTopUp } from './top-up.js';

const body = { reference: 'a.1.1', sku: 'ML-86', user_id: 'player-1' };
const topUp = { reference: 'a.1.1', sku: 'ML-86', userId: 'player-1', serverId: null, characterId: null };

describe('parseTopUp', () => {
  it.each([
    [body, topUp],
    [{ ...body, server_id: null, character_id: null }, topUp],
    [
      { ...body, server_id: '2001', character_id: 'Layla' },
      { ...topUp, serverId: '2001', characterId: 'Layla' },
    ],
    [
      { ...body, user_id: '😀'.repeat(128) },
      { ...topUp, userId: '😀'.repeat(128) },
    ],
    [{ ...body, quantity: 1 }, topUp],
  ])('reads %j', (given, read) => {
    expect(parseTopUp(given)).toEqual(read);
  });

  it.each([
    [null, 'The body is not a JSON object.'],
    [[body], 'The body is not a JSON object.'],
    ['a.1.1', 'The body is not a JSON object.'],
    [{ ...body, reference: undefined }, 'reference is required.'],
    [{ ...body, sku: null }, 'sku is required.'],
    [{ ...body, user_id: 1 }, 'user_id must be a string.'],
    [{ ...body, reference: '' }, 'reference must have 1 to 256 characters.'],
    [{ ...body, sku: 'x'.repeat(257) }, 'sku must have 1 to 256 characters.'],
    [{ ...body, server_id: 2001 }, 'server_id must be a string.'],
    [{ ...body, character_id: '' }, 'character_id must have 1 to 256 characters.'],
  ])('refuses %j: %s', (given, message) => {
    expect(() => parseTopUp(given)).toThrow(new Refusal(400, 'BAD_REQUEST', message));
  });
});
