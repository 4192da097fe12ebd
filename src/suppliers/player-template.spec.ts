import { describe, expect, it } from '@jest/globals';
import { writePlayer } from './player-template.js';

const PLAYER = { userId: '1234', serverId: '56', characterId: null };

describe('a player written by a template', () => {
  it.each([
    ['{user}{server}', '123456'],
    ['{user}|{server}', '1234|56'],
    ['{user} ({server})', '1234 (56)'],
    ['{user}{character}', '1234'],
    ['{nick}{user}', '{nick}1234'],
  ])('%s', (template, written) => {
    expect(writePlayer(template, PLAYER)).toBe(written);
  });

  it('is taken as it is, whatever it holds', () => {
    expect(writePlayer('{user}{server}', { ...PLAYER, userId: '$&{server}', serverId: "$'" })).toBe(
      "$&{server}$'",
    );
  });
});
