import { describe, expect, it } from '@jest/globals';
import { AppError } from '../errors.js';
import { ListOf } from './list-of.js';
import { AbsentOrNull, Integer, Text } from './rule.js';
import { toInstance } from './validation.pipe.js';

class Part {
  @Text(1, 4) name!: string;
  @AbsentOrNull() @Integer(1, 9) size?: number | null;
}

class Whole {
  @Text(1, 4) name!: string;
  @ListOf(() => Part, 1, 3) parts!: Part[];
}

function problems(body: unknown): string[] {
  try {
    toInstance(Whole, body);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.details ?? [{ field: '', code: error.code, message: '' }]).map(
      ({ field, code }) => `${field} ${code}`,
    );
  }
}

const part = { name: 'a' };

describe('validation of a body', () => {
  it('takes what fits, optional members absent or null', () => {
    expect(
      toInstance(Whole, { name: 'n', parts: [part, { name: 'b', size: null }, { name: 'c', size: 9 }] }),
    ).toEqual({
      name: 'n',
      parts: [part, { name: 'b', size: null }, { name: 'c', size: 9 }],
    });
  });

  it('names every problem by its path', () => {
    expect(problems({ parts: [{ name: '', size: '2' }, part, { name: 'x', size: 10 }] })).toEqual([
      'name REQUIRED',
      'parts[0].name INVALID_VALUE',
      'parts[0].size INVALID_TYPE',
      'parts[2].size OUT_OF_RANGE',
    ]);
  });

  it.each([
    ['at the top', { name: 'n', parts: [part], extra: 1 }, 'extra UNKNOWN_MEMBER'],
    ['inside a list', { name: 'n', parts: [{ ...part, extra: 1 }] }, 'parts[0].extra UNKNOWN_MEMBER'],
    [
      'called __proto__',
      JSON.parse('{"name":"n","parts":[{"name":"a"}],"__proto__":{}}'),
      '__proto__ UNKNOWN_MEMBER',
    ],
    [
      'called constructor',
      { name: 'n', parts: [{ ...part, constructor: 1 }] },
      'parts[0].constructor UNKNOWN_MEMBER',
    ],
  ])('refuses an unknown member %s', (_where, body, problem) => {
    expect(problems(body)).toEqual([problem]);
  });

  it('names the elements of a list that are no objects beside the problems of those that are', () => {
    expect(problems({ name: 'n', parts: [{ ...part, size: 0 }, null, { size: 1 }] })).toEqual([
      'parts[0].size OUT_OF_RANGE',
      'parts[1] INVALID_TYPE',
      'parts[2].name REQUIRED',
    ]);
  });

  it.each([[null], [[]], ['text'], [7], [true]])('refuses %j, which is no object', (body) => {
    expect(problems(body)).toEqual([' BAD_REQUEST']);
  });

  it.each([
    [undefined, 'parts REQUIRED'],
    [null, 'parts REQUIRED'],
    [{}, 'parts INVALID_TYPE'],
    [[], 'parts OUT_OF_RANGE'],
    [[part, part, part, part], 'parts OUT_OF_RANGE'],
    [['text'], 'parts[0] INVALID_TYPE'],
    [[part, null], 'parts[1] INVALID_TYPE'],
    [[[part]], 'parts[0] INVALID_TYPE'],
  ])('refuses the list %j', (parts, problem) => {
    expect(problems({ name: 'n', parts })).toEqual([problem]);
  });

  it.each([[1.5], ['2'], [true], [0], [10], [Number.NaN], [{}]])('refuses the integer %j', (size) => {
    expect(problems({ name: 'n', parts: [{ name: 'a', size }] })).toHaveLength(1);
  });
});
