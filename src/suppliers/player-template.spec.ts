import { describe, expect, it } from '@jest/globals';
import { playerTemplateProblem, writePlayer } from './player-template.js';

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

  it('is used unchanged, with any characters', () => {
    expect(writePlayer('{user}{server}', { ...PLAYER, userId: '$&{server}', serverId: "$'" })).toBe("$&{server}$'");
  });
});

describe('a player template', () => {
  it.each([
    '{user}',
    '{user}{server}',
    '{user}({server})',
    '{user}|{server}|{character}',
    '{"User ID":"{user}","Server":"{server}"}',
    '{"User ID":"{user}","Game":"mlbb"}',
  ])('may be %s', (template) => {
    expect(playerTemplateProblem(template)).toBeNull();
  });

  it.each([
    ['{user}{zone}', 'must have no placeholders but {user}, {server}, {character}'],
    ['{user', 'must have no placeholders but {user}, {server}, {character}'],
    ['{{user}}', 'must have no placeholders but {user}, {server}, {character}'],
    ['{User}', 'must have no placeholders but {user}, {server}, {character}'],
    ['{"User ID":"{zone}"}', 'must have no placeholders but {user}, {server}, {character}'],
    ['{"User ID":1}', 'must have no placeholders but {user}, {server}, {character}'],
    ['{server}', 'must contain {user}'],
    ['{}', 'must contain {user}'],
    ['', 'must have 1 to 500 characters'],
    ['{user}\n', 'must not contain control characters'],
  ])('may not be %j', (template, problem) => {
    expect(playerTemplateProblem(template)).toBe(problem);
  });
});
