import { describe, expect, it } from '@jest/globals';
import { maskOf, maskOfReported, holdsAny, type Player } from './masking.js';

const player: Player = { user_id: '555123456', server_id: '2001', character_id: 'Hero (Ñok) +1' };
const viewer = { may: () => false };
const support = { may: () => true };
const { user_id: userId, character_id: character = '' } = player;

describe('a player in texts of others', () => {
  it('is shortened wherever and in whatever case it appears', () => {
    const mask = maskOf(player, viewer);
    expect(mask('Player 555123456 on 2001 (hero (ñok) +1): 555123456 is banned')).toBe(
      'Player …456 on …001 (… +1): …456 is banned',
    );
    expect([mask('timed out'), mask(null)]).toEqual(['timed out', null]);
  });

  it.each([
    ['in a URL', `ref=${encodeURIComponent(character ?? '')}`],
    ['in a form', new URLSearchParams({ character: character ?? '' }).toString()],
    ['in a URL, every character', `id=${[...userId].map((each) => `%3${each}`).join('')}`],
    ['in a URL within a URL', encodeURIComponent(encodeURIComponent(character ?? ''))],
    ['in JSON', String.raw`{"name":"Hero (\u00d1ok) +1"}`],
    ['in JSON, every character', [...userId].map((each) => String.raw`\u003` + each).join('')],
    ['in HTML', 'Hero (&#209;ok) &#x2b;1'],
    ['in base64', `token ${Buffer.from(`uid:${userId}`).toString('base64')}`],
    ['in wide characters', '５５５１２３４５６'],
  ])('hides the whole text that writes it in another form: %s', (_how, text) => {
    expect(maskOf(player, viewer)(`banned: ${text}`)).toBe('…');
    expect(holdsAny([userId, character ?? ''])(text)).toBe(true);
  });

  it('stays as it is if it is too short to hide', () => {
    const short = { user_id: '7', server_id: null, character_id: '57' };
    expect(maskOf(short, viewer)('unit 7 of 57')).toBe('unit 7 of 57');
  });

  it('hides the whole text if the player is not known', () => {
    expect(maskOf(null, viewer)('Player 555123456 is banned')).toBe('…');
  });

  it('is shown to operators with the permission', () => {
    expect(maskOf(player, support)('Player 555123456')).toBe('Player 555123456');
    expect(maskOf(null, support)('Player 555123456')).toBe('Player 555123456');
  });

  it.each(['12345678 2001', '12345678(2001)', '12345678|2001', '123456782001', 'id:12345678,zone:2001'])(
    'is shortened in all texts of a supplier that writes it as %s',
    (reported) => {
      const texts = ['SN/12345678/2001', 'sold 12345678 on 2001', 'ml86'];
      const mask = maskOfReported(reported, texts, viewer);
      expect(texts.map(mask)).toEqual(['SN/…678/…001', 'sold …678 on …001', 'ml86']);
      expect(texts.map(maskOfReported(reported, texts, support))).toEqual(texts);
    },
  );
});
