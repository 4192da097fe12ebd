import { describe, expect, it } from '@jest/globals';
import { rowsOf, statement } from './parameters.js';

const ADD = statement(
  'notes.add',
  {
    notes: rowsOf({ author: 'int', words: 'text?' }),
    tags: rowsOf({ tag: 'text' }),
    at: 'timestamptz',
    by: 'text?',
  },
  ({ notes, tags, at, by }) =>
    `${notes.as('n')} ${tags.numbered('t', 'line')} ${notes.names} ${at} ${by} ${tags.unnest}`,
);

describe('a statement with named parameters', () => {
  it('numbers them in its text in the order of their list', () => {
    expect(ADD.text).toBe(
      'unnest($1::int[], $2::text[]) AS n(author, words) unnest($3::text[]) WITH ORDINALITY AS t(tag, line) ' +
        'author, words $4::timestamptz $5::text unnest($3::text[])',
    );
  });

  it('takes its values by name, in any order, and turns rows into columns', () => {
    const at = new Date();
    const [statement, values] = ADD.with({
      by: null,
      at,
      tags: [{ tag: 'a' }],
      notes: [
        { words: 'one', author: 1 },
        { words: null, author: 2 },
      ],
    });
    expect(statement).toEqual({ name: 'notes.add', text: ADD.text });
    expect(values).toEqual([[1, 2], ['one', null], ['a'], at, null]);
  });

  it('turns an empty list of rows into empty columns', () => {
    expect(ADD.with({ notes: [], tags: [], at: new Date(0), by: 'me' })[1]).toEqual([[], [], [], new Date(0), 'me']);
  });
});
