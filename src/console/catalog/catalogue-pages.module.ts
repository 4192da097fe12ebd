import { Module } from '@nestjs/common';
import { AuditLogRepository } from '../../audit-log/audit-log.repository.js';
import { CatalogModule } from '../../catalog/catalog.module.js';
import { MerchantsModule } from '../../merchants/merchants.module.js';
import { SupportModule } from '../../support/support.module.js';
import { CatalogueImports } from './catalogue-imports.service.js';
import { ConsoleFxController } from './fx.controller.js';
import { FxPages } from './fx-pages.service.js';
import { CatalogueImportsController } from './imports.controller.js';
import { ConsoleOffersController } from './offers.controller.js';
import { OfferPages } from './offer-pages.service.js';
import { ProductPages } from './product-pages.service.js';
import { ConsoleProductsController } from './products.controller.js';

/** Products, where they are bought, and what currencies are worth. */
@Module({
  imports: [CatalogModule, MerchantsModule, SupportModule],
  controllers: [
    ...[ConsoleProductsController, CatalogueImportsController],
    ...[ConsoleOffersController, ConsoleFxController],
  ],
  providers: [AuditLogRepository, CatalogueImports, FxPages, OfferPages, ProductPages],
})
export class CataloguePagesModule {}
