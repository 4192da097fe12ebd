import { describe, expect, it } from '@jest/globals';
import { IsLowercase, IsString, Length } from 'class-validator';
import { AppError } from '../errors.js';
import { Integer, ListOf, Text } from './member.decorators.js';
import { readMembers } from './read-members.js';

class Part {
  @Text(1, 4) name!: string;
  @Integer(1, 9, { optional: true, nullable: true }) size?: number | null;
}

class Whole {
  @Text(1, 4) name!: string;
  @ListOf(Part, 1, 3) parts!: Part[];
}

class Nothing {}

class Foreign {
  @IsString() title!: string;
}

function problems(body: unknown, shape: new () => object = Whole): string[] {
  try {
    readMembers(shape, body);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.details ?? [{ field: '', code: error.code, message: '' }]).map(
      ({ field, code }) => `${field} ${code}`,
    );
  }
}

const part = { name: 'a' };

/** A list or an object that counts the reads of its elements or numbered members. */
function counted<Value extends object>(target: Value, looks: { count: number }): Value {
  return new Proxy(target, {
    get: (from, name, receiver) => {
      if (typeof name === 'string' && /^[md]?\d+$/.test(name)) looks.count++;
      return Reflect.get(from, name, receiver) as unknown;
    },
  });
}

const manyMembers = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, index]));

describe('validation of a body', () => {
  it('accepts a valid body, with optional members absent or null', () => {
    expect(readMembers(Whole, { name: 'n', parts: [part, { name: 'b', size: null }, { name: 'c', size: 9 }] })).toEqual(
      {
        name: 'n',
        parts: [part, { name: 'b', size: null }, { name: 'c', size: 9 }],
      },
    );
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
    ['called __proto__', JSON.parse('{"name":"n","parts":[{"name":"a"}],"__proto__":{}}'), '__proto__ UNKNOWN_MEMBER'],
    ['called constructor', { name: 'n', parts: [{ ...part, constructor: 1 }] }, 'parts[0].constructor UNKNOWN_MEMBER'],
  ])('refuses an unknown member %s', (_where, body, problem) => {
    expect(problems(body)).toEqual([problem]);
  });

  it('names list elements that are no objects, beside the problems of the others', () => {
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

  it('refuses every member of a class without members', () => {
    expect(readMembers(Nothing, {})).toBeInstanceOf(Nothing);
    expect(problems({ a: 1, b: 2 }, Nothing)).toEqual(['a UNKNOWN_MEMBER', 'b UNKNOWN_MEMBER']);
  });

  describe('with class-validator’s own rules', () => {
    class Mixed {
      @IsString() @Length(2, 4) title!: string;
      @IsLowercase() @Text(1, 4) name!: string;
      @ListOf(Foreign, 0, 2) parts!: Foreign[];
    }

    it('accepts a body that follows all of them', () => {
      const body = { title: 'abc', name: 'a', parts: [{ title: 'b' }] };
      expect(readMembers(Mixed, body)).toBeInstanceOf(Mixed);
      expect(readMembers(Mixed, body)).toEqual(body);
    });

    it('names members that break a class-validator rule, and members that break one of our rules', () => {
      expect(problems({ title: 7, name: 'A', parts: [{ title: 1 }, {}], extra: 1 }, Mixed)).toEqual([
        'extra UNKNOWN_MEMBER',
        'parts[0].title INVALID_VALUE',
        'parts[1].title INVALID_VALUE',
        'title INVALID_VALUE',
        'name INVALID_VALUE',
      ]);
      expect(problems({ title: 'ab', name: 'ABCDE', parts: [] }, Mixed)).toEqual(['name INVALID_VALUE']);
      expect(problems({ title: 'ab', name: 7, parts: [] }, Mixed)).toEqual(['name INVALID_TYPE']);
    });

    it('has the messages of these rules', () => {
      const refuse = (): unknown => readMembers(Foreign, { title: 7 });
      expect(refuse).toThrow(new AppError('BAD_REQUEST', 'title must be a string'));
    });
  });

  describe('of very many members or elements', () => {
    const MANY = 50_000;
    /** More reads than any of these refusals needs, and far fewer than there are members. */
    const FEW = 2_000;

    it('reads no element of a list that is too long', () => {
      const looks = { count: 0 };
      const parts = counted(
        Array.from({ length: MANY }, () => ({})),
        looks,
      );
      expect(problems({ name: 'n', parts })).toEqual(['parts OUT_OF_RANGE']);
      expect(looks.count).toBe(0);
    });

    it('names a limited number of unknown members, and reads few values', () => {
      const looks = { count: 0 };
      const body = counted({ ...manyMembers(MANY), name: '', parts: [part] }, looks);
      const found = problems(body);
      expect(found).toHaveLength(100);
      expect(found.slice(0, 2)).toEqual(['m0 UNKNOWN_MEMBER', 'm1 UNKNOWN_MEMBER']);
      expect(looks.count).toBeLessThan(FEW);
    });

    it('also names known members after many unknown ones', () => {
      const parts = [{ ...manyMembers(60), size: 0, name: 'x' }];
      const found = problems({ ...manyMembers(30), parts, name: 7 });
      expect(found.slice(30)).toEqual([
        'name INVALID_TYPE',
        ...Array.from({ length: 60 }, (_, index) => `parts[0].m${index} UNKNOWN_MEMBER`),
        'parts[0].size OUT_OF_RANGE',
      ]);
    });

    it('names a limited number of problems of the elements of a list, and reads few values', () => {
      const looks = { count: 0 };
      const parts = [1, 2, 3].map(() => counted({ ...manyMembers(MANY), name: '' }, looks));
      expect(problems({ name: 'n', parts })).toHaveLength(100);
      expect(looks.count).toBeLessThan(FEW);
    });

    it.each([
      ['an object', () => manyMembers(MANY)],
      ['an array', () => Array.from({ length: MANY }, () => 0)],
      ['arrays of arrays', () => Array.from({ length: 200 }, () => Array.from({ length: 250 }, () => 0))],
    ])('does not read %s in the place of a text or a number', (_what, make) => {
      const looks = { count: 0 };
      const value = (): object => counted(make(), looks);
      expect(problems({ name: value(), parts: [{ name: 'a', size: value() }] })).toEqual([
        'name INVALID_TYPE',
        'parts[0].size INVALID_TYPE',
      ]);
      expect(problems({ name: 'n', parts: value(), extra: value() })).toContain('extra UNKNOWN_MEMBER');
      expect(looks.count).toBeLessThan(FEW);
    });

    it('shortens a very long name of a member', () => {
      try {
        readMembers(Whole, { name: 'n', parts: [part], [`x${'y'.repeat(MANY)}`]: 1 });
      } catch (error) {
        expect((error as AppError).details).toEqual([
          { field: expect.stringMatching(/^xy{98}…$/), code: 'UNKNOWN_MEMBER', message: expect.any(String) },
        ]);
        expect((error as AppError).message.length).toBeLessThan(200);
      }
      expect.assertions(2);
    });
  });
});
