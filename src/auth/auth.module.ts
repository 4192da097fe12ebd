import { Module } from '@nestjs/common';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { ApiKeyUsesService } from './api-key-uses.service.js';
import { ApiKeyVerifier } from './api-key-verifier.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  imports: [MerchantsModule],
  providers: [ApiKeysRepository, ApiKeysService, ApiKeyUsesService, ApiKeyVerifier],
  exports: [ApiKeysService, ApiKeyVerifier],
})
export class AuthModule {}
