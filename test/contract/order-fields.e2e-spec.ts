import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectRefusedField } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('1.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const post = (members: object): Promise<Answer<OrderBody>> =>
  merchant.client.post<OrderBody>('/v1/orders', {
    reference_id: unique('order'),
    user_id: 'player-1',
    items: [{ sku }],
    ...members,
  });

/** As text, because `JSON.stringify` would escape or drop some of these values. */
const postText = (member: string, json: string): Promise<Answer<OrderBody>> => {
  const members = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
  const rest = Object.fromEntries(Object.entries(members).filter(([name]) => name !== member));
  return merchant.client.post<OrderBody>('/v1/orders', `{"${member}":${json},${JSON.stringify(rest).slice(1)}`);
};

const TEXT_MEMBERS = ['reference_id', 'user_id', 'server_id', 'character_id'] as const;

let suffixes = 0;
/** A unique text of the same kind and length, for the order's reference. */
const fresh = (text: string): string => {
  const suffix = String(++suffixes);
  return [...text].length > suffix.length ? [...text].slice(0, -suffix.length).join('') + suffix : text;
};

const ASTRAL = '😀';

const accepted: [what: string, text: string][] = [
  ['128 characters', 'a'.repeat(128)],
  ['128 characters of two UTF-16 units each', ASTRAL.repeat(128)],
  ['127 and an astral one', 'a'.repeat(127) + ASTRAL],
  ['Thai with combining marks', 'ผู้เล่นหมายเลขหนึ่ง'],
  ['spaces around and within, which stay', '  a  b      '],
  ['quotes, slashes and markup', `"';--/\\<b>&%00$1 \${x} {{y}}   `],
  ['the characters next to the controls', '\u00a0x \u00ad ~ \u2028 \u2029 \ufffd    '],
  ['a zero-width joiner', '👩‍👧      '],
  ['right-to-left text', 'لاعب‏رقم‎واحد     '],
  ['combining characters, not normalized', 'e\u0301 \u00e9      '],
];

const refusedTexts: [what: string, text: string][] = [
  ['nothing', ''],
  ['129 characters', 'a'.repeat(129)],
  ['129 characters of two UTF-16 units each', ASTRAL.repeat(129)],
  ['128 and an astral one', 'a'.repeat(128) + ASTRAL],
  ['200 000 characters', 'a'.repeat(200_000)],
  ['a space', ' '],
  ['white space of other kinds', '\u00a0\u2003\u3000'],
  ['NUL', 'a\u0000b'],
  ['a tab', 'a\tb'],
  ['a line end', 'a\n'],
  ['a carriage return', '\ra'],
  ['ESC', '\u001b[31m'],
  ['the last of C0', '\u001f'],
  ['DEL', 'a\u007f'],
  ['the first of C1', '\u0080a'],
  ['NEL', 'a\u0085b'],
  ['the last of C1', 'a\u009f'],
];

describe.each(TEXT_MEMBERS)('2 Creating an order: %s', (member) => {
  it.each(accepted)('takes %s as it is', async (_what, text) => {
    const value = fresh(text);
    const { status, body } = await post({ [member]: value });
    expect(status).toBe(200);
    expect(body[member]).toBe(value);
    const reference = encodeURIComponent(body.reference_id);
    expect((await merchant.client.get<OrderBody>(`/v1/orders/${reference}`)).body).toMatchObject({
      [member]: value,
    });
  });

  it.each(refusedTexts)('refuses %s', async (_what, text) => {
    expectRefusedField(await post({ [member]: text }), member);
  });

  it.each(['"\\ud800"', '"\\udfff"', '"a\\ud83d"', '"\\ude00\\ud83d"', '"\\ud83d\\ud83d\\ude00"'])(
    'refuses the lone surrogate in %s',
    async (json) => {
      expectRefusedField(await postText(member, json), member);
    },
  );

  it('takes a surrogate pair, escaped or not', async () => {
    const { status, body } = await postText(member, `"\\ud83d\\ude00 ${unique('')}"`);
    expect(status).toBe(200);
    expect(body[member]).toMatch(/^😀 /);
  });

  it.each([0, 1, 1e30, true, false, [], ['a'], {}, { a: 1 }])('refuses %p, which is no string', async (value) => {
    expectRefusedField(await post({ [member]: value }), member);
  });
});

describe('2 Creating an order: one character', () => {
  it.each([...TEXT_MEMBERS])('is enough for %s', async (member) => {
    const other = await stack.merchant('10.00');
    const request = { reference_id: 'r', user_id: 'player-1', items: [{ sku }], [member]: 'x' };
    const { status, body } = await other.client.post<OrderBody>('/v1/orders', request);
    expect(status).toBe(200);
    expect(body[member]).toBe('x');
  });
});

describe('2 Creating an order: absent members', () => {
  it.each(['reference_id', 'user_id', 'items'])('%s must be there, and null is not there', async (member) => {
    expectRefusedField(await post({ [member]: undefined }), member, 'REQUIRED');
    expectRefusedField(await post({ [member]: null }), member, 'REQUIRED');
  });

  it.each(['server_id', 'character_id'])('%s may be absent or null, and is null then', async (member) => {
    expect((await post({ [member]: undefined })).body[member]).toBeNull();
    expect((await post({ [member]: null })).body[member]).toBeNull();
  });
});

describe('2 Creating an order: the reference', () => {
  it.each(['.', '..'])('is not %s, which cannot be in a URL', async (reference_id) => {
    expectRefusedField(await post({ reference_id }), 'reference_id');
  });

  it.each(['...', '.a', '..a', 'a..', '. .'])('may be %p', async (reference_id) => {
    expect((await post({ reference_id })).status).toBe(200);
  });

  it('is case-sensitive, and keeps its spaces', async () => {
    const name = unique('Order');
    const references = [name, name.toLowerCase(), ` ${name}`, `${name} `];
    const answers = await Promise.all(references.map((reference_id) => post({ reference_id })));
    expect(new Set(answers.map(({ body }) => body.order_number)).size).toBe(references.length);
  });

  it('is not normalized: two spellings of one letter are two references', async () => {
    const name = unique('order');
    const answers = await Promise.all(['\u00e9', 'e\u0301'].map((letter) => post({ reference_id: name + letter })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body.order_number).not.toBe(answers[1]?.body.order_number);
  });
});

describe('2 Creating an order: unknown members', () => {
  it.each([
    'server_ID',
    'serverId',
    'quantity',
    'sku',
    'status',
    'total_amount',
    'order_number',
    '',
    ' user_id',
    'toString',
    'hasOwnProperty',
    'constructor',
    'prototype',
    '__proto__',
    '__defineGetter__',
    'length',
    'a.b',
    'items[0]',
  ])('%p beside the order’s own', async (name) => {
    const answer = await postText(name, '"1"');
    expectRefusedField(answer, name);
  });

  it.each(['qty', 'Quantity', 'price', 'unit_price', 'constructor', '__proto__', 'toString', ''])(
    '%p beside an item’s own',
    async (name) => {
      const item = `{"sku":${JSON.stringify(sku)},"${name}":1}`;
      expectRefusedField(await postText('items', `[{"sku":${JSON.stringify(sku)}},${item}]`), `items[1].${name}`);
    },
  );

  it.each(['{"sku":"x"}', 'null', '{}', '[]', '{"quantity":1}'])(
    'a `__proto__` of %s changes nothing',
    async (json) => {
      const answer = await postText('items', `[{"__proto__":${json},"sku":${JSON.stringify(sku)}}]`);
      expectRefusedField(answer, 'items[0].__proto__');
      expect(({} as Record<string, unknown>).sku).toBeUndefined();
    },
  );
});
