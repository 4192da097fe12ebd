import { Module } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { CatalogModule } from '../../catalog/catalog.module.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { SupportModule } from '../../support/support.module.js';
import { CatalogImportsService } from './catalog-imports.service.js';
import { ConsoleFxController } from './fx.controller.js';
import { FxViewsService } from './fx-views.service.js';
import { CatalogueImportsController } from './imports.controller.js';
import { ConsoleOffersController } from './offers.controller.js';
import { OfferViewsService } from './offer-views.service.js';
import { ProductViewsService } from './product-views.service.js';
import { ConsoleProductsController } from './products.controller.js';

/** Products, offers and exchange rates. */
@Module({
  imports: [CatalogModule, MerchantsModule, SupportModule],
  controllers: [ConsoleProductsController, CatalogueImportsController, ConsoleOffersController, ConsoleFxController],
  providers: [AuditLogRepository, CatalogImportsService, FxViewsService, OfferViewsService, ProductViewsService],
})
export class CatalogViewsModule {}
