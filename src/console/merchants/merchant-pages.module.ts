import { Module } from '@nestjs/common';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { WalletModule } from '../../wallet/wallet.module.js';
import { MerchantPages } from './merchant-pages.service.js';
import { ConsoleMerchantsController } from './merchants.controller.js';

/** Merchants, their balances and statements, to read. */
@Module({
  imports: [MerchantsModule, WalletModule],
  controllers: [ConsoleMerchantsController],
  providers: [MerchantPages],
})
export class MerchantPagesModule {}
