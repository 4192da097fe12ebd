import { ProductsService } from '../../catalog/products.service.js';
import { formatBaht, type Satang } from '../../core/money.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { examples, type CommandGroup } from './command-group.js';
import { baht, id } from './options.js';
import { record, type Result } from './output.js';

export const priceCommands: CommandGroup = {
  features: { imports: [MerchantsModule], providers: [ProductsService] },
  define(price, act) {
    price
      .command('set')
      .description('Give a merchant its own price of a product. The next order pays it.')
      .requiredOption('--merchant <id>', 'the merchant', id)
      .requiredOption('--sku <sku>', 'the product')
      .requiredOption('--price <baht>', 'the price of one piece, 0.00 up to the list price', baht)
      .addHelpText('after', examples('price set --merchant 1 --sku MLBB-86 --price 31.50'))
      .action(
        act(async (app, { merchant, sku, price }: { merchant: number; sku: string; price: Satang }) => {
          await app.get(MerchantsService).get(merchant);
          await app.get(ProductsService).setMerchantPrice(merchant, sku, price);
          return toResult(merchant, sku, price);
        }),
      );

    price
      .command('clear')
      .description('Take a merchant’s own price away, so that it pays the list price, which is printed.')
      .requiredOption('--merchant <id>', 'the merchant', id)
      .requiredOption('--sku <sku>', 'the product')
      .addHelpText('after', examples('price clear --merchant 1 --sku MLBB-86'))
      .action(
        act(async (app, { merchant, sku }: { merchant: number; sku: string }) => {
          await app.get(MerchantsService).get(merchant);
          const product = await app.get(ProductsService).clearMerchantPrice(merchant, sku);
          return toResult(merchant, sku, product.price);
        }),
      );
  },
};

const toResult = (merchantId: number, sku: string, price: Satang): Result =>
  record({ merchant_id: merchantId, sku, price: formatBaht(price) });
