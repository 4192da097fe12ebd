import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { loggedError } from './logged-error.js';

const refused = Object.assign(new Error('broken'), {
  code: '23514',
  constraint: 'ck_rows',
  table: 'rows',
  severity: 'ERROR',
  detail: 'Failing row contains (secret).',
  where: 'secret',
  internalQuery: 'secret',
});

describe('an error in the log', () => {
  it.each([
    ['of the database', refused],
    ['of TypeORM', new QueryFailedError('SELECT $1', ['secret'], refused)],
  ])('of %s has its message, and no value', (_whose, error) => {
    const logged = loggedError(error);
    expect(logged).toMatchObject({ message: 'broken', code: '23514', constraint: 'ck_rows', table: 'rows' });
    expect(JSON.stringify(logged)).not.toMatch(/secret|SELECT/);
  });

  it('has each of several errors in the same way', () => {
    const logged = loggedError(new AggregateError([refused], 'all of them'));
    expect(logged).toMatchObject({ type: 'AggregateError', aggregateErrors: [{ code: '23514' }] });
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('has its cause', () => {
    const logged = loggedError(new Error('outer', { cause: refused }));
    expect(logged).toMatchObject({
      message: 'outer: broken',
      stack: expect.stringContaining('caused by: Error: broken'),
    });
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('has a thrown value that is no error', () => {
    expect(loggedError('a text')).toBe('a text');
  });
});
