import { ProductsService } from '../../catalog/products.service.js';
import { formatBaht, type Satang } from '../../core/money.js';
import type { By } from '../../database/operator-actions.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { examples, type CommandGroup } from './command-group.js';
import { baht, id, operatorOption, reasonOption } from './options.js';
import { record, type Result } from './output.js';

type Which = By & { merchant: number; sku: string };

export const priceCommands: CommandGroup = {
  features: { imports: [MerchantsModule], providers: [ProductsService] },
  define(price, act) {
    price
      .command('set')
      .description('Give a merchant its own price of a product. The next order pays it.')
      .requiredOption('--merchant <id>', 'the merchant', id)
      .requiredOption('--sku <sku>', 'the product')
      .requiredOption('--price <baht>', 'the price of one piece, 0.00 up to the list price', baht)
      .addOption(operatorOption())
      .addOption(reasonOption())
      .addHelpText('after', examples('price set --merchant 1 --sku MLBB-86 --price 31.50'))
      .action(
        act(async (app, { merchant, sku, price, ...by }: Which & { price: Satang }) => {
          await app.get(MerchantsService).get(merchant);
          await app.get(ProductsService).setMerchantPrice(merchant, sku, price, by);
          return toResult(merchant, sku, price);
        }),
      );

    price
      .command('clear')
      .description('Take a merchant’s own price away, so that it pays the list price, which is printed.')
      .requiredOption('--merchant <id>', 'the merchant', id)
      .requiredOption('--sku <sku>', 'the product')
      .addOption(operatorOption())
      .addOption(reasonOption())
      .addHelpText('after', examples('price clear --merchant 1 --sku MLBB-86'))
      .action(
        act(async (app, { merchant, sku, ...by }: Which) => {
          await app.get(MerchantsService).get(merchant);
          const product = await app.get(ProductsService).clearMerchantPrice(merchant, sku, by);
          return toResult(merchant, sku, product.price);
        }),
      );
  },
};

const toResult = (merchantId: number, sku: string, price: Satang): Result =>
  record({ merchant_id: merchantId, sku, price: formatBaht(price) });
