import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { CatalogModule } from '../../catalog/catalog.module.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { ReportsModule } from '../../accounting/reports/reports.module.js';
import { WalletModule } from '../../wallet/wallet.module.js';
import { IdempotencyModule } from '../access/idempotency.module.js';
import { MerchantKeysService } from './merchant-keys.service.js';
import { ConsoleKeysController } from './merchant-keys.controller.js';
import { MerchantViewsService } from './merchant-views.service.js';
import { ConsolePricesController } from './merchant-prices.controller.js';
import { MerchantPricesService } from './merchant-prices.service.js';
import { ConsoleWalletController } from './merchant-wallet.controller.js';
import { MerchantWalletService } from './merchant-wallet.service.js';
import { ConsoleMerchantsController } from './merchants.controller.js';

/** Merchants with their money, keys and prices. */
@Module({
  imports: [AuthModule, CatalogModule, MerchantsModule, IdempotencyModule, ReportsModule, WalletModule],
  controllers: [ConsoleMerchantsController, ConsoleWalletController, ConsoleKeysController, ConsolePricesController],
  providers: [MerchantKeysService, MerchantViewsService, MerchantPricesService, MerchantWalletService],
})
export class MerchantViewsModule {}
