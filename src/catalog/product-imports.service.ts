import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit-log/audit-log.js';
import { CsvProblems, type CsvProblem } from '../core/csv-table.js';
import { AppError, ChangedMeanwhile } from '../core/errors.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';
import { readPriceLines } from './price-csv.js';
import { PricesService, type PriceDifference } from './prices.service.js';
import type { ProductDifference } from './product-actions.js';
import { readProductLines, type Known } from './product-csv.js';
import { ProductsService } from './products.service.js';

/** The changes that a file would make. */
export interface ImportPreview<Difference> {
  /** The number of correct lines. */
  lines: number;
  /** A file with problems is not imported. */
  problems: CsvProblem[];
  differences: Difference[];
  /** Identifies exactly these differences. */
  version: string;
}

/** The preview that an operator confirmed. */
interface Agreed {
  by: Actor;
  /** The name of the file. */
  name: string;
  /** The version of the preview that the operator saw. */
  version: string;
}

/** Imports files of products and of merchants' own prices. An import does exactly what its preview showed, or nothing. */
@Injectable()
export class ProductImportsService {
  constructor(
    private readonly products: ProductsService,
    private readonly prices: PricesService,
    private readonly suppliers: SuppliersService,
  ) {}

  /** The existing suppliers and products, which `readProductLines` needs to check a file. */
  async known(): Promise<Known> {
    return {
      suppliers: new Set((await this.suppliers.list()).map(({ code }) => code)),
      products: new Map((await this.products.list()).map((product) => [product.sku, product])),
    };
  }

  /** Changes nothing. */
  previewProducts(file: Buffer): Promise<ImportPreview<ProductDifference>> {
    return preview(async () => {
      const { lines, problems } = readProductLines(file, await this.known());
      const definitions = lines.map(({ definition }) => definition);
      return { lines: lines.length, problems, differences: await this.products.compare(definitions) };
    });
  }

  /** Imports all or nothing. @throws BAD_REQUEST for a file with a problem; CONFLICT if the preview is out of date. */
  async importProducts(file: Buffer, { by, name, version }: Agreed): Promise<ProductDifference[]> {
    const seen = await this.previewProducts(file);
    const expected = agreed(seen, version, 'the products');
    const { lines } = readProductLines(file, await this.known());
    await this.products.setAll(
      lines.map(({ definition }) => definition),
      { by, file: name, expected },
    );
    return expected;
  }

  /** Changes nothing. */
  previewPrices(file: Buffer): Promise<ImportPreview<PriceDifference>> {
    return preview(async () => {
      const { lines, problems } = await this.readPrices(file);
      const changes = lines.map(({ change }) => change);
      return { lines: lines.length, problems, differences: await this.prices.compare(changes) };
    });
  }

  /** Imports all or nothing. @throws BAD_REQUEST for a file with a problem; CONFLICT if the preview is out of date. */
  async importPrices(file: Buffer, { by, name, version }: Agreed): Promise<PriceDifference[]> {
    const seen = await this.previewPrices(file);
    const expected = agreed(seen, version, 'the prices');
    const { lines } = await this.readPrices(file);
    await this.prices.setAll(
      lines.map(({ change }) => change),
      { by, file: name, expected },
    );
    return expected;
  }

  private readPrices(file: Buffer): ReturnType<typeof readPriceLines> {
    return readPriceLines(file, async (changes) =>
      (await this.prices.problems(changes)).map((problem) => problem && problem.message),
    );
  }
}

/** Identifies a list of differences: any other list has another version. */
export const versionOf = (differences: readonly object[]): string =>
  createHash('sha256').update(JSON.stringify(differences)).digest('base64url').slice(0, 22);

type Read<Difference> = Omit<ImportPreview<Difference>, 'version'>;

async function preview<Difference extends object>(
  read: () => Promise<Read<Difference>>,
): Promise<ImportPreview<Difference>> {
  const found = await read().catch((error: unknown): Read<Difference> => {
    if (!(error instanceof CsvProblems)) throw error;
    return { lines: 0, problems: [...error.problems], differences: [] };
  });
  return { ...found, version: versionOf(found.differences) };
}

function agreed<Difference>(
  { problems, differences, version: now }: ImportPreview<Difference>,
  version: string,
  what: string,
): Difference[] {
  if (problems.length > 0) {
    throw new AppError('BAD_REQUEST', `nothing was imported: ${new CsvProblems(problems).message}`);
  }
  if (now !== version) throw new ChangedMeanwhile(`${what} changed meanwhile`);
  return differences;
}
