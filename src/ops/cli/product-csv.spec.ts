import { describe, expect, it } from '@jest/globals';
import { readProducts, type ProductLine } from './product-csv.js';

const read = (text: string): ProductLine[] => readProducts(Buffer.from(text), new Set(['acme']));

/** What is wrong with a file, a line for each problem. */
function problems(file: string | Buffer): string[] {
  try {
    readProducts(Buffer.from(file), new Set(['acme']));
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

const HEADER = 'sku,name,price,supplier\n';

describe('a file of products', () => {
  it('may have its columns in any order, and empty fields for defaults', () => {
    const file = `supplier,active,price,max_quantity,name,requires_server,sku,requires_character,supplier_sku
acme,0,35.00,5,86 Diamonds,TRUE,MLBB-86,yes,A-86
acme,,35,,ไดมอนด์,,MLBB-87,,
`;
    const defaults = { supplierSku: undefined, requiresServer: undefined, requiresCharacter: undefined };
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
        },
      },
      {
        line: 3,
        definition: {
          sku: 'MLBB-87', name: 'ไดมอนด์', price: 3500n, supplier: 'acme', maxQuantity: undefined, active: undefined, ...defaults,
        },
      },
    ]); // prettier-ignore
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

  it('tells every problem with the line on which the product starts', () => {
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
      'line 10: supplier is required',
    ]);
  });

  it.each([
    ['max_quantity', '0', 'a whole number, 1 to 100'],
    ['max_quantity', '101', 'a whole number, 1 to 100'],
    ['max_quantity', '1.5', 'a whole number, 1 to 100'],
    ['active', 'maybe', 'true, false, yes, no, 1 or 0'],
    ['requires_server', 'y', 'true, false, yes, no, 1 or 0'],
  ])('takes no %s of %s', (column, value, words) => {
    const file = `sku,name,price,supplier,${column}\nA,a,1,acme,${value}\n`;
    expect(problems(file)).toEqual([`line 2: ${column} must be ${words}, not "${value}"`]);
  });

  it('names what is wrong with the header', () => {
    expect(problems('sku,name,price,price,colour\nA,a,1,acme,red\n')).toEqual([
      'line 1: there is no column "colour": choose from sku, name, price, supplier, supplier_sku, requires_server, ' +
        'requires_character, max_quantity, active',
      'line 1: column price is there more than once',
      'line 1: column supplier is missing',
    ]);
    expect(problems('sku;name;price;supplier\n')).toEqual([
      'line 1: the columns must be separated by commas',
    ]);
    expect(problems('')).toEqual([
      expect.stringMatching(/^the file is empty: its first line must be sku,name/),
    ]);
    expect(problems(HEADER)).toEqual(['the file has a header line and no products']);
  });

  it('finds the place where quotes went wrong', () => {
    expect(problems(`${HEADER}A,a,1,acme\nB,"b,1,acme\nC,c,1,acme\n`)).toEqual([
      'line 3: a quote is opened from here on and never closed',
    ]);
    expect(problems(`${HEADER}A,6" nails,1,acme\n`)).toEqual([
      expect.stringMatching(/^line 2: a quote stands inside/),
    ]);
    expect(problems(`${HEADER}A,"6" nails,1,acme\n`)).toEqual([
      expect.stringMatching(/^line 2: a quote stands inside/),
    ]);
  });

  it('must be UTF-8', () => {
    const windows874 = Buffer.concat([
      Buffer.from(`${HEADER}A,`),
      Buffer.from([0xe4, 0xb4]),
      Buffer.from(',1,acme\n'),
    ]);
    expect(problems(windows874)).toEqual(['the file is not UTF-8 text: save it as “CSV UTF-8”']);
  });
});
