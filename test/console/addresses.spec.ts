import { describe, expect, it } from '@jest/globals';
import {
  choice,
  choicesOf,
  day,
  localPath,
  several,
  text,
  whole,
  withoutUndefined,
} from '../../console/src/search-params.js';

describe('The parameters of a page’s address', () => {
  it.each([
    ['/orders?status=failed', '/orders?status=failed'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/login?next=/orders', '/'],
    [undefined, '/'],
  ])('lead only to pages of the console after signing in: %s leads to %s', (next, leads) => {
    expect(localPath(next)).toBe(leads);
  });

  it('are ignored if they have unexpected values', () => {
    expect([whole('12'), whole('0'), whole('1e3'), whole(12)]).toEqual(['12', undefined, undefined, undefined]);
    expect([day('2026-11-22'), day('2026-13-01'), day('today')]).toEqual(['2026-11-22', undefined, undefined]);
    expect([text('a'), text(' '), text('x'.repeat(301))]).toEqual(['a', undefined, undefined]);
    expect([choice('failed', ['failed']), choice('lost', ['failed'])]).toEqual(['failed', undefined]);
    expect(choicesOf('failed, lost,pending,failed', ['failed', 'pending'])).toBe('failed,pending');
    expect([choicesOf('lost', ['failed']), several('7,x,12', whole), several(',', text)]).toEqual([
      undefined,
      '7,12',
      undefined,
    ]);
    expect(withoutUndefined({ status: 'failed', sku: undefined })).toEqual({ status: 'failed' });
  });
});
