import { describe, expect, it } from '@jest/globals';
import { playerTemplateProblem } from './player-template.js';

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
