import { describe, expect, it } from '@jest/globals';
import { readPlayerAnswer } from './g2bulk-validator.js';

const read = (status: number, body: unknown): unknown => readPlayerAnswer({ status, body, retryAfter: undefined });

describe('an answer about a player', () => {
  it.each([
    [{ valid: 'valid', name: 'John Doe', openid: '41581795132966184' }, 'John Doe'],
    [{ valid: true, name: 'John\u0007\nDoe' }, 'John Doe'],
    [{ valid: 'valid', name: 'x'.repeat(200) }, 'x'.repeat(128)],
    [{ valid: 'valid', name: `${'x'.repeat(127)}🎮` }, `${'x'.repeat(127)}\ufffd`],
    [{ valid: 'valid', name: '' }, null],
    [{ valid: 'valid', name: { first: 'John' } }, null],
    [{ valid: 'valid' }, null],
  ])('names the player: %j', (body, name) => {
    expect(read(200, body)).toEqual({ verdict: 'valid', name });
  });

  it.each([{ valid: 'invalid', name: 'X' }, { valid: false }])('reports that there is none: %j', (body) => {
    expect(read(200, body)).toEqual({ verdict: 'invalid', name: null });
  });

  it.each([undefined, null, [], 'valid', {}, { valid: 'VALID?' }, { valid: 1 }, { success: false }])(
    'tells nothing: %j',
    (body) => {
      expect(read(200, body)).toEqual({ reason: 'an answer that cannot be read' });
    },
  );

  it.each([201, 302, 400, 401, 404, 500])('is unknown with status %d, with any body', (status) => {
    expect(read(status, { valid: 'invalid' })).toEqual({ reason: `HTTP ${status}` });
  });
});
