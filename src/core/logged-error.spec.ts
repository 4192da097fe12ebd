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

describe('what the log has of an error', () => {
  it.each([
    ['of the database', refused],
    ['of TypeORM', new QueryFailedError('SELECT $1', ['secret'], refused)],
  ])('%s is what is wrong, and no value', (_whose, error) => {
    const logged = loggedError(error);
    expect(logged).toMatchObject({ message: 'broken', code: '23514', constraint: 'ck_rows', table: 'rows' });
    expect(JSON.stringify(logged)).not.toMatch(/secret|SELECT/);
  });

  it('with several errors in it is each of them so', () => {
    const logged = loggedError(new AggregateError([refused], 'all of them'));
    expect(logged).toMatchObject({ type: 'AggregateError', aggregateErrors: [{ code: '23514' }] });
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('with a cause names it', () => {
    const logged = loggedError(new Error('outer', { cause: refused }));
    expect(logged).toMatchObject({
      message: 'outer: broken',
      stack: expect.stringContaining('caused by: Error: broken'),
    });
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('is what was thrown, where that was no error', () => {
    expect(loggedError('a text')).toBe('a text');
  });
});
