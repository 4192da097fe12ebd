import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ProductView } from './product-actions.js';
import { formatBaht } from '../core/money.js';
import { textProblem } from '../core/text.js';
import { readProductLines, readProducts, writeProducts, type ProductLine } from './product-csv.js';

const suppliers = new Set(['acme']);

/** The products of a file. They are new, except those in `skus`. */
const read = (text: string, ...skus: string[]): ProductLine[] =>
  readProducts(Buffer.from(text), {
    suppliers,
    products: new Map(skus.map((sku) => [sku, { supplierCode: 'acme', supplier_sku: sku }])),
  });

/** The problems of a file, one line for each. */
function problems(file: string | Buffer): string[] {
  try {
    readProducts(Buffer.from(file), { suppliers, products: new Map() });
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

const HEADER = 'sku,name,price,supplier\n';

describe('a file of products', () => {
  it('may have its columns in any order, and empty fields for defaults', () => {
    const file = `supplier,active,price,max_quantity,name,requires_server,sku,requires_character,supplier_sku,kind,player_check
acme,0,35.00,5,86 Diamonds,TRUE,MLBB-86,yes,A-86,code,g2bulk:mlbb
acme,,35,,ไดมอนด์,,MLBB-87,,,,
`;
    expect(read(file)).toEqual([
      {
        line: 2,
        definition: {
          sku: 'MLBB-86',
          name: '86 Diamonds',
          price: 3500n,
          supplier: 'acme',
          supplierSku: 'A-86',
          requiresServer: true,
          requiresCharacter: true,
          maxQuantity: 5,
          active: false,
          kind: 'code',
          playerCheck: 'g2bulk:mlbb',
        },
      },
      {
        line: 3,
        definition: {
          sku: 'MLBB-87',
          name: 'ไดมอนด์',
          price: 3500n,
          supplier: 'acme',
          supplierSku: 'MLBB-87',
          requiresServer: false,
          requiresCharacter: false,
          maxQuantity: 100,
          active: true,
          kind: 'topup',
          playerCheck: null,
        },
      },
    ]);
  });

  it('leaves values unset for which it has no column', () => {
    const [line] = read('sku,price\nOLD,5\n', 'OLD');
    expect(line?.definition).toStrictEqual({
      sku: 'OLD',
      name: undefined,
      price: 500n,
      supplier: undefined,
      supplierSku: undefined,
      requiresServer: undefined,
      requiresCharacter: undefined,
      maxQuantity: undefined,
      active: undefined,
      kind: undefined,
      playerCheck: undefined,
    });
    expect(problems('sku,price\nNEW,5\n')).toEqual(['line 2: NEW is a new product: it needs name']);
  });

  it('may come from a spreadsheet: byte order mark, Windows line ends, quotes, empty lines, no last line end', () => {
    const file = '\ufeffsku,name,price,supplier\r\n\r\n"A","say ""hi"", twice",1,acme\r\n \r\nB , b ,2, acme';
    const [first, second] = read(file);
    expect(first).toMatchObject({ line: 3, definition: { sku: 'A', name: 'say "hi", twice', price: 100n } });
    expect(second).toMatchObject({
      line: 5,
      definition: { sku: 'B', name: 'b', price: 200n, supplier: 'acme' },
    });
  });

  it('is refused with every problem, each with the line on which the product starts', () => {
    const file = `${HEADER}A,"two\r\nlines",1,acme\r\n\r\nB,b,1.005,acme\nB,b,-1,nobody\nC,c,1\nD,${'d'.repeat(129)},1,acme\nA,a,1,acme\n,,,\n`;
    expect(problems(file)).toEqual([
      'line 2: name must not contain control characters',
      'line 5: price must be an amount in baht such as 35.00, not "1.005"',
      'line 6: price must be an amount in baht such as 35.00, not "-1"',
      'line 6: supplier must be one that topup supplier list shows, not "nobody"',
      'line 6: sku B is on line 5 already',
      'line 7: has 3 fields, and the header 4',
      'line 8: name must have 1 to 128 characters',
      'line 9: sku A is on line 2 already',
      'line 10: sku is required',
      'line 10: name is required',
      'line 10: price is required',
    ]);
  });

  it('may lack a supplier, unless the product has an offer', () => {
    const file = `${HEADER}NEW,New,1,\n`;
    expect(read(file)[0]?.definition).toMatchObject({ sku: 'NEW', supplier: null });
    expect(read(file)[0]?.definition.supplierSku).toBeUndefined();
    expect(() => read(file, 'NEW')).toThrow('line 2: NEW has an offer of acme: remove that offer instead');
    expect(problems('sku,name,price,supplier,supplier_sku\nA,a,1,,X\nB,b,1,,\n')).toEqual([
      'line 2: A has no supplier for its supplier_sku',
    ]);
  });

  it.each([
    ['max_quantity', '0', 'a whole number, 1 to 100'],
    ['max_quantity', '101', 'a whole number, 1 to 100'],
    ['max_quantity', '1.5', 'a whole number, 1 to 100'],
    ['kind', 'Code', 'topup or code'],
    ['player_check', 'acme:mlbb', 'a validator and its code of the game, such as g2bulk:mlbb (validators: g2bulk)'],
    ['player_check', 'g2bulk', 'a validator and its code of the game, such as g2bulk:mlbb (validators: g2bulk)'],
    ['active', 'maybe', 'true, false, yes, no, 1 or 0'],
    ['active', 'constructor', 'true, false, yes, no, 1 or 0'],
    ['active', '__proto__', 'true, false, yes, no, 1 or 0'],
    ['requires_server', 'y', 'true, false, yes, no, 1 or 0'],
  ])('refuses the %s %s', (column, value, words) => {
    const file = `sku,name,price,supplier,${column}\nA,a,1,acme,${value}\n`;
    expect(problems(file)).toEqual([`line 2: ${column} must be ${words}, not "${value}"`]);
  });

  it('is refused with the problems of its header', () => {
    expect(problems('sku,name,price,price,colour\nA,a,1,acme,red\n')).toEqual([
      'line 1: there is no column "colour": choose from sku, name, price, supplier, supplier_sku, requires_server, ' +
        'requires_character, max_quantity, active, kind, player_check',
      'line 1: column price is there more than once',
    ]);
    expect(problems('name,price\nA,1\n')).toEqual(['line 1: column sku is missing']);
    expect(problems('sku;name;price;supplier\n')).toEqual(['line 1: the columns must be separated by commas']);
    expect(problems('')).toEqual([expect.stringMatching(/^the file is empty: its first line must be sku,name/)]);
    expect(problems(HEADER)).toEqual(['the file has a header line and no products']);
  });

  it('is refused with the line of a wrong quote', () => {
    expect(problems(`${HEADER}A,a,1,acme\nB,"b,1,acme\nC,c,1,acme\n`)).toEqual([
      'line 3: a quote opens on this line or a later one, and is never closed',
    ]);
    expect(problems(`${HEADER}A,6" nails,1,acme\n`)).toEqual([expect.stringMatching(/^line 2: a quote stands inside/)]);
    expect(problems(`${HEADER}A,"6" nails,1,acme\n`)).toEqual([
      expect.stringMatching(/^line 2: a quote stands inside/),
    ]);
  });

  it('may have at most 200,000 lines', () => {
    const known = { suppliers, products: new Map([['A', { supplierCode: null, supplier_sku: null }]]) };
    const lines = (count: number): Buffer => Buffer.from(`sku\n${'A\n'.repeat(count)}`);
    expect(() => readProductLines(lines(200_001), known)).toThrow('line 200002: a file has 200000 products at most');
    expect(readProductLines(lines(200_000), known).lines).toHaveLength(1);
  });

  it('is refused with at most 500 problems', () => {
    const found = problems(`${HEADER}${'A\n'.repeat(5_000)}`);
    expect(found).toHaveLength(501);
    expect(found.slice(0, 2)).toEqual([
      'line 2: has 1 fields, and the header 4',
      'line 3: has 1 fields, and the header 4',
    ]);
    expect(found.at(-1)).toBe('there may be more: the first 500 problems are named');
  });

  it('may have at most 200 columns, and 100,000 characters in a line', () => {
    const wide = Array.from({ length: 5_000 }, (_, index) => `c${index}`).join(',');
    expect(problems(`${wide}\nA\n`)).toEqual(['line 1: has 5000 fields: 200 are the most']);
    expect(problems(`${HEADER}A,a,1,acme\n${wide}\nB\n`)).toEqual(['line 3: has 5000 fields: 200 are the most']);
    const tooLong = 'has more than 100,000 bytes, or a quote in it is never closed';
    expect(problems(`${HEADER}A,a,1,acme\nB,${'b'.repeat(100_000)},1,acme\n`)).toEqual([`line 3: ${tooLong}`]);
    expect(problems(`${HEADER}A,"a,1,acme\n${'B,b,1,acme\n'.repeat(20_000)}`)).toEqual([`line 2: ${tooLong}`]);
  });

  it('must be UTF-8', () => {
    const windows874 = Buffer.concat([Buffer.from(`${HEADER}A,`), Buffer.from([0xe4, 0xb4]), Buffer.from(',1,acme\n')]);
    expect(problems(windows874)).toEqual(['the file is not UTF-8 text: save it as “CSV UTF-8”']);
  });
});

describe('exported products', () => {
  const text = (maximum: number): fc.Arbitrary<string> =>
    fc
      .oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: maximum }),
        fc.stringMatching(/^[-=+@' ",;\t\u00a0\u3000\ufeff#\\a1]{1,9}$/),
      )
      .filter((each) => textProblem(each, 1, maximum) === null);
  const bought = fc.record({
    sku: text(64),
    name: text(128),
    price: fc.constantFrom('0.00', '35.00', '1000000000000.00'),
    supplier: text(64),
    supplier_sku: text(128),
    requires_server: fc.boolean(),
    requires_character: fc.boolean(),
    max_quantity: fc.integer({ min: 1, max: 100 }),
    active: fc.boolean(),
    kind: fc.constantFrom('topup' as const, 'code' as const),
    player_check: fc.constantFrom(null, 'g2bulk:mlbb', 'g2bulk:free_fire-2.0'),
  });
  const withoutOffer = bought.map((each) => ({ ...each, supplier: null, supplier_sku: null }));
  const product = fc.oneof(bought, withoutOffer);

  it('are read back unchanged, with any texts', () => {
    fc.assert(
      fc.property(fc.uniqueArray(product, { selector: ({ sku }) => sku, minLength: 1 }), (products) => {
        const file = Buffer.from(writeProducts(products));
        const known = {
          suppliers: new Set(products.flatMap(({ supplier }) => supplier ?? [])),
          products: new Map<string, never>(),
        };
        const lines = readProducts(file, known);
        expect(lines.map(({ definition }) => toView(definition))).toEqual(products);
      }),
    );
  });
});

const toView = (definition: ProductLine['definition']): Partial<ProductView> => ({
  sku: definition.sku,
  name: definition.name,
  price: formatBaht(definition.price ?? 0n),
  supplier: definition.supplier,
  supplier_sku: definition.supplierSku ?? null,
  requires_server: definition.requiresServer,
  requires_character: definition.requiresCharacter,
  max_quantity: definition.maxQuantity,
  active: definition.active,
  kind: definition.kind,
  player_check: definition.playerCheck,
});
