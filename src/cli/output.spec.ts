import { describe, expect, it } from '@jest/globals';
import { listTable } from './output.js';

describe('a table of rows', () => {
  it('has a column for each member of any row, such as for the reason of a pause that the first row lacks', () => {
    const rows = [{ code: 'acme' }, { code: 'bolt', pause_reason: 'deposit' }];
    expect(listTable(rows)).toMatch(/code +│ pause_reason[^]+bolt +│ deposit/);
  });

  it('is empty without rows', () => {
    expect(listTable([])).toBe('');
  });
});
