import { Module } from '@nestjs/common';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { BookingService } from './booking.service.js';
import { ChannelCallbacksRepository } from './callbacks/channel-callbacks.repository.js';
import { ChannelCallbacksService } from './callbacks/channel-callbacks.service.js';
import { ChannelCallsService } from './channel-calls.service.js';
import { VendorQrCodesService } from './vendor-qr-codes.service.js';
import { ChannelInquiriesService } from './channel-inquiries.service.js';
import { VendorListsService } from './vendor-lists.service.js';
import { ChannelRegistry } from './channel-registry.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { DepositsObserver } from './deposits.observer.js';
import { DepositsRepository } from './deposits.repository.js';
import { DepositsService } from './deposits.service.js';
import { IncomingChargesService } from './incoming-charges.service.js';
import { IncomingLinesService } from './incoming-lines.service.js';
import { IncomingPaymentsService } from './incoming-payments.service.js';
import { InquiriesRepository } from './inquiries.repository.js';
import { MerchantDepositsService } from './merchant-deposits.service.js';
import { PaymentsRepository } from './payments.repository.js';
import { PaymentsService } from './payments.service.js';
import { SandboxPaymentsService } from './sandbox/sandbox-payments.service.js';
import { SandboxSlipsService } from './sandbox/sandbox-slips.service.js';
import { IncomingSlipsService } from './slips/incoming-slips.service.js';
import { SlipsRepository } from './slips/slips.repository.js';
import { SlipsService } from './slips/slips.service.js';
import { StatementsRepository } from './statements/statements.repository.js';
import { StatementsService } from './statements/statements.service.js';

/** Payments of merchants into their wallets. */
@Module({
  imports: [MerchantsModule, WalletModule],
  providers: [
    ChannelRegistry,
    ChannelsRepository,
    DepositsRepository,
    InquiriesRepository,
    PaymentsRepository,
    SlipsRepository,
    StatementsRepository,
    DepositsObserver,
    ChannelsService,
    ChannelCallsService,
    VendorQrCodesService,
    ChannelInquiriesService,
    VendorListsService,
    ChannelCallbacksRepository,
    ChannelCallbacksService,
    IncomingChargesService,
    SandboxPaymentsService,
    SandboxSlipsService,
    DepositsService,
    MerchantDepositsService,
    BookingService,
    IncomingPaymentsService,
    IncomingLinesService,
    IncomingSlipsService,
    SlipsService,
    PaymentsService,
    StatementsService,
  ],
  exports: [
    ChannelsService,
    VendorListsService,
    ChannelCallbacksService,
    DepositsService,
    MerchantDepositsService,
    PaymentsService,
    StatementsService,
  ],
})
export class DepositsModule {}
