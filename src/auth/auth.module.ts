import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyVerifier } from './api-key-verifier.js';
import { ApiKeysService } from './api-keys.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKey]), MerchantsModule],
  providers: [ApiKeysService, ApiKeyVerifier],
  exports: [ApiKeysService, ApiKeyVerifier],
})
export class AuthModule {}
